#include "set.h"
#include "simd16.h"

/* As many independent sums as the registers hold: enough to hide a fused multiply-add's latency. */
enum { SUMS = SIMD16_WIDE == 2 ? 12 : SIMD16_WIDE == 1 ? 6 : 4, LANES = 16, OPERATIONS = 2 };

/* The sums all start from different numbers, or the compiler would merge them, and take part in the result,
 * or it would leave them out; they tend to 2/3, so none becomes denormal. */
double KERNEL(fma_peak_flops)(long repeats) {
    v16 sums[SUMS], half = set16(-0.5f), one = set16(1);
    for (int i = 0; i < SUMS; i++) sums[i] = set16((float)(repeats % 7 + i));
    for (long r = 0; r < repeats; r++)
        for (int i = 0; i < SUMS; i++) sums[i] = fma16(sums[i], half, one);
    v16 total = set16(0);
    for (int i = 0; i < SUMS; i++) total = add16(total, sums[i]);
    double operations = (double)repeats * SUMS * LANES * OPERATIONS;
    return sum16(total) > 0 ? operations : 0;
}

float KERNEL(read_floats)(size_t n, const float *x) {
    enum { TOGETHER = 4 };
    v16 sums[TOGETHER] = {set16(0), set16(0), set16(0), set16(0)};
    for (size_t i = 0; i + TOGETHER * LANES <= n; i += TOGETHER * LANES)
        for (int j = 0; j < TOGETHER; j++) sums[j] = add16(load16(x + i + LANES * j), sums[j]);
    return sum16(add16(add16(sums[0], sums[1]), add16(sums[2], sums[3])));
}
