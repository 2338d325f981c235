/*
 * The memory of checks: what the verifier needs while it proves a program. A program decides how
 * much that is, so all checks together have a limit: an eighth of the memory of the machine.
 * Beyond it only one check may grow, and the others wait for their turn. So the verdict on a
 * program does not depend on what other tasks load meanwhile. The verifier's own limit bounds the
 * one that grows. (Linux has no limit before 6.16, and charges a control group from then on.)
 */
#pragma once

#include "kernel/types.h"

/* Of one check. Its task only. Zeros at the beginning. */
struct bpf_check_memory {
	size_t bytes;
};

/*
 * A check begins, and will allocate so many bytes itself. Waits until it may. 0, or -EAGAIN: a
 * signal came first. Task context, sleeps.
 */
int bpf_check_memory_begin(struct bpf_check_memory *memory, size_t size);
/* Zeroed memory. NULL: *error is -ENOMEM or -EAGAIN. free: NULL is fine. Same context. */
void *bpf_check_memory_alloc(struct bpf_check_memory *memory, size_t size, int *error);
void bpf_check_memory_free(struct bpf_check_memory *memory, void *object);
/* The check has freed all its memory: the next one may grow. Task context. */
void bpf_check_memory_end(struct bpf_check_memory *memory);
