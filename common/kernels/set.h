/* The functions of one kernel set. Each source here is compiled once for each kind of processor, with KIND
 * defined as avx512, avx2, neon or plain, which becomes the ending of every name that is not static. */
#ifndef SET_H
#define SET_H
#include "kernels.h"

#define PASTE(name, kind)  name##_##kind
#define SUFFIX(name, kind) PASTE(name, kind)
#define KERNEL(name)       SUFFIX(name, KIND)

/* A function of the set, of the type that the table's entry for it has. */
#define IMPLEMENTS(entry, name) __typeof__(*((const kernels *)NULL)->entry) KERNEL(name)

IMPLEMENTS(linear, linear);
IMPLEMENTS(linear_input_gradient, linear_input_gradient);
IMPLEMENTS(linear_weight_gradient, linear_weight_gradient);

/* KERNEL(linear) for 1..HALF_ROWS rows and f16 weights; and for int8 weights. */
enum { HALF_ROWS = 4 };
IMPLEMENTS(linear, linear_half);
IMPLEMENTS(linear, linear_bytes);

IMPLEMENTS(layer_norm, layer_norm);
IMPLEMENTS(layer_norm_backward, layer_norm_backward);
IMPLEMENTS(layer_norm_weight_gradient, layer_norm_weight_gradient);

IMPLEMENTS(activation[0], relu);
IMPLEMENTS(activation[0], gelu);
IMPLEMENTS(activation[0], gelu_tanh);
IMPLEMENTS(activation_backward[0], relu_backward);
IMPLEMENTS(activation_backward[0], gelu_backward);
IMPLEMENTS(activation_backward[0], gelu_tanh_backward);

IMPLEMENTS(add, add);
IMPLEMENTS(drop, drop);

IMPLEMENTS(append, append);
IMPLEMENTS(attention, attention);
IMPLEMENTS(attention_gradient, attention_gradient);

IMPLEMENTS(cross_entropy, cross_entropy);

IMPLEMENTS(adamw, adamw);
IMPLEMENTS(sum_of_squares, sum_of_squares);
IMPLEMENTS(accumulate, accumulate);

IMPLEMENTS(fma_peak_flops, fma_peak_flops);
IMPLEMENTS(read_floats, read_floats);
#endif
