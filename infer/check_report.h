/* The lines of an equivalence table, printed as they come: as a table or as JSON. */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H
#include "compare.h"
#include "json.h"

typedef enum { PASS, FAIL, CAUGHT, NOT_CAUGHT, INFORMATION, NOT_APPLICABLE } verdict;

typedef struct finding {
    const char *what;
    char where[200]; /* which sizes or positions were walked */
    comparison seen;
    double limit; /* the largest difference that passes; 0: bits must be equal */
    verdict verdict;
} finding;

typedef struct report {
    bool as_json;
    json json;
    int lines, failed;
} report;

report report_open(bool as_json, const char *model, const char *description);
void report_close(report *r, bool complete); /* else something could not be run */

/* Gives a finding its verdict and prints it. Nothing compared is a failure. */
void report_equal(report *r, finding *f);  /* passes when all bits are equal, or within the limit */
void report_caught(report *r, finding *f); /* passes when something is unequal: a fault was built in */
void report_information(report *r, finding *f);
void report_skipped(report *r, const char *what, const char *reason); /* does not apply */

/* The sizes or positions of a finding, as for printf. */
void found_at(finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
