#include "bench_work.h"
#include "cache.h"
#include "narrow.h"

/* Of one linear layer. */
typedef double linear_size(const linear *l);

static double numbers(const linear *l) {
    return (double)l->out * l->in;
}

static double bytes(const linear *l) {
    double scales = l->type == WEIGHTS_INT8 ? (double)padded(l->out) * groups_of(l->in) : 0;
    return (double)number_size(l->type) * padded(l->out) * packed_inputs(l) +
           (double)sizeof *l->scales * scales;
}

static double layers_size(const model *m, linear_size *size) {
    const layer_weights *l = m->w.layers; /* all have one shape */
    return m->shape.n_layer * (size(&l->qkv) + size(&l->attn_proj) + size(&l->fc) + size(&l->mlp_proj));
}

double work_weight_bytes(const model *m) {
    return layers_size(m, bytes) + bytes(&m->w.head);
}

double work_cache_bytes(const model *m, int tokens) {
    shape s = m->shape;
    s.block_size = tokens;
    return (double)cache_bytes(&s, m->cache, s.n_layer);
}

/* Attention: 2 C for a key's score, 2 C for its value, in each layer. */
double work_flops(const model *m, double rows, double logits, double keys) {
    double attention = 4 * keys * m->shape.n_embd * m->shape.n_layer;
    return 2 * rows * layers_size(m, numbers) + 2 * logits * numbers(&m->w.head) + attention;
}
