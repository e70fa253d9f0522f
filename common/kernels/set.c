#include "set.h"
#include "openblas.h"

#define TEXT(name) #name
#define NAME(kind) TEXT(kind)

/* Everything but a set's name, its sibling and its three linear products. */
#define REST                                                                                                 \
    .layer_norm = KERNEL(layer_norm), .layer_norm_backward = KERNEL(layer_norm_backward),                    \
    .layer_norm_weight_gradient = KERNEL(layer_norm_weight_gradient),                                        \
    .activation = {KERNEL(relu), KERNEL(gelu), KERNEL(gelu_tanh)},                                           \
    .activation_backward = {KERNEL(relu_backward), KERNEL(gelu_backward), KERNEL(gelu_tanh_backward)},       \
    .add = KERNEL(add), .drop = KERNEL(drop), .append = KERNEL(append), .attention = KERNEL(attention),      \
    .attention_gradient = KERNEL(attention_gradient), .cross_entropy = KERNEL(cross_entropy),                \
    .adamw = KERNEL(adamw), .sum_of_squares = KERNEL(sum_of_squares), .accumulate = KERNEL(accumulate),      \
    .fma_peak_flops = KERNEL(fma_peak_flops), .read_floats = KERNEL(read_floats)

#ifdef HAVE_OPENBLAS
static const kernels with_openblas = {
    .name = "openblas",
    .linear = linear_openblas,
    .linear_input_gradient = linear_input_gradient_openblas,
    .linear_weight_gradient = linear_weight_gradient_openblas,
    REST,
};
#endif

const kernels KERNEL(kernels) = {
    .name = NAME(KIND),
#ifdef HAVE_OPENBLAS
    .openblas = &with_openblas,
#endif
    .linear = KERNEL(linear),
    .linear_input_gradient = KERNEL(linear_input_gradient),
    .linear_weight_gradient = KERNEL(linear_weight_gradient),
    REST,
};
