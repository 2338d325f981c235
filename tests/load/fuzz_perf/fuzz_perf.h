/* What the files of fuzz_perf share. */
#pragma once
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE            4096
#define CALLS           400 /* of a member of a family */
#define FDS             64  /* descriptors of events that a member remembers */
#define TASKS           64  /* tasks that all families know */
#define POINTS          64  /* numbers of tracepoints */
#define ELEMENTS(array) (sizeof(array) / sizeof(*(array)))

struct shared {
	_Atomic pid_t tasks[TASKS];
	_Atomic unsigned long opened, refused, areas;
	unsigned points[POINTS], nr_points;
	unsigned types[4], nr_types; /* of PMUs with a number of their own */
	int samples, breakpoints;    /* the kernel has them */
};
extern struct shared *shared; /* of all families */

extern int cpus;
extern __thread uint64_t state; /* of the random numbers; not 0 */
extern volatile uint64_t watched[8];

/* attributes.c */
uint64_t next(void);
unsigned below(unsigned n);
int chance(unsigned percent);
uint64_t some_number(void);
void *some_address(void);
uint64_t some_bits(unsigned n);
void called(void);
/* An attribute of an event that may be one. */
void choose(struct perf_event_attr *attr);

/* operations.c */
extern __thread int fds[FDS];
extern __thread unsigned depth; /* generation */
void live(unsigned calls);
