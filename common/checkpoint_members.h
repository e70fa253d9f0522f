/* The names of a checkpoint's members, shared by its writer and its reader. Described in checkpoint.c. */
#ifndef CHECKPOINT_MEMBERS_H
#define CHECKPOINT_MEMBERS_H
#include "parameters.h"

/* Each tensor has one member in each part: the weights always, the rest in a resumable checkpoint. */
enum { WEIGHTS, ADAMW_M, ADAMW_V, PARTS };

enum { MEMBER_NAME = sizeof(((parameter *)0)->name) + 16 };
void member_name(char name[MEMBER_NAME], int part, const parameter *p);

extern const char META_MEMBER[];
#endif
