/*
 * Copies of strings that are outside the record: a field has only the address, and the memory may
 * not be there. Preemption off; any context, NMI included.
 */
#pragma once

#include "kernel/types.h"

/* At most so many bytes are compared, with the NUL, as in Linux. */
#define FILTER_STRING_MAX 1024

/* A buffer of this CPU and of this context. Task, softirq, IRQ and NMI may nest. */
struct filter_string_buffer {
	char text[FILTER_STRING_MAX];
};
struct filter_string_buffer *filter_string_get(void);
void filter_string_put(void);
/*
 * Copies the string at address into the buffer and returns its length. is_user: address comes from
 * an argument of a system call. -EFAULT: the memory cannot be read.
 */
long filter_string_read(struct filter_string_buffer *buffer, const char *address, bool is_user);
