/* What an update does to every parameter: AdamW (Loshchilov and Hutter 2019, as PyTorch's optim.AdamW defines
 * it), and the sum of squares that clipping needs. Padding is zero in all four arrays and stays zero. */
#include "set.h"
#include "simd16.h"

void KERNEL(adamw)(size_t n, const adamw_step *step, const float *gradient, float *weight, float *m,
                   float *v) {
    v16 scale = set16(step->gradient_scale), keep = set16(step->keep), first_rate = set16(step->first_rate);
    v16 second_keep = set16(step->second_keep), second_rate = set16(step->second_rate),
        eps = set16(step->eps);
    v16 root_correction = set16(step->root_correction), minus_step = set16(-step->step_size);
    for (size_t i = 0; i < n; i += 16) {
        v16 g = mul16(load16(gradient + i), scale), first = load16(m + i);
        first = fma16(sub16(g, first), first_rate, first);
        v16 second = fma16(mul16(g, g), second_rate, mul16(load16(v + i), second_keep));
        v16 denominator = add16(div16(sqrt16(second), root_correction), eps);
        v16 w = mul16(load16(weight + i), keep);
        store16(weight + i, fma16(minus_step, div16(first, denominator), w));
        store16(m + i, first);
        store16(v + i, second);
    }
}

/* In double, because squares of small gradients vanish beside a large sum in float; lane i mod 16,
 * then a fixed tree. */
double KERNEL(sum_of_squares)(size_t n, const float *x) {
    double lanes[16] = {0};
    for (size_t i = 0; i < n; i += 16)
        for (int l = 0; l < 16; l++) lanes[l] += (double)x[i + (size_t)l] * (double)x[i + (size_t)l];
    for (int half = 8; half; half /= 2)
        for (int l = 0; l < half; l++) lanes[l] += lanes[l + half];
    return lanes[0];
}
