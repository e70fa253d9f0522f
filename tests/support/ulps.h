/* Errors in units in the last place: of the float (or double) nearest to `want`, subnormal ones included. */
#ifndef ULPS_H
#define ULPS_H

double float_ulps(float got, double want);
double double_ulps(double got, long double want);
#endif
