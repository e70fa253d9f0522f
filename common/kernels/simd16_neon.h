/* Sixteen lanes in four NEON registers; simd16.h says what each function does. */
#ifndef SIMD16_NEON_H
#define SIMD16_NEON_H
#include <arm_neon.h>

#define SIMD16_WIDE 1

typedef struct v16 {
    float32x4_t q[4];
} v16;
typedef struct w16 {
    uint32x4_t q[4];
} w16;

INLINE v16 load16(const float *p) {
    return (v16){{vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)}};
}

INLINE v16 load_half16(const uint16_t *p) {
    v16 a;
    for (int i = 0; i < 4; i++) a.q[i] = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p + 4 * i)));
    return a;
}

INLINE void store16(float *p, v16 a) {
    for (int i = 0; i < 4; i++) vst1q_f32(p + 4 * i, a.q[i]);
}

INLINE void store_half16(uint16_t *p, v16 a) {
    for (int i = 0; i < 4; i++) vst1_u16(p + 4 * i, vreinterpret_u16_f16(vcvt_f16_f32(a.q[i])));
}

INLINE v16 set16(float x) {
    float32x4_t four = vdupq_n_f32(x);
    return (v16){{four, four, four, four}};
}

INLINE v16 fma16(v16 a, v16 b, v16 c) {
    for (int i = 0; i < 4; i++) c.q[i] = vfmaq_f32(c.q[i], a.q[i], b.q[i]);
    return c;
}

INLINE v16 add16(v16 a, v16 b) {
    for (int i = 0; i < 4; i++) a.q[i] = vaddq_f32(a.q[i], b.q[i]);
    return a;
}

INLINE v16 sub16(v16 a, v16 b) {
    for (int i = 0; i < 4; i++) a.q[i] = vsubq_f32(a.q[i], b.q[i]);
    return a;
}

INLINE v16 mul16(v16 a, v16 b) {
    for (int i = 0; i < 4; i++) a.q[i] = vmulq_f32(a.q[i], b.q[i]);
    return a;
}

INLINE v16 div16(v16 a, v16 b) {
    for (int i = 0; i < 4; i++) a.q[i] = vdivq_f32(a.q[i], b.q[i]);
    return a;
}

INLINE v16 sqrt16(v16 a) {
    for (int i = 0; i < 4; i++) a.q[i] = vsqrtq_f32(a.q[i]);
    return a;
}

INLINE v16 abs16(v16 a) {
    for (int i = 0; i < 4; i++) a.q[i] = vabsq_f32(a.q[i]);
    return a;
}

INLINE float32x4_t select_lt4(float32x4_t a, float32x4_t b, float32x4_t x, float32x4_t y) {
    return vbslq_f32(vcltq_f32(a, b), x, y);
}

INLINE v16 select_lt16(v16 a, v16 b, v16 x, v16 y) {
    for (int i = 0; i < 4; i++) y.q[i] = select_lt4(a.q[i], b.q[i], x.q[i], y.q[i]);
    return y;
}

/* Not vmaxq_f32 and vminq_f32, which give a NaN where either is one and order the zeros. */
INLINE v16 max16(v16 a, v16 b) {
    return select_lt16(b, a, a, b);
}

INLINE v16 min16(v16 a, v16 b) {
    return select_lt16(a, b, a, b);
}

INLINE v16 zero_if_lt16(v16 a, v16 b, v16 x) {
    return select_lt16(a, b, set16(0), x);
}

