/* Sixteen lanes in two AVX2 registers; simd16.h says what each function does. */
#ifndef SIMD16_AVX2_H
#define SIMD16_AVX2_H
#include "simd16_x86.h"

#define SIMD16_WIDE 1

typedef struct v16 {
    __m256 lo, hi;
} v16;
typedef struct w16 {
    __m256i lo, hi;
} w16;

INLINE v16 load16(const float *p) {
    return (v16){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}

INLINE v16 load_half16(const uint16_t *p) {
    return (v16){_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)),
                 _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p + 8)))};
}

INLINE void store16(float *p, v16 a) {
    _mm256_storeu_ps(p, a.lo);
    _mm256_storeu_ps(p + 8, a.hi);
}

INLINE void store_half16(uint16_t *p, v16 a) {
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(a.lo, _MM_FROUND_TO_NEAREST_INT));
    _mm_storeu_si128((__m128i *)(p + 8), _mm256_cvtps_ph(a.hi, _MM_FROUND_TO_NEAREST_INT));
}

INLINE v16 set16(float x) {
    return (v16){_mm256_set1_ps(x), _mm256_set1_ps(x)};
}

INLINE v16 fma16(v16 a, v16 b, v16 c) {
    return (v16){_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)};
}

INLINE v16 add16(v16 a, v16 b) {
    return (v16){_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)};
}

INLINE v16 sub16(v16 a, v16 b) {
    return (v16){_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)};
}

INLINE v16 mul16(v16 a, v16 b) {
    return (v16){_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)};
}

INLINE v16 div16(v16 a, v16 b) {
    return (v16){_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)};
}

INLINE v16 sqrt16(v16 a) {
    return (v16){_mm256_sqrt_ps(a.lo), _mm256_sqrt_ps(a.hi)};
}

INLINE v16 abs16(v16 a) {
    __m256 sign = _mm256_set1_ps(-0.0f);
    return (v16){_mm256_andnot_ps(sign, a.lo), _mm256_andnot_ps(sign, a.hi)};
}

INLINE v16 max16(v16 a, v16 b) {
    return (v16){_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)};
}

INLINE v16 min16(v16 a, v16 b) {
    return (v16){_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)};
}

INLINE __m256 select_lt8(__m256 a, __m256 b, __m256 x, __m256 y) {
    return _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

INLINE v16 select_lt16(v16 a, v16 b, v16 x, v16 y) {
    return (v16){select_lt8(a.lo, b.lo, x.lo, y.lo), select_lt8(a.hi, b.hi, x.hi, y.hi)};
}

INLINE __m256 zero_if_lt8(__m256 a, __m256 b, __m256 x) {
    return _mm256_andnot_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ), x);
}

INLINE v16 zero_if_lt16(v16 a, v16 b, v16 x) {
    return (v16){zero_if_lt8(a.lo, b.lo, x.lo), zero_if_lt8(a.hi, b.hi, x.hi)};
}

INLINE __m256 first8(int n, __m256 x, __m256 y) {
    __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_blendv_ps(y, x, _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(n), lane)));
}

INLINE v16 first16(long n, v16 x, v16 y) {
    int lanes = n >= 16 ? 16 : n <= 0 ? 0 : (int)n;
    return (v16){first8(lanes, x.lo, y.lo), first8(lanes - 8, x.hi, y.hi)};
}

INLINE __m256 pow2_8(__m256 t) {
    __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(t), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(exponent, _mm256_set1_epi32(0x3f800000)));
}

INLINE v16 zip_of8(__m256 a, __m256 b) {
    __m256 even = _mm256_unpacklo_ps(a, b), odd = _mm256_unpackhi_ps(a, b); /* fours of each half */
    return (v16){_mm256_permute2f128_ps(even, odd, 0x20), _mm256_permute2f128_ps(even, odd, 0x31)};
}

INLINE v16 zip_low16(v16 a, v16 b) {
    return zip_of8(a.lo, b.lo);
}

INLINE v16 zip_high16(v16 a, v16 b) {
    return zip_of8(a.hi, b.hi);
}

INLINE v16 pow2_16(v16 t) {
    return (v16){pow2_8(t.lo), pow2_8(t.hi)};
}

