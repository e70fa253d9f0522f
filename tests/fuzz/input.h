/* What the fuzz targets share. A target is a program of its own, fuzz_NAME.c, with the one function below:
 * under libFuzzer (make fuzz) it is called with mutated inputs, in make test with the files of seeds/NAME and
 * regressions/NAME (replay.c). What it must find is a crash, a report of the sanitizers, or a false `must`.
 */
#ifndef INPUT_H
#define INPUT_H
#include "problem.h"
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts, saying what is wrong, unless `ok`. */
void must(bool ok, const char *what);

/* What every refusal has to be: bad input, told in one line of printable UTF-8. */
void must_refuse(const problem *why);

/* Writes the bytes to a file of that name in a directory that goes when the program ends; its path, good
 * until the next call. */
const char *input_file(const char *name, const void *bytes, size_t size);

/* A copy of the bytes with a 0 after them; free(). */
char *input_text(const uint8_t *data, size_t size);
#endif
