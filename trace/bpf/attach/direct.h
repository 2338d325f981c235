/* The code of direct calls: what a tracepoint's sites call for its only program. Task context. */
#pragma once

#include "kernel/types.h"

struct bpf_direct;
struct bpf_prog;

/*
 * Makes the code, which counts the program. masks: the bits of each argument. name: of the
 * tracepoint. NULL: there is none, because the program needs the usual way, or for want of memory.
 */
struct bpf_direct *bpf_direct_create(struct bpf_prog *prog, const u64 *masks, u32 nr_args,
				     const char *name);
/* For tracepoint_probe_register_direct(); NULL gives NULL. */
void *bpf_direct_entry(const struct bpf_direct *direct);
/* No site leads to it any more: frees it once no task is in it. Does not wait. NULL is fine. */
void bpf_direct_retire(struct bpf_direct *direct);
