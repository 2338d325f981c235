/*
 * KPROBE programs: at kprobes, kretprobes, uprobes, and at many functions by fprobe. The context is
 * the registers of the probe, read only. Pure.
 */
#include "arch/cpu/ptrace.h"
#include "trace/bpf/helpers/helpers.h"

BUILD_BUG_ON(sizeof(struct pt_regs) != BPF_PT_REGS_SIZE);

/* clang-format off */
static const struct bpf_helper helpers[] = {
	BPF_HELPER_AS(perf_event_output, bpf_perf_event_output_regs, .gpl_only = true,
		      .map_types = BPF_MAP_BIT(PERF_EVENT_ARRAY),
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_CONST_MAP_PTR, ARG_ANYTHING, ARG_MEM_IN,
			       ARG_CONST_SIZE_OR_ZERO)),
	BPF_HELPER_AS(get_stackid, bpf_get_stackid_regs, .gpl_only = true,
		      .map_types = BPF_MAP_BIT(STACK_TRACE),
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_CONST_MAP_PTR, ARG_ANYTHING)),
	BPF_HELPER_AS(get_stack, bpf_get_stack_regs, .gpl_only = true, .ret_type = RET_SIZE,
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING)),
	BPF_HELPER_AS(get_func_ip, bpf_get_func_ip_run, .gpl_only = true, BPF_ARGS(ARG_PTR_TO_CTX)),
	BPF_HELPER_AS(get_attach_cookie, bpf_get_attach_cookie_run, BPF_ARGS(ARG_PTR_TO_CTX)),
	{ .id = 0 },
};
/* clang-format on */

static const struct bpf_func_proto *get_func_proto(u32 id, const struct bpf_prog *prog __unused)
{
	return bpf_find_tracing_helper(helpers, id);
}

static bool is_valid_access(int off, int size, bool write, const struct bpf_prog *prog __unused,
			    struct bpf_insn_access_aux *aux __unused)
{
	return off >= 0 && off + size <= BPF_PT_REGS_SIZE && !(off % size) && !write;
}

const struct bpf_prog_type_ops bpf_kprobe_ops = {
	.type = BPF_PROG_TYPE_KPROBE,
	.name = "kprobe",
	.get_func_proto = get_func_proto,
	.is_valid_access = is_valid_access,
	.ctx_size = BPF_PT_REGS_SIZE,
};
