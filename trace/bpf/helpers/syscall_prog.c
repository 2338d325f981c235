/*
 * SYSCALL programs, which only BPF_PROG_TEST_RUN runs. The context is what the caller passes, which
 * the program may read and write. The helpers by which such programs call bpf(2) are not here.
 * Pure.
 */
#include "kernel/errno.h"
#include "trace/bpf/helpers/helpers.h"

#define CTX_SIZE 65535 /* U16_MAX in Linux, too */

static bool is_valid_access(int off, int size, bool write __unused,
			    const struct bpf_prog *prog __unused,
			    struct bpf_insn_access_aux *aux __unused)
{
	return off >= 0 && off + size <= CTX_SIZE && !(off % size);
}

static int check_attach(struct bpf_prog *prog)
{
	return prog->expected_attach_type || !prog->sleepable ? -EINVAL : 0;
}

const struct bpf_prog_type_ops bpf_syscall_ops = {
	.type = BPF_PROG_TYPE_SYSCALL,
	.name = "syscall",
	.is_valid_access = is_valid_access,
	.check_attach = check_attach,
	.test_run = bpf_test_run_syscall,
	.ctx_size = CTX_SIZE,
};
