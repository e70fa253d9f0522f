/* Sixteen float lanes with one meaning on every processor: one register with AVX-512, two with AVX2, four
 * with NEON, a loop over an array without any. The only intrinsics of the project are in the files included
 * below.
 *
 * v16 is sixteen floats, w16 sixteen 32-bit words, which the functions ending in _d8 take as eight 64-bit
 * numbers (number i is word 2i, its low half, and word 2i + 1). Each lane of a result is one IEEE operation,
 * rounded to nearest even. Written for one lane:
 *
 *   load16(p), store16(p, a)        p[0..15]; any alignment
 *   load_half16(p)                  sixteen IEEE halves as floats: exact
 *   store_half16(p, a)              a as halves, to nearest even
 *   set16(x)                        x in every lane
 *   fma16(a, b, c)                  a b + c, rounded once
 *   add16, sub16, mul16, div16      a + b, a - b, a b, a / b
 *   sqrt16(a), abs16(a)             abs16 clears the sign, of a NaN too
 *   max16(a, b)                     a > b ? a : b      so where a or b is a NaN: b
 *   min16(a, b)                     a < b ? a : b      likewise
 *   select_lt16(a, b, x, y)         a < b ? x : y
 *   zero_if_lt16(a, b, x)           a < b ? +0 : x
 *   first16(n, x, y)                lane < n ? x : y   for any n
 *   zip_low16(a, b)                 a[0], b[0], a[1], b[1] .. b[7]
 *   zip_high16(a, b)                a[8], b[8], a[9], b[9] .. b[15]
 *   pow2_16(t)                      2^i for t = 0x1.8p23 + i, -126 <= i <= 127; infinity for i = 128
 *   sum16(a), max_of16(a)           over the lanes, in one tree: l and l + 8, l + 4, l + 2, l + 1
 *
 *   load_w16(p), set_w16(x)
 *   xor3_w16(a, b, c)               a ^ b ^ c
 *   low_half_w16(a)                 a & 0xffff
 *   high_half_w16(a)                a >> 16
 *   keep_below16(a, limit, x)       a < limit ? x : +0, words taken as signed
 *
 *   float_w16(a)                    a, taken as signed, as a float
 *   store_bytes16(p, a)             p[0..15] = the lowest byte of each lane's bits
 *   dot_start16(n)                  what a sum of dot16 begins with; n: the sum of all b's bytes in it
 *   dot16(s, a, b)                  s + the sum of (a's byte - 128) (b's byte, signed) over a lane's four
 *                                   bytes, none of b's being -128. Some processors multiply unsigned bytes
 *                                   by signed ones only.
 *
 *   set_d8(x), add_d8(a, b)         modulo 2^64
 *   product_d8(a, b)                low half of a times low half of b, all 64 bits
 *   high_d8(a)                      a >> 32
 *   pair_d8(low, high)              low half of `high` above low half of `low`
 *
 * SIMD16_WIDE says how much room there is: 2 where one register holds a v16 and there are 32 of them, 1 where
 * a v16 takes several, 0 without vector registers. */
#ifndef SIMD16_H
#define SIMD16_H
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

/* Before a loop of constant length over arrays that are to live in registers. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#if defined SIMD16_PLAIN
#include "simd16_plain.h"
#elif defined __AVX512F__ && defined __AVX512DQ__ && defined __AVX512VNNI__
#include "simd16_avx512.h"
#elif defined __AVX2__ && defined __FMA__
#include "simd16_avx2.h"
#elif defined __ARM_NEON && defined __aarch64__
#include "simd16_neon.h"
#else
#include "simd16_plain.h"
#endif
#endif
