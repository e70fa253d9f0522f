/* Sixteen lanes in an array, for any processor; simd16.h says what each function does. */
#ifndef SIMD16_PLAIN_H
#define SIMD16_PLAIN_H
#include "half.h"
#include <math.h>
#include <string.h>

#define SIMD16_WIDE 0

typedef struct v16 {
    float lane[16];
} v16;
typedef struct w16 {
    uint32_t lane[16];
} w16;

INLINE v16 load16(const float *p) {
    v16 a;
    memcpy(&a, p, sizeof a);
    return a;
}

INLINE v16 load_half16(const uint16_t *p) {
    v16 a;
    for (int i = 0; i < 16; i++) a.lane[i] = half_to_float(p[i]);
    return a;
}

INLINE void store16(float *p, v16 a) {
    memcpy(p, &a, sizeof a);
}

INLINE void store_half16(uint16_t *p, v16 a) {
    for (int i = 0; i < 16; i++) p[i] = half_from_float(a.lane[i]);
}

INLINE v16 set16(float x) {
    v16 a;
    for (int i = 0; i < 16; i++) a.lane[i] = x;
    return a;
}

INLINE v16 fma16(v16 a, v16 b, v16 c) {
    for (int i = 0; i < 16; i++) c.lane[i] = fmaf(a.lane[i], b.lane[i], c.lane[i]);
    return c;
}

INLINE v16 add16(v16 a, v16 b) {
    for (int i = 0; i < 16; i++) a.lane[i] += b.lane[i];
    return a;
}

INLINE v16 sub16(v16 a, v16 b) {
    for (int i = 0; i < 16; i++) a.lane[i] -= b.lane[i];
    return a;
}

INLINE v16 mul16(v16 a, v16 b) {
    for (int i = 0; i < 16; i++) a.lane[i] *= b.lane[i];
    return a;
}

INLINE v16 div16(v16 a, v16 b) {
    for (int i = 0; i < 16; i++) a.lane[i] /= b.lane[i];
    return a;
}

INLINE v16 sqrt16(v16 a) {
    for (int i = 0; i < 16; i++) a.lane[i] = sqrtf(a.lane[i]);
    return a;
}

INLINE v16 abs16(v16 a) {
    for (int i = 0; i < 16; i++) a.lane[i] = fabsf(a.lane[i]);
    return a;
}

INLINE v16 max16(v16 a, v16 b) {
    for (int i = 0; i < 16; i++) a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
    return a;
}

INLINE v16 min16(v16 a, v16 b) {
    for (int i = 0; i < 16; i++) a.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
    return a;
}

INLINE v16 select_lt16(v16 a, v16 b, v16 x, v16 y) {
    for (int i = 0; i < 16; i++) y.lane[i] = a.lane[i] < b.lane[i] ? x.lane[i] : y.lane[i];
    return y;
}

INLINE v16 zero_if_lt16(v16 a, v16 b, v16 x) {
    for (int i = 0; i < 16; i++) x.lane[i] = a.lane[i] < b.lane[i] ? 0 : x.lane[i];
    return x;
}

INLINE v16 first16(long n, v16 x, v16 y) {
    for (int i = 0; i < 16; i++) y.lane[i] = i < n ? x.lane[i] : y.lane[i];
    return y;
}

INLINE v16 zip_low16(v16 a, v16 b) {
    v16 r;
    for (int i = 0; i < 16; i++) r.lane[i] = i % 2 ? b.lane[i / 2] : a.lane[i / 2];
    return r;
}

INLINE v16 zip_high16(v16 a, v16 b) {
    v16 r;
    for (int i = 0; i < 16; i++) r.lane[i] = i % 2 ? b.lane[8 + i / 2] : a.lane[8 + i / 2];
    return r;
}

INLINE v16 pow2_16(v16 t) {
    uint32_t bits[16];
    memcpy(bits, &t, sizeof bits);
    for (int i = 0; i < 16; i++) bits[i] = (bits[i] << 23) + 0x3f800000u;
    memcpy(&t, bits, sizeof bits);
    return t;
}

INLINE float sum16(v16 a) {
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++) a.lane[i] += a.lane[i + half];
    return a.lane[0];
}

INLINE float max_of16(v16 a) {
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            a.lane[i] = a.lane[i] > a.lane[i + half] ? a.lane[i] : a.lane[i + half];
    return a.lane[0];
}

INLINE w16 load_w16(const uint32_t *p) {
    w16 a;
    memcpy(&a, p, sizeof a);
    return a;
}

INLINE w16 set_w16(uint32_t x) {
    w16 a;
    for (int i = 0; i < 16; i++) a.lane[i] = x;
    return a;
}

INLINE w16 xor3_w16(w16 a, w16 b, w16 c) {
    for (int i = 0; i < 16; i++) a.lane[i] ^= b.lane[i] ^ c.lane[i];
    return a;
}

INLINE w16 low_half_w16(w16 a) {
    for (int i = 0; i < 16; i++) a.lane[i] &= 0xffff;
    return a;
}

INLINE w16 high_half_w16(w16 a) {
    for (int i = 0; i < 16; i++) a.lane[i] >>= 16;
    return a;
}

INLINE v16 keep_below16(w16 a, w16 limit, v16 x) {
    for (int i = 0; i < 16; i++) x.lane[i] = (int32_t)a.lane[i] < (int32_t)limit.lane[i] ? x.lane[i] : 0;
    return x;
}

INLINE v16 float_w16(w16 a) {
    v16 x;
    for (int i = 0; i < 16; i++) x.lane[i] = (float)(int32_t)a.lane[i];
    return x;
}

INLINE void store_bytes16(int8_t *p, v16 a) {
    uint32_t bits[16];
    memcpy(bits, &a, sizeof bits);
    for (int i = 0; i < 16; i++) p[i] = (int8_t)bits[i];
}

INLINE w16 dot_start16(int n) {
    return set_w16((uint32_t)(-128 * n));
}

INLINE w16 dot16(w16 s, w16 a, w16 b) {
    const uint8_t *left = (const uint8_t *)a.lane;
    const int8_t *right = (const int8_t *)b.lane;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 4; j++) s.lane[i] += (uint32_t)(left[4 * i + j] * right[4 * i + j]);
    return s;
}

INLINE uint64_t get_d8(w16 a, int i) {
    return (uint64_t)a.lane[2 * i + 1] << 32 | a.lane[2 * i];
}

INLINE void put_d8(w16 *a, int i, uint64_t x) {
    a->lane[2 * i] = (uint32_t)x;
    a->lane[2 * i + 1] = (uint32_t)(x >> 32);
}

INLINE w16 set_d8(uint64_t x) {
    w16 a;
    for (int i = 0; i < 8; i++) put_d8(&a, i, x);
    return a;
}

INLINE w16 add_d8(w16 a, w16 b) {
    for (int i = 0; i < 8; i++) put_d8(&a, i, get_d8(a, i) + get_d8(b, i));
    return a;
}

INLINE w16 product_d8(w16 a, w16 b) {
    for (int i = 0; i < 8; i++) put_d8(&a, i, (uint64_t)a.lane[2 * i] * b.lane[2 * i]);
    return a;
}

INLINE w16 high_d8(w16 a) {
    for (int i = 0; i < 8; i++) put_d8(&a, i, a.lane[2 * i + 1]);
    return a;
}

INLINE w16 pair_d8(w16 low, w16 high) {
    for (int i = 0; i < 8; i++) low.lane[2 * i + 1] = high.lane[2 * i];
    return low;
}
#endif
