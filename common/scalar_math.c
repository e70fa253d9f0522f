#include "scalar_math.h"
#include <math.h>
#include <string.h>

/* log 2 in two parts: the product of the first and any exponent is exact. */
static const double LOG_2 = 0x1.62e42fefa38p-1, LOG_2_REST = 0x1.ef35793c7673p-45;

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^k of a normal number. */
static double power_of_two(int64_t k) {
    return from_bits((uint64_t)(k + 1023) << 52);
}

/* The whole number nearest to x, |x| < 2^51: what is left when the sum has no room for a fraction. */
static double nearest(double x) {
    const double shift = 0x1.8p52;
    return x + shift - shift;
}

/* c[0] x^degree + ... + c[degree], by Horner's rule. All coefficients below are minimax fits. */
static double polynomial(double x, int degree, const double *c) {
    double p = c[0];
    for (int i = 1; i <= degree; i++) p = p * x + c[i];
    return p;
}

/* x = k log 2 + r; exp(r) = 1 + r + r^2 q(r). 2^k is applied in halves: it need not be a normal number. */
double exact_exp(double x) {
    static const double q[] = {0x1.af86143215607p-26, 0x1.28b0a6770efb6p-22, 0x1.71dddf7383df1p-19,
                               0x1.a01996316e86cp-16, 0x1.a01a01bb09ccep-13, 0x1.6c16c185ca88bp-10,
                               0x1.111111110d5c4p-7,  0x1.555555554ff94p-5,  0x1.5555555555561p-3,
                               0x1.000000000000cp-1};
    if (isnan(x)) return x;
    if (x > 710) return INFINITY;
    if (x < -746) return 0;
    double k = nearest(x * 0x1.71547652b82fep0);
    double r = x - k * LOG_2 - k * LOG_2_REST;
    int64_t half = (int64_t)k / 2;
    return (1 + (r + r * r * polynomial(r, 9, q))) * power_of_two(half) * power_of_two((int64_t)k - half);
}

/* log(x 2^scale) for a normal x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2). With s = f / (2 + f),
 * log(1 + f) is 2 atanh(s) = 2s + s R(s^2), or f - (f^2/2 - s (f^2/2 + R)), whose largest term is exact. */
static double log_of_normal(double x, int64_t scale) {
    static const double c[] = {0x1.2ef8963b18dd1p-3, 0x1.39a3342ea1334p-3, 0x1.74662dc9c1404p-3,
                               0x1.c71c526c6595bp-3, 0x1.249249415d277p-2, 0x1.9999999980aeap-2,
                               0x1.555555555558fp-1};
    const uint64_t root_half = 0x3fe6a09e667f3bcd; /* the bits of sqrt(1/2) */
    int64_t exponent = (int64_t)(bits_of(x) - root_half) >> 52;
    double f = from_bits(bits_of(x) - ((uint64_t)exponent << 52)) - 1, k = (double)(exponent + scale);
    double s = f / (2 + f), z = s * s, square = 0.5 * f * f;
    double small = s * (square + z * polynomial(z, 6, c)) + k * LOG_2_REST;
    return k * LOG_2 - (square - small - f);
}

double exact_log(double x) {
    if (isnan(x) || x == INFINITY) return x;
    if (x == 0) return -INFINITY;
    if (x < 0) return NAN;
    return x < 0x1p-1022 ? log_of_normal(x * 0x1p54, -54) : log_of_normal(x, 0);
}

/* cos(2 pi t) and sin(2 pi t) for 0 <= t <= 1/8. */
static double cos_of_octant(double t) {
    static const double c[] = {0x1.f3efd0767416ap+2, -0x1.a6ca02625d4cbp+4, 0x1.e1f4fc006552dp+5,
                               -0x1.55d3c7dcbaf1p+6, 0x1.03c1f081b151p+6,   -0x1.3bd3cc9be45a5p+4};
    return 1 + t * t * polynomial(t * t, 5, c);
}

static double sin_of_octant(double t) {
    static const double c[] = {0x1.e39a69155a441p+1,  -0x1.e2ff5077622fp+3, 0x1.50782e7126a98p+5,
                               -0x1.32d2cce135983p+6, 0x1.466bc67756892p+6, -0x1.4abbce625be22p+5,
                               0x1.921fb54442d18p+2};
    return t * polynomial(t * t, 6, c);
}

/* By symmetry: the turns' distance from a whole number, then from a half, then from a quarter, all exact. */
double exact_cos_turn(double turns) {
    double t = fabs(turns - nearest(turns));
    double sign = t > 0.25 ? -1 : 1;
    if (t > 0.25) t = 0.5 - t;
    return sign * (t > 0.125 ? sin_of_octant(0.25 - t) : cos_of_octant(t));
}

double exact_power(double x, uint64_t n) {
    double power = 1;
    for (; n > 0; n /= 2, x *= x)
        if (n % 2) power *= x;
    return power;
}
