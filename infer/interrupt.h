/* Ctrl-C while text is under way: the text ends with the token that is being made. */
#ifndef INTERRUPT_H
#define INTERRUPT_H
#include <stdbool.h>

/* Begins to catch SIGINT; the second one ends the program at once. */
void interrupt_catch(void);
bool interrupt_came(void);
#endif
