/* There are no trampolines yet: programs at functions are refused. */
#include "trace/bpf/attach/trampoline.h"

#include "kernel/errno.h"
#include "kernel/compiler.h"

int bpf_trampoline_attach(struct bpf_tramp_link *link __unused)
{
	return -EOPNOTSUPP;
}

void bpf_trampoline_detach(struct bpf_tramp_link *link __unused)
{
}
