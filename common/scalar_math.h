/* Scalar functions in double whose last bit must not depend on the machine: built from IEEE add,
 * multiply, divide and square root only (glibc's choose another algorithm on another processor).
 * Within 2 ulp unless said otherwise. */
#ifndef SCALAR_MATH_H
#define SCALAR_MATH_H
#include <stdint.h>

double exact_exp(double x);               /* 0 below -745, infinity above 709.8; NaN stays NaN */
double exact_log(double x);               /* natural logarithm; -infinity at 0, NaN below */
double exact_cos_turn(double turns);      /* cos(2 pi turns) for |turns| < 2^50, error below 4e-16 absolute */
double exact_power(double x, uint64_t n); /* x^n by squaring: each product rounded once */
#endif
