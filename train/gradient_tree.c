#include "gradient_tree.h"
#include "memory.h"
#include <string.h>

static int levels_for(int64_t micro_batches) {
    int levels = 0;
    while (((int64_t)1 << levels) < micro_batches) levels++;
    return levels;
}

bool gradient_tree_open(gradient_tree *t, size_t floats, int64_t micro_batches, problem *why) {
    int levels = levels_for(micro_batches);
    *t = (gradient_tree){.floats = floats};
    t->waiting = allocate((size_t)levels + 1, sizeof *t->waiting, "sums of gradients", why);
    if (!t->waiting) return false;
    for (; t->levels < levels; t->levels++) {
        float *sum = allocate(floats, sizeof *sum, "sums of gradients", why);
        if (!sum) return false;
        t->waiting[t->levels] = sum;
    }
    return true;
}

void gradient_tree_close(gradient_tree *t) {
    for (int i = 0; i < t->levels; i++) release(t->waiting[i]);
    release(t->waiting);
    *t = (gradient_tree){0};
}

void gradient_tree_join(const gradient_tree *t, const kernels *k, int64_t i, bool last, float *gradient,
                        member me) {
    span p = span_of(me, t->floats);
    for (int level = 0; level < t->levels; level++) {
        float *sum = t->waiting[level] + p.from;
        if (i >> level & 1)
            k->accumulate(p.count, gradient + p.from, sum);
        else if (!last) {
            memcpy(sum, gradient + p.from, p.count * sizeof *sum);
            return;
        }
    }
}

span span_of(member me, size_t n) {
    range r = share(me, (int)(n / 16), 1);
    return (span){(size_t)r.from * 16, (size_t)(r.to - r.from) * 16};
}