INLINE float sum16(v16 a) {
    return sum_of8(_mm256_add_ps(a.lo, a.hi));
}

INLINE float max_of16(v16 a) {
    return max_of8(_mm256_max_ps(a.lo, a.hi));
}

INLINE w16 load_w16(const uint32_t *p) {
    return (w16){_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)(p + 8))};
}

INLINE w16 set_w16(uint32_t x) {
    return (w16){_mm256_set1_epi32((int)x), _mm256_set1_epi32((int)x)};
}

INLINE w16 xor3_w16(w16 a, w16 b, w16 c) {
    return (w16){_mm256_xor_si256(a.lo, _mm256_xor_si256(b.lo, c.lo)),
                 _mm256_xor_si256(a.hi, _mm256_xor_si256(b.hi, c.hi))};
}

INLINE w16 low_half_w16(w16 a) {
    __m256i mask = _mm256_set1_epi32(0xffff);
    return (w16){_mm256_and_si256(a.lo, mask), _mm256_and_si256(a.hi, mask)};
}

INLINE w16 high_half_w16(w16 a) {
    return (w16){_mm256_srli_epi32(a.lo, 16), _mm256_srli_epi32(a.hi, 16)};
}

INLINE __m256 keep_below8(__m256i a, __m256i limit, __m256 x) {
    return _mm256_and_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(limit, a)), x);
}

INLINE v16 keep_below16(w16 a, w16 limit, v16 x) {
    return (v16){keep_below8(a.lo, limit.lo, x.lo), keep_below8(a.hi, limit.hi, x.hi)};
}

INLINE v16 float_w16(w16 a) {
    return (v16){_mm256_cvtepi32_ps(a.lo), _mm256_cvtepi32_ps(a.hi)};
}

/* The lowest bytes of four words end up in each half's first word. */
INLINE __m128i low_bytes8(__m256 a) {
    __m256i first = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12,
                                     -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    __m256i bytes = _mm256_shuffle_epi8(_mm256_castps_si256(a), first);
    return _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
}

INLINE void store_bytes16(int8_t *p, v16 a) {
    _mm_storeu_si128((__m128i *)p, _mm_unpacklo_epi64(low_bytes8(a.lo), low_bytes8(a.hi)));
}

INLINE w16 dot_start16(int n) {
    (void)n; /* dot8 takes the 128 away itself */
    return (w16){_mm256_setzero_si256(), _mm256_setzero_si256()};
}

/* |a| (b with a's sign): two products of at most 128 x 127 fit 16 bits, where 255 x 127 would not. */
INLINE __m256i dot8(__m256i s, __m256i a, __m256i b) {
    __m256i q = _mm256_xor_si256(a, _mm256_set1_epi8(-128));
    __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(q), _mm256_sign_epi8(b, q));
    return _mm256_add_epi32(s, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

INLINE w16 dot16(w16 s, w16 a, w16 b) {
    return (w16){dot8(s.lo, a.lo, b.lo), dot8(s.hi, a.hi, b.hi)};
}

INLINE w16 set_d8(uint64_t x) {
    return (w16){_mm256_set1_epi64x((long long)x), _mm256_set1_epi64x((long long)x)};
}

INLINE w16 add_d8(w16 a, w16 b) {
    return (w16){_mm256_add_epi64(a.lo, b.lo), _mm256_add_epi64(a.hi, b.hi)};
}

INLINE w16 product_d8(w16 a, w16 b) {
    return (w16){_mm256_mul_epu32(a.lo, b.lo), _mm256_mul_epu32(a.hi, b.hi)};
}

INLINE w16 high_d8(w16 a) {
    return (w16){_mm256_srli_epi64(a.lo, 32), _mm256_srli_epi64(a.hi, 32)};
}

INLINE __m256i pair_d4(__m256i low, __m256i high) {
    return _mm256_blend_epi32(low, _mm256_slli_epi64(high, 32), 0xaa);
}

INLINE w16 pair_d8(w16 low, w16 high) {
    return (w16){pair_d4(low.lo, high.lo), pair_d4(low.hi, high.hi)};
}
#endif
