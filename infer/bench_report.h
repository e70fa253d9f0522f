/* What `bench` prints. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H
#include "bench_measure.h"

void bench_print_tables(const bench_figures *f, const char *name, const char *run);
void bench_write_json(const bench_figures *f, const char *name, const char *run);
#endif
