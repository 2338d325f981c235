/*
 * Programs at the entry and at the return of functions of the kernel: fentry, fexit, fmod_ret. The
 * trampoline of a function runs the programs of its links (arch/bpf).
 */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/types.h"

struct bpf_prog;
struct bpf_trampoline;

/*
 * One program at prog->attach_addr, as prog->expected_attach_type says. The caller fills in the
 * first part.
 */
struct bpf_tramp_link {
	struct bpf_prog *prog; /* counted by the owner of the link */
	u64 cookie;
	/* Of the trampolines. */
	struct bpf_trampoline *trampoline;
	struct list_head node; /* [trampoline_mutex] */
};

/*
 * From now on calls of the function run the program. 0, or -EBUSY (the program is there already),
 * -E2BIG (too many programs), -ENOMEM, -EINVAL (no call site, or not a function with at most six
 * words of arguments), -ENODEV (ftrace is shut down). Task context, sleeps.
 */
int bpf_trampoline_attach(struct bpf_tramp_link *link);
/*
 * Calls that begin from now on do not run the program. Those in progress may; the trampoline keeps
 * the program until then, but not the link. Does not wait for them. Same context.
 */
void bpf_trampoline_detach(struct bpf_tramp_link *link);
