#include "checkpoint_members.h"
#include "kernels/half.h"
#include "narrow.h"
#include <stdio.h>

const char META_MEMBER[] = "meta.json";

bool member_exists(checkpoint_kind kind, int part, const parameter *p) {
    if (part == SCALES) return kind.type == WEIGHTS_INT8 && p->dims == 2;
    return part == WEIGHTS || kind.resumable;
}

parameter member_tensor(int part, const parameter *p) {
    int groups = groups_of(p->cols);
    if (part != SCALES) return *p;
    return (parameter){
        .dims = 2, .rows = p->rows, .cols = groups, .stride = (size_t)groups, .offset = p->scale_offset};
}

void member_name(char name[MEMBER_NAME], int part, const parameter *p) {
    static const char *const prefixes[PARTS] = {"", "", "adamw.m/", "adamw.v/"};
    snprintf(name, MEMBER_NAME, "%s%s%s.npy", prefixes[part], p->name, part == SCALES ? ".scale" : "");
}

weight_type member_type(checkpoint_kind kind, int part, const parameter *p) {
    return part == WEIGHTS && p->dims == 2 ? kind.type : WEIGHTS_F32;
}

/* The block holds what the narrow numbers stand for: to make them again loses nothing. */
static void make_halves(const npy_array *a, size_t row, size_t col, size_t count, void *out) {
    const float *from = a->data + row * a->stride + col;
    uint16_t *halves = out;
    for (size_t i = 0; i < count; i++) halves[i] = half_from_float(from[i]);
}

static void make_bytes(const npy_array *a, size_t row, size_t col, size_t count, void *out) {
    const float *from = a->data + row * a->stride + col;
    const float *scales = a->scales + row * (size_t)groups_of((int)a->cols);
    int8_t *bytes = out;
    for (size_t i = 0; i < count; i++) bytes[i] = byte_of(from[i], scales[(col + i) / SCALE_GROUP]);
}

const npy_element *member_element(weight_type type) {
    static const npy_element halves = {"<f2", sizeof(uint16_t), make_halves};
    static const npy_element bytes = {"|i1", sizeof(int8_t), make_bytes};
    return type == WEIGHTS_F32 ? &npy_float32 : type == WEIGHTS_F16 ? &halves : &bytes;
}
