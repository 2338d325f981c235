/* What the programs about SIGIO share. */
#pragma once

#include "abi.h"
#include <poll.h>

#ifndef F_SETSIG
#define F_SETSIG 10
#define F_GETSIG 11
#endif

/* Blocks the signals that are used, so that pending() can take them. */
static inline void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	sigaddset(&set, SIGURG);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMIN + 3);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Shows the signals that wait, with the names of descriptors that the caller knows. */
static inline void pending(const char *after, int first, int second)
{
	struct timespec no_time = { 0, 0 };
	siginfo_t info;
	sigset_t set;
	int sig, n = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	sigaddset(&set, SIGURG);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMIN + 3);
	while ((sig = sigtimedwait(&set, &info, &no_time)) > 0) {
		const char *name = sig == SIGIO ? "SIGIO" : sig == SIGURG ? "SIGURG" : sig == SIGUSR1 ? "SIGUSR1" : "SIGRTMIN+3";

		if (info.si_code == SI_KERNEL)
			show("%s: %s from the kernel", after, name);
		else
			show("%s: %s code %d band %lx fd %s", after, name, info.si_code, info.si_band,
			     info.si_fd == first ? "first" : info.si_fd == second ? "second" : "?");
		n++;
	}
	if (!n)
		show("%s: nothing", after);
}
