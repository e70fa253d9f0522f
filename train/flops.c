#include "flops.h"

double training_flops_per_token(const shape *s) {
    double layers = s->n_layer, width = s->n_embd;
    double parameters =
        layers * 12 * width * width + s->vocab_size * width; /* qkv 3, projection 1, MLP 4 + 4 */
    double attention = layers * 2 * s->block_size * width;
    return 6 * parameters + 3 * attention;
}
