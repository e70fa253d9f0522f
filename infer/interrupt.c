#include "interrupt.h"
#include <signal.h>

static volatile sig_atomic_t came;

static void receive(int number) {
    (void)number;
    came = 1;
}

void interrupt_catch(void) {
    struct sigaction action = {.sa_handler = receive, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
}

bool interrupt_came(void) {
    return came;
}
