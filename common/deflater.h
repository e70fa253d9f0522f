/* Raw deflate (RFC 1951) of a sequence of bytes, made by all threads of a team: pieces of a fixed size are
 * compressed each for itself and follow one another, so the bytes do not depend on how many threads there
 * are.
 *
 * Matches are looked for one byte back alone (zlib's Z_RLE): floats that have been learned hardly repeat, and
 * what they have in common, their exponents, Huffman's code finds. On trained weights zlib's level 1 takes
 * three times as long and saves less. */
#ifndef DEFLATER_H
#define DEFLATER_H
#include "problem.h"
#include "team.h"
#include <stdint.h>

typedef struct deflater deflater;

/* Bytes offset..offset+count of what is to be compressed, to `out`. Called by any thread. */
typedef void deflater_input(const void *context, uint64_t offset, void *out, size_t count);

/* The team is borrowed; NULL: the caller works alone. NULL and a message without memory. */
deflater *deflater_open(team *t, problem *why);
void deflater_close(deflater *d);

/* Begins another sequence, of `size` bytes. */
void deflater_begin(deflater *d, deflater_input *input, const void *context, uint64_t size);

/* The next compressed bytes, at least one and at most `most`, to `out`; 0: that was all of them. */
size_t deflater_read(deflater *d, void *out, size_t most);

/* The CRC-32 of the bytes that have been compressed. */
uint32_t deflater_crc(const deflater *d);
#endif
