/* The structures in which programs give and get times. */
#pragma once

#include "kernel/types.h"

#ifdef NOP5_HOST /* the host's structures are the same */
#include <sys/time.h>
#include <time.h>
#else
struct timespec {
	s64 tv_sec;
	long tv_nsec;
};

struct timeval {
	s64 tv_sec;
	long tv_usec;
};
#endif
