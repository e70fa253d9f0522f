/* Teams: every member works, barriers hold with more threads than processors, shares cover, and arithmetic is
 * IEEE's in every thread. */
#include "resources.h"
#include "support/suite.h"
#include "team.h"
#include <fenv.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { CROWD = 8, ROUNDS = 300 };

static team *opened(int threads) {
    problem why;
    team *t = team_open(threads, &why);
    must(t, &why);
    ck_assert_int_eq(team_size(t), threads);
    return t;
}

static void count_visit(void *argument, member me) {
    int *visits = argument;
    visits[me.rank]++;
}

START_TEST(test_every_member_works_once_a_run) {
    for (int threads = 1; threads <= CROWD; threads++) {
        int visits[CROWD] = {0};
        team *t = opened(threads);
        for (int run = 0; run < ROUNDS; run++) team_run(t, count_visit, visits);
        team_close(t);
        for (int i = 0; i < CROWD; i++) ck_assert_int_eq(visits[i], i < threads ? ROUNDS : 0);
    }
}
END_TEST

typedef struct relay { /* each member writes its number, then all read all */
    int written[CROWD];
    int wrong[CROWD];
} relay;

static void run_relay(void *argument, member me) {
    relay *r = argument;
    for (int round = 1; round <= ROUNDS; round++) {
        r->written[me.rank] = round;
        team_sync(me);
        for (int i = 0; i < me.size; i++) r->wrong[me.rank] += r->written[i] != round;
        team_sync(me);
    }
}

START_TEST(test_nobody_passes_a_barrier_early) {
    for (int threads = 1; threads <= CROWD; threads++) {
        relay r = {0};
        team *t = opened(threads);
        team_run(t, run_relay, &r);
        team_close(t);
        for (int i = 0; i < threads; i++) ck_assert_int_eq(r.wrong[i], 0);
    }
}
END_TEST

static void uneven(void *argument, member me) {
    volatile long *sums = argument;
    for (int round = 0; round < 20; round++) {
        for (long i = 0; i < (me.rank + round) % 3 * 300000L; i++) sums[me.rank]++;
        team_sync(me);
    }
}

/* Long enough that waiting threads go to sleep. */
START_TEST(test_uneven_work) {
    long sums[4] = {0};
    team *t = opened(4);
    team_run(t, uneven, sums);
    team_run(t, uneven, sums);
    team_close(t);
    ck_assert(sums[0] == sums[3] && sums[0] > 0);
}
END_TEST

START_TEST(test_unused_and_several_teams) {
    int visits[CROWD] = {0};
    team *idle = opened(3), *busy = opened(3);
    team_run(busy, count_visit, visits);
    team_close(idle);
    team_run(busy, count_visit, visits);
    team_close(busy);
    team_close(NULL);
    ck_assert_int_eq(visits[2], 2);
}
END_TEST

START_TEST(test_alone) {
    member me = alone();
    ck_assert(me.rank == 0 && me.size == 1);
    team_sync(me);
}
END_TEST

typedef struct arithmetic {
    int rounding[CROWD];
    float denormal[CROWD];
} arithmetic;

static void observe(void *argument, member me) {
    arithmetic *a = argument;
    volatile float smallest = 0x1p-126f, half = 0.5f;
    a->rounding[me.rank] = fegetround();
    a->denormal[me.rank] = smallest * half;
}

static void flush_denormals(void) {
#if defined __x86_64__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined __aarch64__
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | (uint64_t)1 << 24));
#endif
}

static void check_arithmetic(team *t) {
    arithmetic a;
    team_run(t, observe, &a);
    for (int i = 0; i < team_size(t); i++) {
        ck_assert_int_eq(a.rounding[i], FE_TONEAREST);
        ck_assert(a.denormal[i] == 0x1p-127f);
    }
}

/* Whatever a library has done to the caller's control register, before or after the threads were made. */
START_TEST(test_arithmetic) {
    fesetround(FE_UPWARD);
    flush_denormals();
    team *t = opened(3);
    check_arithmetic(t);
    fesetround(FE_DOWNWARD);
    flush_denormals();
    check_arithmetic(t);
    team_close(t);
}
END_TEST

START_TEST(test_shares_cover) {
    static const int sizes[] = {0, 1, 15, 16, 17, 64, 65, 1000, 50304}, units[] = {1, 4, 16, 64};
    for (int s = 0; s < 9; s++)
        for (int u = 0; u < 4; u++)
            for (int threads = 1; threads <= 70; threads += 3) {
                int n = sizes[s], unit = units[u], next = 0, least = n / threads / unit * unit;
                for (int rank = 0; rank < threads; rank++) {
                    range r = share((member){NULL, rank, threads}, n, unit);
                    ck_assert_int_eq(r.from, next);
                    ck_assert(r.to == n || r.to % unit == 0);
                    ck_assert_int_le(r.to - r.from, least + unit);
                    next = r.to;
                }
                ck_assert_int_eq(next, n);
            }
}
END_TEST

START_TEST(test_large_shares_do_not_overflow) {
    range r = share((member){NULL, MAX_THREADS - 1, MAX_THREADS}, 2147483647, 64);
    ck_assert(r.to == 2147483647 && r.from > 2147483647 / MAX_THREADS * (MAX_THREADS - 1) - 64);
}
END_TEST

/* No more than there are processors to run on; one where the process is held to one. */
START_TEST(test_physical_cores) {
    cpu_set_t allowed;
    ck_assert_int_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    ck_assert_int_ge(physical_cores(), 1);
    ck_assert_int_le(physical_cores(), CPU_COUNT(&allowed));
    size_t last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &allowed)) last--;
    CPU_ZERO(&allowed);
    CPU_SET(last, &allowed);
    ck_assert_int_eq(sched_setaffinity(0, sizeof allowed, &allowed), 0);
    ck_assert_int_eq(physical_cores(), 1);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("team");
    tcase_add_test(cases, test_every_member_works_once_a_run);
    tcase_add_test(cases, test_nobody_passes_a_barrier_early);
    tcase_add_test(cases, test_uneven_work);
    tcase_add_test(cases, test_unused_and_several_teams);
    tcase_add_test(cases, test_alone);
    tcase_add_test(cases, test_arithmetic);
    tcase_add_test(cases, test_shares_cover);
    tcase_add_test(cases, test_large_shares_do_not_overflow);
    tcase_add_test(cases, test_physical_cores);
    return suite_run(cases, "team", 60);
}
