#include "standard_streams.h"
#include <fcntl.h>
#include <unistd.h>

bool standard_streams_open(problem *why) {
    static const int useless[] = {
        [STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY};
    for (int d = STDIN_FILENO; d <= STDERR_FILENO; d++)
        if (fcntl(d, F_GETFD) < 0 && open("/dev/null", useless[d]) != d)
            return run_failed(why, "descriptor %d is closed, and /dev/null cannot be opened: %m", d);
    return true;
}
