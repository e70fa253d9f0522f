/* A checkpoint's members, as its writer and its reader see them. Described in checkpoint.c. */
#ifndef CHECKPOINT_MEMBERS_H
#define CHECKPOINT_MEMBERS_H
#include "kernels/kernels.h"
#include "npy.h"
#include "parameters.h"

/* Tensors have members in several parts: the weights always, scales where they are bytes, the
 * rest in a resumable checkpoint. */
enum { WEIGHTS, SCALES, ADAMW_M, ADAMW_V, PARTS };

extern const char META_MEMBER[];

/* What decides which members there are: the type of the weights, and whether training can go on. */
typedef struct checkpoint_kind {
    weight_type type;
    bool resumable;
} checkpoint_kind;

bool member_exists(checkpoint_kind kind, int part, const parameter *p);

/* What a member holds, as a tensor: the parameter itself, or its scales (in the block of scales). */
parameter member_tensor(int part, const parameter *p);

enum { MEMBER_NAME = sizeof(((parameter *)0)->name) + 16 };
void member_name(char name[MEMBER_NAME], int part, const parameter *p);

/* The type of a member's numbers, and how they are stored. */
weight_type member_type(checkpoint_kind kind, int part, const parameter *p);
const npy_element *member_element(weight_type type);
#endif
