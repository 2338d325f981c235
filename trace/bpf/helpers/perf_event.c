/*
 * PERF_EVENT programs: at the samples of a perf event. The context is the registers of the sample,
 * the event's period, and the address of the sample, read only. Pure.
 */
#include "trace/bpf/helpers/helpers.h"

#define CTX_SIZE (BPF_PT_REGS_SIZE + 16)

/* clang-format off */
static const struct bpf_helper helpers[] = {
	BPF_HELPER_AS(perf_event_output, bpf_perf_event_output_regs, .gpl_only = true,
		      .map_types = BPF_MAP_BIT(PERF_EVENT_ARRAY),
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_CONST_MAP_PTR, ARG_ANYTHING, ARG_MEM_IN,
			       ARG_CONST_SIZE_OR_ZERO)),
	BPF_HELPER_AS(get_stackid, bpf_get_stackid_regs,
		      .map_types = BPF_MAP_BIT(STACK_TRACE),
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_CONST_MAP_PTR, ARG_ANYTHING)),
	BPF_HELPER_AS(get_stack, bpf_get_stack_regs, .gpl_only = true, .ret_type = RET_SIZE,
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING)),
	BPF_HELPER(perf_prog_read_value, .gpl_only = true,
		   BPF_ARGS(ARG_PTR_TO_CTX, ARG_MEM_OUT, ARG_CONST_SIZE)),
	BPF_HELPER_AS(get_attach_cookie, bpf_get_attach_cookie_run, BPF_ARGS(ARG_PTR_TO_CTX)),
	{ .id = 0 },
};
/* clang-format on */

/* A register only as a whole. */
static bool is_valid_access(int off, int size, bool write, const struct bpf_prog *prog __unused,
			    struct bpf_insn_access_aux *aux __unused)
{
	if (off < 0 || off + size > CTX_SIZE || off % size || write)
		return false;
	return off >= BPF_PT_REGS_SIZE || size == 8;
}

const struct bpf_prog_type_ops bpf_perf_event_ops = {
	.type = BPF_PROG_TYPE_PERF_EVENT,
	.name = "perf_event",
	.helpers = helpers,
	.is_valid_access = is_valid_access,
	.ctx_size = CTX_SIZE,
};
