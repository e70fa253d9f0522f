#include "full_forward.h"
#include "suite.h"
#include <stdlib.h>

float *full_forward(const model *m, const kernels *k, int threads, int windows, const int32_t *const *window,
                    int count) {
    problem why;
    engine e;
    team *t = team_open(threads, &why);
    must(t && engine_open(&e, m, k, t, windows * count, &why), &why);
    kv_cache *caches = zeros((size_t)windows, sizeof *caches);
    sequence_rows *rows = zeros((size_t)windows, sizeof *rows);
    float *logits = zeros((size_t)(windows * count) * (size_t)padded(m->shape.vocab_size), sizeof *logits);
    for (int i = 0; i < windows; i++) {
        must(cache_open(&caches[i], &m->shape, m->cache_type, m->shape.n_layer, &why), &why);
        rows[i] = (sequence_rows){window[i], count, 0, &caches[i]};
    }
    engine_forward(&e, windows, rows, ALL_ROWS, logits);
    for (int i = 0; i < windows; i++) cache_close(&caches[i]);
    free(caches);
    free(rows);
    engine_close(&e);
    team_close(t);
    return logits;
}
