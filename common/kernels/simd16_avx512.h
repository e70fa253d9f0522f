/* Sixteen lanes in one AVX-512 register; simd16.h says what each function does. */
#ifndef SIMD16_AVX512_H
#define SIMD16_AVX512_H
#include "simd16_x86.h"

#define SIMD16_WIDE 2

typedef __m512 v16;
typedef __m512i w16;

INLINE v16 load16(const float *p) {
    return _mm512_loadu_ps(p);
}

INLINE v16 load_half16(const uint16_t *p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}

INLINE void store16(float *p, v16 a) {
    _mm512_storeu_ps(p, a);
}

INLINE void store_half16(uint16_t *p, v16 a) {
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}

INLINE v16 set16(float x) {
    return _mm512_set1_ps(x);
}

INLINE v16 fma16(v16 a, v16 b, v16 c) {
    return _mm512_fmadd_ps(a, b, c);
}

INLINE v16 add16(v16 a, v16 b) {
    return _mm512_add_ps(a, b);
}

INLINE v16 sub16(v16 a, v16 b) {
    return _mm512_sub_ps(a, b);
}

INLINE v16 mul16(v16 a, v16 b) {
    return _mm512_mul_ps(a, b);
}

INLINE v16 div16(v16 a, v16 b) {
    return _mm512_div_ps(a, b);
}

INLINE v16 sqrt16(v16 a) {
    return _mm512_sqrt_ps(a);
}

INLINE v16 abs16(v16 a) {
    return _mm512_abs_ps(a);
}

INLINE v16 max16(v16 a, v16 b) {
    return _mm512_max_ps(a, b);
}

INLINE v16 min16(v16 a, v16 b) {
    return _mm512_min_ps(a, b);
}

INLINE v16 select_lt16(v16 a, v16 b, v16 x, v16 y) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x);
}

INLINE v16 zero_if_lt16(v16 a, v16 b, v16 x) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, b, _CMP_NLT_UQ), x);
}

INLINE v16 first16(long n, v16 x, v16 y) {
    uint32_t lanes = n >= 16 ? 0xffffu : n <= 0 ? 0 : (1u << n) - 1;
    return _mm512_mask_blend_ps((__mmask16)lanes, y, x);
}

INLINE v16 zip_low16(v16 a, v16 b) {
    const __m512i lanes = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(a, lanes, b);
}

INLINE v16 zip_high16(v16 a, v16 b) {
    const __m512i lanes = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return _mm512_permutex2var_ps(a, lanes, b);
}

INLINE v16 pow2_16(v16 t) {
    __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(t), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(exponent, _mm512_set1_epi32(0x3f800000)));
}

INLINE float sum16(v16 a) {
    return sum_of8(_mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1)));
}

INLINE float max_of16(v16 a) {
    return max_of8(_mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1)));
}

INLINE w16 load_w16(const uint32_t *p) {
    return _mm512_loadu_si512(p);
}

INLINE w16 set_w16(uint32_t x) {
    return _mm512_set1_epi32((int)x);
}

INLINE w16 xor3_w16(w16 a, w16 b, w16 c) {
    return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}

INLINE w16 low_half_w16(w16 a) {
    return _mm512_and_si512(a, _mm512_set1_epi32(0xffff));
}

INLINE w16 high_half_w16(w16 a) {
    return _mm512_srli_epi32(a, 16);
}

INLINE v16 keep_below16(w16 a, w16 limit, v16 x) {
    return _mm512_maskz_mov_ps(_mm512_cmplt_epi32_mask(a, limit), x);
}

INLINE v16 float_w16(w16 a) {
    return _mm512_cvtepi32_ps(a);
}

INLINE void store_bytes16(int8_t *p, v16 a) {
    _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8(_mm512_castps_si512(a)));
}

INLINE w16 dot_start16(int n) {
    return _mm512_set1_epi32(-128 * n);
}

/* _mm512_dpbusd_epi32, of whose sums gcc 12 keeps many in memory. */
INLINE w16 dot16(w16 s, w16 a, w16 b) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(s) : "v"(a), "v"(b));
    return s;
}

INLINE w16 set_d8(uint64_t x) {
    return _mm512_set1_epi64((long long)x);
}

INLINE w16 add_d8(w16 a, w16 b) {
    return _mm512_add_epi64(a, b);
}

INLINE w16 product_d8(w16 a, w16 b) {
    return _mm512_mul_epu32(a, b);
}

INLINE w16 high_d8(w16 a) {
    return _mm512_srli_epi64(a, 32);
}

INLINE w16 pair_d8(w16 low, w16 high) {
    return _mm512_mask_blend_epi32(0xaaaa, low, _mm512_slli_epi64(high, 32));
}
#endif
