/*
 * RAW_TRACEPOINT programs: at a tracepoint itself. The context is the tracepoint's arguments, a
 * word each, read only. Pure.
 */
#include "trace/bpf/helpers/helpers.h"

/* clang-format off */
const struct bpf_helper bpf_args_helpers[] = {
	BPF_HELPER_AS(perf_event_output, bpf_perf_event_output_args, .gpl_only = true,
		      .map_types = BPF_MAP_BIT(PERF_EVENT_ARRAY),
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_CONST_MAP_PTR, ARG_ANYTHING, ARG_MEM_IN,
			       ARG_CONST_SIZE_OR_ZERO)),
	BPF_HELPER_AS(get_stackid, bpf_get_stackid_args, .gpl_only = true,
		      .map_types = BPF_MAP_BIT(STACK_TRACE),
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_CONST_MAP_PTR, ARG_ANYTHING)),
	BPF_HELPER_AS(get_stack, bpf_get_stack_args, .gpl_only = true, .ret_type = RET_SIZE,
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING)),
	{ .id = 0 },
};
/* clang-format on */

static const struct bpf_func_proto *get_func_proto(u32 id, const struct bpf_prog *prog __unused)
{
	return bpf_find_tracing_helper(bpf_args_helpers, id);
}

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
	.get_func_proto = get_func_proto,
	.is_valid_access = is_valid_access,
	.test_run = bpf_test_run_raw_tracepoint,
	.ctx_size = 8 * MAX_BPF_FUNC_ARGS,
};
