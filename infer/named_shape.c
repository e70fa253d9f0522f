#include "named_shape.h"

const char *const shape_names[] = {"gpt2-124m", "gpt2-355m", "gpt2-774m", "gpt2-1558m", "nanogpt-10m", NULL};

static shape gpt2(int layers, int heads, int width) {
    return (shape){.n_layer = layers,
                   .n_head = heads,
                   .n_embd = width,
                   .block_size = 1024,
                   .vocab_size = 50257,
                   .activation = GELU_TANH,
                   .qkv_bias = true,
                   .bias = true,
                   .tie_weights = true};
}

/* nanoGPT's train_shakespeare_char. */
static shape nanogpt_10m(void) {
    return (shape){.n_layer = 6,
                   .n_head = 6,
                   .n_embd = 384,
                   .block_size = 256,
                   .vocab_size = 65,
                   .activation = GELU,
                   .tie_weights = true};
}

shape named_shape(int i) {
    switch (i) {
    case 0:
        return gpt2(12, 12, 768);
    case 1:
        return gpt2(24, 16, 1024);
    case 2:
        return gpt2(36, 20, 1280);
    case 3:
        return gpt2(48, 25, 1600);
    default:
        return nanogpt_10m();
    }
}
