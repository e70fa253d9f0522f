/* exp and GELU on sixteen lanes, from the operations of simd16.h alone, so that they have the same bits
 * on every processor. The polynomials are minimax fits with coefficients in float.
 *
 * Each function takes n <= 4 vectors at once, a constant where it is inlined: they share the registers that
 * hold the constants and keep the multipliers busy. VECTORS_AT_ONCE is as many as the registers hold. */
#ifndef VECTOR_MATH_H
#define VECTOR_MATH_H
#include "simd16.h"
#include <stddef.h>

enum { MOST_VECTORS = 4, VECTORS_AT_ONCE = SIMD16_WIDE == 2 ? MOST_VECTORS : 1 };

/* p = c[0] x^degree + ... + c[degree], by Horner's rule. */
INLINE void polynomial16n(const int n, const v16 *x, const int degree, const float *c, v16 *p) {
    for (int k = 0; k < n; k++) p[k] = set16(c[0]);
    UNROLL
    for (int i = 1; i <= degree; i++)
        for (int k = 0; k < n; k++) p[k] = fma16(p[k], x[k], set16(c[i]));
}

/* x = exp(x) for x <= 89: +0 below -87.3, where results would soon be subnormal; infinity from 88.4; NaN for
 * NaN. x = i log 2 + r with i whole and |r| <= log(2) / 2, then 2^i times 1 + r + r^2 (...). The power of two
 * is a factor, not added to the exponent, so that NaN survives. */
INLINE void exp16n(const int n, v16 *x) {
    static const float c[] = {
        0x1.6ac04ap-10f, 0x1.122c38p-7f, 0x1.55579ap-5f, 0x1.5554aap-3f, 0x1.fffffep-2f, 1, 1};
    const v16 shift = set16(0x1.8p23f);
    v16 shifted[MOST_VECTORS], r[MOST_VECTORS], p[MOST_VECTORS];
    for (int k = 0; k < n; k++) shifted[k] = fma16(x[k], set16(0x1.715476p0f), shift);
    for (int k = 0; k < n; k++) {
        v16 i = sub16(shifted[k], shift);
        r[k] = fma16(i, set16(-0x1.62e43p-1f), x[k]); /* log 2 in two parts */
        r[k] = fma16(i, set16(0x1.05c61p-29f), r[k]);
    }
    polynomial16n(n, r, 6, c, p);
    for (int k = 0; k < n; k++) x[k] = zero_if_lt16(x[k], set16(-87.3f), mul16(p[k], pow2_16(shifted[k])));
}

INLINE v16 exp16(v16 x) {
    exp16n(1, &x);
    return x;
}

/* e = exp(-a^2 / 2), the rounding of the square made good. */
INLINE void bell16n(const int n, const v16 *a, v16 *e) {
    v16 lost[MOST_VECTORS];
    for (int k = 0; k < n; k++) {
        v16 half = mul16(a[k], set16(-0.5f));
        e[k] = mul16(half, a[k]);
        lost[k] = fma16(half, a[k], sub16(set16(0), e[k]));
    }
    exp16n(n, e);
    for (int k = 0; k < n; k++) e[k] = fma16(e[k], lost[k], e[k]);
}

/* y = x Phi(x), Phi the normal distribution function, and where slope is not NULL its derivative Phi(x) + x
 * phi(x). The tail Phi(-a) is phi(a) times Mills' ratio, which is p(t) / (a + 2) with t = (a - 2) / (a + 2).
 * gelu(-inf) = -0 and gelu(inf) = inf, with slopes 0 and 1; NaN for NaN. */
INLINE void gelu16n(const int n, const v16 *x, v16 *y, v16 *slope) {
    static const float c[] = {-0x1.1fe20ep-14f, 0x1.619fbep-15f, 0x1.785fa4p-11f,  0x1.c87894p-11f,
                              -0x1.ef6196p-10f, -0x1.ba1d96p-8f, -0x1.fa6db8p-12f, 0x1.2cd11ep-5f,
                              0x1.d7d52p-6f,    -0x1.535bb6p-2f, 0x1.5845dcp-1f};
    v16 z[MOST_VECTORS], a[MOST_VECTORS], e[MOST_VECTORS], u[MOST_VECTORS], t[MOST_VECTORS], p[MOST_VECTORS];
    const v16 edge = set16(14), below = set16(-14); /* past them exp gives 0; and infinity times 0 is a NaN */
    for (int k = 0; k < n; k++) a[k] = abs16(z[k] = min16(edge, max16(below, x[k])));
    bell16n(n, a, e);
    for (int k = 0; k < n; k++) u[k] = div16(set16(1), add16(a[k], set16(2)));
    for (int k = 0; k < n; k++) t[k] = fma16(u[k], set16(-4), set16(1));
    polynomial16n(n, t, 10, c, p);
    for (int k = 0; k < n; k++) {
        v16 tail = mul16(e[k], mul16(u[k], p[k]));
        v16 phi = select_lt16(x[k], set16(0), tail, sub16(set16(1), tail));
        y[k] = mul16(max16(below, x[k]), phi);
        if (slope) slope[k] = fma16(z[k], mul16(e[k], set16(0x1.988454p-2f)), phi);
    }
}

/* y = x s(2u) with u = sqrt(2 / pi) (x + 0.044715 x^3) and s(v) = 1 / (1 + exp(-v)), which is GPT-2's
 * x (1 + tanh u) / 2 without its cancellation; and where slope is not NULL the derivative.
 * Constant below -10, at -1e-37, and infinity for infinity, with slopes 0 and 1; NaN for NaN. */
INLINE void gelu_tanh16n(const int n, const v16 *x, v16 *y, v16 *slope) {
    const float once = -0x1.988454p0f, cubed = -0x1.2444f2p-4f; /* -2u = once x + cubed x^3 */
    v16 z[MOST_VECTORS], square[MOST_VECTORS], e[MOST_VECTORS];
    const v16 edge = set16(10), below = set16(-10);
    for (int k = 0; k < n; k++) {
        z[k] = min16(edge, max16(below, x[k]));
        square[k] = mul16(z[k], z[k]);
        e[k] = mul16(z[k], fma16(square[k], set16(cubed), set16(once)));
    }
    exp16n(n, e);
    for (int k = 0; k < n; k++) {
        v16 s = div16(set16(1), add16(set16(1), e[k]));
        y[k] = mul16(max16(below, x[k]), s);
        v16 du = fma16(square[k], set16(-3 * cubed), set16(-once)), rest = mul16(e[k], s); /* 1 - s */
        if (slope) slope[k] = fma16(mul16(mul16(z[k], s), rest), du, s);
    }
}
#endif
