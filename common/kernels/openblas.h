/* The linear layers' three products through OpenBLAS's sgemm: see kernels.h for what they compute,
 * and blas.h for what must have been loaded. */
#ifndef OPENBLAS_H
#define OPENBLAS_H
#include "kernels.h"

__typeof__(*((const kernels *)NULL)->linear) linear_openblas;
__typeof__(*((const kernels *)NULL)->linear_input_gradient) linear_input_gradient_openblas;
__typeof__(*((const kernels *)NULL)->linear_weight_gradient) linear_weight_gradient_openblas;
#endif
