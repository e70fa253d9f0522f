/* The shapes of well-known models, for measuring without their weights. */
#ifndef NAMED_SHAPE_H
#define NAMED_SHAPE_H
#include "shape.h"

/* Their names, then NULL. */
extern const char *const shape_names[];

/* The shape of shape_names[i]. */
shape named_shape(int i);
#endif
