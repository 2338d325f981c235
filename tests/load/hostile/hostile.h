/*
 * The parts of the hostile user: a table of attacks, what they share, and root's side.
 *
 * Root prepares each attack, runs its partner, and lets a process of the user try without an end. All attacks run at
 * once, in rounds. A round lasts until each attack has made a whole try in it. Then each process of the user is
 * killed, also those that an attack has made.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define HOSTILE 1000 /* the user */
#define DESCRIPTORS 1024 /* its limit */
#define CHANGED 77   /* status of a set-user-ID program that the user has influenced */

struct attack {
	const char *name;
	const char *never;     /* what must not happen; printed when it has */
	void (*prepare)(void); /* root, once, in the directory of the attack */
	void (*partner)(void); /* root: one step, again and again */
	void (*user)(void);    /* the user: one try, again and again */
	bool takes;	       /* much of what all need, such as processes: it pauses after a whole try */
};

/* Each part of the program ends its attacks with one without a name. */
extern const struct attack program_attacks[], file_attacks[], process_attacks[], resource_attacks[], flood_attacks[];

/* Shared by all processes of this program. Each field has one writer, or is atomic. */
struct tally {
	unsigned long tries;
	unsigned long wins;
	long detail; /* of the first win: an errno or a number that tells which */
};

#define MAX_ATTACKS 32
#define MAX_CPUS    16
#define MAX_FAULTS  32

/* A call of root that has failed. */
struct fault {
	const char *call;
	int error;
};

struct shared {
	struct tally tallies[MAX_ATTACKS];
	struct fault faults[MAX_FAULTS];
	unsigned long n_faults, guard_rounds;
	long late_us[MAX_CPUS], wakeups[MAX_CPUS];
	pid_t guard;	 /* a process of root that lives through the whole run */
	pid_t dropping;	 /* a process of root that is becoming the user */
	bool stop;
	bool soak; /* constant: the run has a time, and a try takes as much as it can get */
};

extern struct shared *shared;

/* An attack has achieved what it must not. Called by the process of the attack or of its partner. */
void won(long detail);

/* The program as which root's copies of this file run: argv[0] is "victim". Returns the status. */
int victim(const char *role);

/* Makes a copy of this program for another owner. */
void copy_self(const char *path, uid_t owner, mode_t mode);

/* As fork(). Without a child, and after incomplete(), the try does not count. */
pid_t fork_child(void);
void incomplete(void);

/* Returns the status of the child, or -1 if a signal ended it. */
int status_of(pid_t pid);

/* Starts root's side: a real-time task on each CPU, and one that makes calls. */
void start_guards(int cpus);
