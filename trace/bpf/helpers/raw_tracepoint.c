/*
 * RAW_TRACEPOINT programs: at a tracepoint itself. The context is the tracepoint's arguments, a
 * word each, read only. Pure.
 */
#include "trace/bpf/helpers/helpers.h"

/* clang-format off */
const struct bpf_helper bpf_args_helpers[] = {
	BPF_EVENT_HELPERS(args),
	{ .id = 0 },
};
/* clang-format on */

bool bpf_is_valid_args_access(int off, int size, bool write)
{
	return off >= 0 && off < 8 * MAX_BPF_FUNC_ARGS && !(off % size) && !write;
}

static bool is_valid_access(int off, int size, bool write, const struct bpf_prog *prog __unused,
			    struct bpf_insn_access_aux *aux __unused)
{
	return bpf_is_valid_args_access(off, size, write);
}

const struct bpf_prog_type_ops bpf_raw_tracepoint_ops = {
	.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
	.name = "raw_tracepoint",
	.helpers = bpf_args_helpers,
	.is_valid_access = is_valid_access,
	.test_run = bpf_test_run_raw_tracepoint,
	.ctx_size = 8 * MAX_BPF_FUNC_ARGS,
};
