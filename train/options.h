/* The trainer's command line. */
#ifndef OPTIONS_H
#define OPTIONS_H
#include "settings.h"

typedef struct options {
    enum { TRAIN, PRINT_CONFIG, HELP, VERSION } action;
    const char *program; /* as it was called */
    const char *resume;  /* the run to go on with; NULL: a fresh one */
    bool overwrite;
    bool names_data;      /* the command line does */
    settings settings;    /* defaults, then the config file, then --key=value */
    settings_given given; /* in the file or on the command line */
} options;

/* Reads the command line and the config file that it names, if any: CONFIG, or config.conf of the run that
 * --resume names, whose out_dir then is that directory. Settings are read, not yet checked together. */
bool options_read(options *o, int argc, char *const *argv, problem *why);

/* Prints --help to standard output. */
void options_help(void);
#endif
