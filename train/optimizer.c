#include "optimizer.h"
#include "least.h"
#include "memory.h"
#include "scalar_math.h"
#include <math.h>

enum { CHUNK = 1 << 16, LANES = 16 };

static size_t chunks(const parameter_table *table) {
    return (table->floats + CHUNK - 1) / CHUNK;
}

bool optimizer_open(optimizer *o, const kernels *k, const parameter_table *table, const settings *s,
                    problem *why) {
    *o = (optimizer){.kernels = k, .table = table, .settings = s};
    bool ok = (o->m = allocate(table->floats, sizeof(float), "AdamW's first moment", why)) &&
              (o->v = allocate(table->floats, sizeof(float), "AdamW's second moment", why)) &&
              (o->squares = allocate(chunks(table), sizeof(double), "sums of squares", why));
    if (!ok) optimizer_close(o);
    return ok;
}

void optimizer_close(optimizer *o) {
    release(o->m);
    release(o->v);
    release(o->squares);
    *o = (optimizer){0};
}

void optimizer_squares(const optimizer *o, const float *gradient, member me) {
    range r = share(me, (int)chunks(o->table), 1);
    for (int i = r.from; i < r.to; i++) {
        size_t from = (size_t)i * CHUNK, left = o->table->floats - from;
        o->squares[i] = o->kernels->sum_of_squares(left < CHUNK ? left : CHUNK, gradient + from);
    }
}

double optimizer_norm(const optimizer *o) {
    double sum = 0;
    for (size_t i = 0; i < chunks(o->table); i++) sum += o->squares[i];
    return sqrt(sum);
}

static adamw_step make_step(const settings *s, uint64_t iteration, double learning_rate, double norm) {
    double clip = s->grad_clip / (norm + 1e-6);
    return (adamw_step){
        .first_rate = (float)(1 - s->beta1),
        .second_keep = (float)s->beta2,
        .second_rate = (float)(1 - s->beta2),
        .eps = (float)s->eps,
        .step_size = (float)(learning_rate / (1 - exact_power(s->beta1, iteration + 1))),
        .root_correction = (float)sqrt(1 - exact_power(s->beta2, iteration + 1)),
        .keep = 1,
        .gradient_scale = s->grad_clip > 0 && clip < 1 ? (float)clip : 1,
    };
}

/* n numbers of the block from `first` on. */
static void step_numbers(const optimizer *o, const adamw_step *step, const float *gradient, float *block,
                         size_t first, size_t n) {
    o->kernels->adamw(n, step, gradient + first, block + first, o->m + first, o->v + first);
}

static void step_linear(const optimizer *o, const adamw_step *step, const float *gradient, model *m,
                        const parameter *p, const linear *l, member me) {
    range r = share(me, padded(p->rows) / LANES, 1);
    for (int panel = r.from; panel < r.to; panel++) {
        int row = LANES * panel, rows = least(LANES, p->rows - row);
        step_numbers(o, step, gradient, m->block, p->offset + (size_t)row * p->stride,
                     (size_t)rows * p->stride);
        model_pack_panel(m, l, p, panel);
    }
}

static void step_tensor(const optimizer *o, const adamw_step *step, const float *gradient, model *m,
                        const parameter *p, member me) {
    range r = share(me, (int)((size_t)p->rows * p->stride / LANES), 1);
    step_numbers(o, step, gradient, m->block, p->offset + (size_t)r.from * LANES,
                 (size_t)(r.to - r.from) * LANES);
}

void optimizer_step(const optimizer *o, uint64_t iteration, double learning_rate, double norm,
                    const float *gradient, model *m, member me) {
    const settings *s = o->settings;
    adamw_step free_step = make_step(s, iteration, learning_rate, norm), decay_step = free_step;
    decay_step.keep = (float)(1 - learning_rate * s->weight_decay);
    for (size_t i = 0; i < o->table->count; i++) {
        const parameter *p = &o->table->list[i];
        const adamw_step *step = s->decay_all || p->dims == 2 ? &decay_step : &free_step;
        const linear *l = model_linear(m, p);
        if (l)
            step_linear(o, step, gradient, m, p, l, me);
        else
            step_tensor(o, step, gradient, m, p, me);
    }
}
