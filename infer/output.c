#include "output.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

bool output_flush(problem *why) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    if (errno != EPIPE)
        return run_failed(why, "cannot write standard output%s%s", errno ? ": " : "",
                          errno ? strerror(errno) : "");
    *why = (problem){.exit_status = 128 + SIGPIPE};
    return false;
}
