/*
 * For self-tests of tracing without memory. An attempt is repeated in rounds: round N refuses the
 * Nth allocation of the attempt. The rounds end when the attempt makes fewer than N allocations.
 * Each refused allocation must give an error and leave the state unchanged.
 *
 * A test calls start_refusing(), any of the functions after it, and stop_refusing(). All of them
 * are called in a task that holds no lock, and report errors as failures of the test. One test at a
 * time uses them.
 */
#pragma once

#include "kernel/types.h"
#include "selftest/selftest.h"

/* An operation, and the one that reverses it. Both return 0 or a negative errno. */
struct attempt {
	const char *name;
	long (*begin)(void);
	long (*end)(void);
};

/* False when the callback at the allocators cannot be registered. */
bool start_refusing(void);
void stop_refusing(struct selftest *test);
/* The same without a test: 0 or a negative errno. */
int end_refusing(void);

/* Refuses all allocations of this task from now on, or none. Between start and stop only. */
void refuse_all(bool on);

/*
 * From now on, allocations of softirqs that interrupt the task, or that it runs itself when it
 * sends a packet, count as those of the task.
 */
void refuse_softirqs(bool on);

/*
 * Refuses the nth allocation of this task from now on; 0: none. Between start and stop only.
 * Returns how many allocations the task has made since the call before.
 */
unsigned refuse_nth(unsigned n);

/* Note the state that all rounds must leave, and forget it. */
void note_state(void);
void forget_state(void);

/* Repeats an attempt. The caller has noted the state. */
void try_all(struct selftest *test, const struct attempt *attempt);

/* Notes the state of now, and repeats each of the attempts. */
void try_each(struct selftest *test, const struct attempt *attempts, size_t count);
