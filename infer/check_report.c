#include "check_report.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const verdicts[] = {"pass",       "FAIL",        "caught",
                                       "NOT CAUGHT", "information", "does not apply"};

void found_at(finding *f, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->where, sizeof f->where, format, arguments);
    va_end(arguments);
}

report report_open(bool as_json, const char *model, const char *description) {
    report r = {.as_json = as_json};
    if (as_json) {
        json_open(&r.json, NULL, '{');
        json_text(&r.json, "model", model);
        json_text(&r.json, "run", description);
        json_open(&r.json, "lines", '[');
    } else
        printf("%s: %s\n\n%-14s  %12s  %10s  %s\n", model, description, "verdict", "difference", "compared",
               "what");
    return r;
}

static void print_line(const finding *f) {
    char difference[32] = "-", limit[48] = "";
    if (f->verdict != NOT_APPLICABLE) snprintf(difference, sizeof difference, "%.3g", f->seen.largest);
    if (f->limit > 0) snprintf(limit, sizeof limit, ", at most %.2g", f->limit);
    printf("%-14s  %12s  %10zu  %s%s%s%s\n", verdicts[f->verdict], difference, f->seen.values, f->what, limit,
           *f->where ? ": " : "", f->where);
    fflush(stdout); /* a line may take seconds: show what is there */
}

static void write_line(json *j, const finding *f) {
    json_open(j, NULL, '{');
    json_text(j, "what", f->what);
    json_text(j, "where", f->where);
    json_text(j, "verdict", verdicts[f->verdict]);
    json_number(j, "compared", (double)f->seen.values);
    json_number(j, "unequal", (double)f->seen.unequal);
    json_number(j, "difference", f->seen.largest);
    json_number(j, "limit", f->limit);
    json_close(j, '}');
}

static void report_as(report *r, finding *f, verdict v) {
    f->verdict = v;
    r->lines++;
    r->failed += v == FAIL || v == NOT_CAUGHT;
    if (r->as_json)
        write_line(&r->json, f);
    else
        print_line(f);
}

void report_equal(report *r, finding *f) {
    bool equal = f->seen.unequal == 0 && f->seen.largest <= f->limit && f->seen.values > 0;
    report_as(r, f, equal ? PASS : FAIL);
}

void report_caught(report *r, finding *f) {
    report_as(r, f, f->seen.unequal > 0 ? CAUGHT : NOT_CAUGHT);
}

void report_information(report *r, finding *f) {
    report_as(r, f, INFORMATION);
}

void report_skipped(report *r, const char *what, const char *reason) {
    finding f = {.what = what};
    found_at(&f, "%s", reason);
    report_as(r, &f, NOT_APPLICABLE);
}

void report_close(report *r, bool complete) {
    if (r->as_json) {
        json_close(&r->json, ']');
        json_bool(&r->json, "passed", complete && r->failed == 0);
        json_close(&r->json, '}');
        putchar('\n');
    } else
        printf("\n%d lines, %d failed%s\n", r->lines, r->failed,
               complete ? "" : ", the rest could not be run");
}
