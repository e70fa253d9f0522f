#include "flops.h"

double forward_flops(const shape *s, double rows, double logits, double keys) {
    double layers = s->n_layer, width = s->n_embd;
    double products = rows * layers * 12 * width * width /* qkv 3, projection 1, MLP 4 + 4 */
                      + logits * s->vocab_size * width + keys * layers * 2 * width;
    return 2 * products;
}

double training_flops_per_token(const shape *s) {
    return 3 * forward_flops(s, 1, 1, 0.5 * s->block_size);
}