INLINE v16 first16(long n, v16 x, v16 y) {
    static const int32_t lane[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    int32x4_t lanes = vdupq_n_s32(n >= 16 ? 16 : n <= 0 ? 0 : (int32_t)n);
    for (int i = 0; i < 4; i++) y.q[i] = vbslq_f32(vcltq_s32(vld1q_s32(lane + 4 * i), lanes), x.q[i], y.q[i]);
    return y;
}

INLINE float32x4_t pow2_4(float32x4_t t) {
    uint32x4_t exponent = vshlq_n_u32(vreinterpretq_u32_f32(t), 23);
    return vreinterpretq_f32_u32(vaddq_u32(exponent, vdupq_n_u32(0x3f800000)));
}

INLINE v16 zip_low16(v16 a, v16 b) {
    return (v16){{vzip1q_f32(a.q[0], b.q[0]), vzip2q_f32(a.q[0], b.q[0]), vzip1q_f32(a.q[1], b.q[1]),
                  vzip2q_f32(a.q[1], b.q[1])}};
}

INLINE v16 zip_high16(v16 a, v16 b) {
    return (v16){{vzip1q_f32(a.q[2], b.q[2]), vzip2q_f32(a.q[2], b.q[2]), vzip1q_f32(a.q[3], b.q[3]),
                  vzip2q_f32(a.q[3], b.q[3])}};
}

INLINE v16 pow2_16(v16 t) {
    for (int i = 0; i < 4; i++) t.q[i] = pow2_4(t.q[i]);
    return t;
}

INLINE float sum16(v16 a) {
    float32x4_t low = vaddq_f32(a.q[0], a.q[2]), high = vaddq_f32(a.q[1], a.q[3]);
    float32x4_t four = vaddq_f32(low, high);
    float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}

INLINE float max_of16(v16 a) {
    float32x4_t low = select_lt4(a.q[2], a.q[0], a.q[0], a.q[2]);
    float32x4_t high = select_lt4(a.q[3], a.q[1], a.q[1], a.q[3]);
    float32x4_t four = select_lt4(high, low, low, high);
    float32x2_t x = vget_low_f32(four), y = vget_high_f32(four), two = vbsl_f32(vcgt_f32(x, y), x, y);
    float even = vget_lane_f32(two, 0), odd = vget_lane_f32(two, 1);
    return even > odd ? even : odd;
}

INLINE w16 load_w16(const uint32_t *p) {
    return (w16){{vld1q_u32(p), vld1q_u32(p + 4), vld1q_u32(p + 8), vld1q_u32(p + 12)}};
}

INLINE w16 set_w16(uint32_t x) {
    uint32x4_t four = vdupq_n_u32(x);
    return (w16){{four, four, four, four}};
}

INLINE w16 xor3_w16(w16 a, w16 b, w16 c) {
    for (int i = 0; i < 4; i++) a.q[i] = veorq_u32(a.q[i], veorq_u32(b.q[i], c.q[i]));
    return a;
}

INLINE w16 low_half_w16(w16 a) {
    for (int i = 0; i < 4; i++) a.q[i] = vandq_u32(a.q[i], vdupq_n_u32(0xffff));
    return a;
}

INLINE w16 high_half_w16(w16 a) {
    for (int i = 0; i < 4; i++) a.q[i] = vshrq_n_u32(a.q[i], 16);
    return a;
}

INLINE float32x4_t keep_below4(uint32x4_t a, uint32x4_t limit, float32x4_t x) {
    uint32x4_t keep = vcltq_s32(vreinterpretq_s32_u32(a), vreinterpretq_s32_u32(limit));
    return vreinterpretq_f32_u32(vandq_u32(keep, vreinterpretq_u32_f32(x)));
}

INLINE v16 keep_below16(w16 a, w16 limit, v16 x) {
    for (int i = 0; i < 4; i++) x.q[i] = keep_below4(a.q[i], limit.q[i], x.q[i]);
    return x;
}

INLINE v16 float_w16(w16 a) {
    v16 x;
    for (int i = 0; i < 4; i++) x.q[i] = vcvtq_f32_s32(vreinterpretq_s32_u32(a.q[i]));
    return x;
}

INLINE uint16x8_t low_halves8(float32x4_t a, float32x4_t b) {
    return vcombine_u16(vmovn_u32(vreinterpretq_u32_f32(a)), vmovn_u32(vreinterpretq_u32_f32(b)));
}

INLINE void store_bytes16(int8_t *p, v16 a) {
    uint8x8_t low = vmovn_u16(low_halves8(a.q[0], a.q[1])), high = vmovn_u16(low_halves8(a.q[2], a.q[3]));
    vst1q_s8(p, vreinterpretq_s8_u8(vcombine_u8(low, high)));
}

INLINE w16 dot_start16(int n) {
    (void)n; /* dot4 takes the 128 away itself */
    return set_w16(0);
}

INLINE uint32x4_t dot4(uint32x4_t s, uint32x4_t a, uint32x4_t b) {
    int8x16_t q = vreinterpretq_s8_u8(veorq_u8(vreinterpretq_u8_u32(a), vdupq_n_u8(128)));
    int8x16_t x = vreinterpretq_s8_u32(b);
    int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(q), vget_low_s8(x)));
    int32x4_t high = vpaddlq_s16(vmull_s8(vget_high_s8(q), vget_high_s8(x)));
    return vaddq_u32(s, vreinterpretq_u32_s32(vpaddq_s32(low, high)));
}

INLINE w16 dot16(w16 s, w16 a, w16 b) {
    for (int i = 0; i < 4; i++) s.q[i] = dot4(s.q[i], a.q[i], b.q[i]);
    return s;
}

INLINE w16 set_d8(uint64_t x) {
    uint32x4_t two = vreinterpretq_u32_u64(vdupq_n_u64(x));
    return (w16){{two, two, two, two}};
}

INLINE uint32x4_t add_d2(uint32x4_t a, uint32x4_t b) {
    return vreinterpretq_u32_u64(vaddq_u64(vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b)));
}

INLINE w16 add_d8(w16 a, w16 b) {
    for (int i = 0; i < 4; i++) a.q[i] = add_d2(a.q[i], b.q[i]);
    return a;
}

INLINE uint32x4_t product_d2(uint32x4_t a, uint32x4_t b) {
    uint32x2_t low_a = vmovn_u64(vreinterpretq_u64_u32(a)), low_b = vmovn_u64(vreinterpretq_u64_u32(b));
    return vreinterpretq_u32_u64(vmull_u32(low_a, low_b));
}

INLINE w16 product_d8(w16 a, w16 b) {
    for (int i = 0; i < 4; i++) a.q[i] = product_d2(a.q[i], b.q[i]);
    return a;
}

INLINE w16 high_d8(w16 a) {
    for (int i = 0; i < 4; i++)
        a.q[i] = vreinterpretq_u32_u64(vshrq_n_u64(vreinterpretq_u64_u32(a.q[i]), 32));
    return a;
}

INLINE uint32x4_t pair_d2(uint32x4_t low, uint32x4_t high) {
    return vreinterpretq_u32_u64(vsliq_n_u64(vreinterpretq_u64_u32(low), vreinterpretq_u64_u32(high), 32));
}

INLINE w16 pair_d8(w16 low, w16 high) {
    for (int i = 0; i < 4; i++) low.q[i] = pair_d2(low.q[i], high.q[i]);
    return low;
}
#endif
