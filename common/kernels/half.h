/* IEEE half precision (binary16) from and to float, for processors without the instruction and for
 * rounding weights. */
#ifndef HALF_H
#define HALF_H
#include <stdint.h>
#include <string.h>

static inline float half_to_float(uint16_t half) {
    uint32_t magnitude = half & 0x7fffu, bits = magnitude << 13;
    if (magnitude >= 0x7c00) bits |= 0x7f800000u; /* infinity, NaN */
    union {
        uint32_t bits;
        float value;
    } x = {bits};
    if (magnitude < 0x7c00) x.value *= 0x1p112f; /* the exponents' biases differ; exact, for subnormals too */
    return half & 0x8000u ? -x.value : x.value;
}

/* Rounded half to even; magnitudes from 65520 on become infinity. */
static inline uint16_t half_from_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);
    if (magnitude >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
    if (magnitude <
        0x38800000u) { /* subnormal: adding 1/2 rounds to a multiple of 2^-24, its number in the low bits */
        float small;
        memcpy(&small, &magnitude, sizeof small);
        small += 0.5f;
        memcpy(&magnitude, &small, sizeof magnitude);
        return (uint16_t)(sign | (magnitude - 0x3f000000u));
    }
    magnitude += 0xfffu + (magnitude >> 13 & 1u);
    return (uint16_t)(sign | ((magnitude - (112u << 23)) >> 13));
}
#endif
