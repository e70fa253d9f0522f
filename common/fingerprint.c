#include "parameters.h"
#include <zlib.h>

uint32_t parameters_fingerprint(const parameter_table *table, const float *block) {
    uLong crc = crc32(0, NULL, 0);
    for (size_t i = 0; i < table->count; i++) {
        const parameter *p = &table->list[i];
        for (int r = 0; r < p->rows; r++)
            crc = crc32_z(crc, (const Bytef *)(block + p->offset + (size_t)r * p->stride),
                          (size_t)p->cols * sizeof(float));
    }
    return (uint32_t)crc;
}
