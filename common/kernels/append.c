#include "attention_scratch.h"
#include "least.h"
#include "set.h"
#include "square.h"

/* Sixteen positions that fill a panel. */
static void append_panel(int head_size, const float *k, size_t stride, float *panel) {
    for (int d = 0; d < head_size; d += 16) {
        int columns = least(16, head_size - d);
        square s = turn(load_square(16, columns, k + d, stride));
        for (int i = 0; i < columns; i++, panel += 16) store16(panel, s.row[i]);
    }
}

static void append_keys(const new_positions *n) {
    for (int i = 0; i < n->count;) {
        int t = n->position + i, whole = t % 16 == 0 && n->count - i >= 16;
        float *panel = n->keys + (size_t)(t / 16) * (size_t)n->head_size * 16 + t % 16;
        const float *k = n->k + (size_t)i * n->stride;
        if (whole)
            append_panel(n->head_size, k, n->stride, panel);
        else
            for (int d = 0; d < n->head_size; d++) panel[16 * d] = k[d];
        i += whole ? 16 : 1;
    }
}

void KERNEL(append)(const new_positions *n) {
    int width = padded_head(n->head_size);
    append_keys(n);
    for (int i = 0; i < n->count; i++) {
        const float *v = n->v + (size_t)i * n->stride;
        float *to = n->values + (size_t)(n->position + i) * (size_t)width;
        for (int d = 0; d < width; d += 16) store16(to + d, load_first16(n->head_size - d, v + d));
    }
}
