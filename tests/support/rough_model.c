#include "rough_model.h"
#include "random.h"
#include "suite.h"

static void fill(const parameter *p, float *block, uint64_t index, double size) {
    random_stream s = random_open(7, FOR_CHECK, 0, index, 0);
    float *row = block + p->offset;
    for (int r = 0; r < p->rows; r++, row += p->stride)
        for (int c = 0; c < p->cols; c++)
            row[c] = (float)((p->init == INIT_ONE) +
                             size * random_normal(&s, (uint64_t)r * p->stride + (uint64_t)c));
}

void rough_model(model *m, const shape *s, double size) {
    problem why;
    must(model_open(m, s, &why), &why);
    for (size_t i = 0; i < m->table.count; i++) fill(&m->table.list[i], m->block, i, size);
    must(model_prepare(m, false, NULL, &why), &why);
}

int32_t *random_tokens(int vocab_size, size_t count, uint64_t purpose) {
    random_stream s = random_open(8, FOR_CHECK, purpose, 0, 0);
    int32_t *tokens = zeros(count, sizeof *tokens);
    for (size_t i = 0; i < count; i++) tokens[i] = (int32_t)random_below(&s, i, (uint64_t)vocab_size);
    return tokens;
}
