/* The types of programs. Pure. */
#include "trace/bpf/helpers/helpers.h"

static const struct bpf_prog_type_ops *const types[] = {
	&bpf_socket_filter_ops,  &bpf_kprobe_ops,  &bpf_tracepoint_ops, &bpf_perf_event_ops,
	&bpf_raw_tracepoint_ops, &bpf_tracing_ops, &bpf_syscall_ops,
};

const struct bpf_prog_type_ops *bpf_find_prog_type(u32 type)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i]->type == type)
			return types[i];
	return NULL;
}
