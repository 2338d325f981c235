/*
 * KPROBE programs: at kprobes, kretprobes, uprobes, and at many functions by fprobe. The context is
 * the registers of the probe, read only. Pure.
 */
#include "arch/cpu/ptrace.h"
#include "trace/bpf/helpers/helpers.h"

BUILD_BUG_ON(sizeof(struct pt_regs) != BPF_PT_REGS_SIZE);

/* clang-format off */
static const struct bpf_helper helpers[] = {
	BPF_EVENT_HELPERS(regs),
	BPF_HELPER_AS(get_func_ip, bpf_get_func_ip_run, .gpl_only = true, BPF_ARGS(ARG_PTR_TO_CTX)),
	BPF_HELPER_AS(get_attach_cookie, bpf_get_attach_cookie_run, BPF_ARGS(ARG_PTR_TO_CTX)),
	{ .id = 0 },
};
/* clang-format on */

static bool is_valid_access(int off, int size, bool write, const struct bpf_prog *prog __unused,
			    struct bpf_insn_access_aux *aux __unused)
{
	return off >= 0 && off + size <= BPF_PT_REGS_SIZE && !(off % size) && !write;
}

const struct bpf_prog_type_ops bpf_kprobe_ops = {
	.type = BPF_PROG_TYPE_KPROBE,
	.name = "kprobe",
	.helpers = helpers,
	.is_valid_access = is_valid_access,
	.ctx_size = BPF_PT_REGS_SIZE,
};
