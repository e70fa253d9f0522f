#include "ulps.h"
#include <math.h>

/* Numbers of `digits` binary digits whose smallest normal one is 2^lowest. */
static double ulps(long double got, long double want, int digits, int lowest) {
    if (got == want) return 0;
    int exponent = want == 0 ? lowest : ilogbl(want);
    if (exponent < lowest) exponent = lowest;
    return (double)(fabsl(got - want) / ldexpl(1, exponent - digits + 1));
}

double float_ulps(float got, double want) {
    return ulps(got, want, 24, -126);
}

double double_ulps(double got, long double want) {
    return ulps(got, want, 53, -1022);
}
