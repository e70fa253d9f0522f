#include "progress.h"
#include "clock.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double REDRAW_SECONDS = 0.1, REPEAT_SECONDS = 10, LINE_SECONDS = 2;

progress progress_open(int64_t iterations) {
    return (progress){.terminal = isatty(STDERR_FILENO) == 1, .iterations = iterations};
}

void progress_erase(progress *p) {
    if (p->drawn) (void)fputs("\r\033[K", stderr);
    p->drawn = false;
}

void progress_say(progress *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    progress_erase(p);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
}

void progress_warn(progress *p, const problem *what, bool again) {
    double now = clock_seconds();
    if (!strcmp(p->warned.text, what->text) && now - p->warned_at < REPEAT_SECONDS) return;
    p->warned = *what;
    p->warned_at = now;
    progress_say(p, "warning: %s%s", what->text, again ? "; will be tried again" : "");
}

static bool may_draw(const progress *p) {
    return p->terminal && clock_seconds() - p->drawn_at >= REDRAW_SECONDS;
}

static void draw(progress *p, const char *line) {
    progress_erase(p);
    (void)fputs(line, stderr);
    p->drawn = true;
    p->drawn_at = clock_seconds();
}

/* Lines that stay are few even where updates are fast. */
static bool may_print(progress *p, bool logged) {
    double now = clock_seconds();
    if (!logged || (p->printed_at > 0 && now - p->printed_at < LINE_SECONDS)) return false;
    p->printed_at = now;
    return true;
}

void progress_step(progress *p, const metrics_row *row, double seconds_left, bool logged) {
    if (p->terminal ? !may_draw(p) : !may_print(p, logged)) return;
    char line[160], left[32];
    progress_duration(seconds_left, left);
    (void)snprintf(line, sizeof line, "%lld/%lld  loss %.4f  %.0f tokens/s  %.4g GFLOP/s  %s left",
                   (long long)row->iteration, (long long)p->iterations, row->train_loss,
                   row->tokens_per_second, row->gflops, left);
    if (p->terminal)
        draw(p, line);
    else
        progress_say(p, "%s", line);
}

void progress_evaluation(progress *p, int64_t iteration, double done) {
    if (!may_draw(p)) return;
    char line[80];
    (void)snprintf(line, sizeof line, "%lld/%lld  evaluating, %.0f %%", (long long)iteration,
                   (long long)p->iterations, 100 * done);
    draw(p, line);
}

void progress_duration(double seconds, char text[32]) {
    long long s = seconds < 0 ? 0 : seconds > 1e15 ? (long long)1e15 : llround(seconds);
    if (s < 60)
        (void)snprintf(text, 32, "%lld s", s);
    else if (s < 3600)
        (void)snprintf(text, 32, "%lld min %02lld s", s / 60, s % 60);
    else
        (void)snprintf(text, 32, "%lld h %02lld min", s / 3600, s / 60 % 60);
}
