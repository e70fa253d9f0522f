#include "narrow.h"

const char *const weight_names[] = {"f32", "f16", "int8", NULL};
