/* Machines are noisy: what is compared is measured in turn, round by round, and medians are taken. */
#ifndef MEDIAN_H
#define MEDIAN_H

enum { MOST_ROUNDS = 99 };

/* Of the first `count` values, which it sorts. */
double median(double *values, int count);

/* A number of rounds, 1 to MOST_ROUNDS, from its text; 0: something else. */
int rounds_from(const char *text);
#endif
