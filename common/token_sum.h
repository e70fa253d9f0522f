/* What tells one sequence of tokens from another: their number, and zlib's CRC-32 of the ids. These are
 * little-endian, of 16 bits from a token file and of 32 from a text. */
#ifndef TOKEN_SUM_H
#define TOKEN_SUM_H
#include <stdint.h>

typedef struct token_sum {
    uint64_t count;
    uint32_t crc;
} token_sum;
#endif
