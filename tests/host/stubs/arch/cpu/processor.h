/* The host's processor.h, with the only function that a spinlock needs. */
#pragma once

#define cpu_relax() ((void)0)

struct thread_struct {
	int pagefault_disabled;
};
