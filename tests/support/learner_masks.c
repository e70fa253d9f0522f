#include "learner_masks.h"
#include "suite.h"
#include <stdlib.h>

/* Writes one site's mask (rows, cols): what the kernels' dropout makes of ones. */
static void site_mask(const kernels *k, const dropout_plan *plan, uint32_t site, int rows, int cols,
                      double *mask) {
    size_t stride = (size_t)padded(cols), elements = (size_t)rows * (size_t)cols;
    float *x = zeros((size_t)rows * stride, sizeof *x);
    for (size_t i = 0; i < elements; i++) x[i / (size_t)cols * stride + i % (size_t)cols] = 1;
    dropout drop;
    if (dropout_at(plan, site, &drop)) k->drop(rows, cols, x, stride, &drop, 0, drop_row(cols), x, stride);
    for (size_t i = 0; i < elements; i++) mask[i] = (double)x[i / (size_t)cols * stride + i % (size_t)cols];
    free(x);
}

dropout_masks masks_open(const shape *s, const kernels *k, const dropout_plan *plan) {
    int n = s->block_size, c = s->n_embd;
    size_t plane = (size_t)(n * c), square = (size_t)(n * n), layers = (size_t)s->n_layer;
    dropout_masks m = {.embedding = zeros(plane, sizeof(double)),
                       .attention = zeros(layers * (size_t)s->n_head * square, sizeof(double)),
                       .attn_proj = zeros(layers * plane, sizeof(double)),
                       .mlp_proj = zeros(layers * plane, sizeof(double))};
    site_mask(k, plan, embedding_site(), n, c, m.embedding);
    for (int l = 0; l < s->n_layer; l++) {
        for (int h = 0; h < s->n_head; h++)
            site_mask(k, plan, attention_site(s, l, h), n, n,
                      m.attention + (size_t)(l * s->n_head + h) * square);
        site_mask(k, plan, attention_output_site(s, l), n, c, m.attn_proj + (size_t)l * plane);
        site_mask(k, plan, mlp_output_site(s, l), n, c, m.mlp_proj + (size_t)l * plane);
    }
    return m;
}

void masks_close(dropout_masks *masks) {
    free(masks->embedding);
    free(masks->attention);
    free(masks->attn_proj);
    free(masks->mlp_proj);
}
