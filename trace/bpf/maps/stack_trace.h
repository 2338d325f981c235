/* Adding a stack to a STACK_TRACE map: bpf_get_stackid(). */
#pragma once

#include "kernel/types.h"

struct bpf_map;

/* A stack has at most so many frames: the default of sysctl kernel.perf_event_max_stack. */
#define BPF_MAX_STACK_FRAMES 127

/* Frames that the map keeps of a stack. */
u32 bpf_stack_map_depth(const struct bpf_map *map);
/*
 * The id of the stack, which is added if it is new: flags BPF_F_FAST_STACK_CMP,
 * BPF_F_REUSE_STACKID. -EEXIST: another stack has the id; -ENOMEM. nr > 0. Any context, RCU held.
 */
s64 bpf_stack_map_add(struct bpf_map *map, const u64 *ips, u32 nr, u64 flags);
