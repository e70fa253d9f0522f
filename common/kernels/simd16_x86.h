/* What simd16_avx512.h and simd16_avx2.h share: the lower part of the tree over lanes. */
#ifndef SIMD16_X86_H
#define SIMD16_X86_H
#include <immintrin.h>

INLINE float sum_of8(__m256 a) {
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    __m128 one = _mm_add_ps(two, _mm_movehdup_ps(two));
    return _mm_cvtss_f32(one);
}

INLINE float max_of8(__m256 a) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    __m128 one = _mm_max_ps(two, _mm_movehdup_ps(two));
    return _mm_cvtss_f32(one);
}
#endif
