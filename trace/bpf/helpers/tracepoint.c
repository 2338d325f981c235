/*
 * TRACEPOINT programs: at the events of tracefs. The context is the record of the event, as its
 * format file describes it, read only. The first 8 bytes belong to the kernel: there the helpers
 * find the registers. A record must have as many bytes as the program may read
 * (bpf_prog.max_ctx_offset), which is checked when it is attached. Pure.
 */
#include "trace/bpf/helpers/helpers.h"

/* clang-format off */
static const struct bpf_helper helpers[] = {
	BPF_EVENT_HELPERS(record),
	BPF_HELPER_AS(get_attach_cookie, bpf_get_attach_cookie_run, BPF_ARGS(ARG_PTR_TO_CTX)),
	{ .id = 0 },
};
/* clang-format on */

static bool is_valid_access(int off, int size, bool write, const struct bpf_prog *prog __unused,
			    struct bpf_insn_access_aux *aux __unused)
{
	return off >= 8 && off + size <= BPF_MAX_RECORD && !(off % size) && !write;
}

const struct bpf_prog_type_ops bpf_tracepoint_ops = {
	.type = BPF_PROG_TYPE_TRACEPOINT,
	.name = "tracepoint",
	.helpers = helpers,
	.is_valid_access = is_valid_access,
	.ctx_size = BPF_MAX_RECORD,
};
