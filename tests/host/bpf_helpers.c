/*
 * Helpers of eBPF that do nothing, so that host tests and fuzzers link the tables of prototypes and
 * types (trace/bpf/helpers/protos.c, types.c and one file a type).
 */
#include "trace/bpf/helpers/helpers.h"

#define DO_NOTHING(fn)                                                                             \
	__attribute__((weak)) u64 fn(u64 r1 __unused, u64 r2 __unused, u64 r3 __unused,            \
				     u64 r4 __unused, u64 r5 __unused)                             \
	{                                                                                          \
		return 0;                                                                          \
	}
/* clang-format off */
BPF_HELPER_FUNCTIONS(DO_NOTHING)
/* clang-format on */

void bpf_enable_trace_printk(void)
{
}

int bpf_check_attach_target(struct bpf_prog *prog __unused)
{
	return 0;
}

#define NO_TEST_RUN(name)                                                                          \
	int bpf_test_run_##name(struct bpf_prog *prog __unused,                                    \
				const union bpf_attr *attr __unused,                               \
				union bpf_attr __user *uattr __unused)                             \
	{                                                                                          \
		return -1;                                                                         \
	}
NO_TEST_RUN(socket_filter)
NO_TEST_RUN(raw_tracepoint)
NO_TEST_RUN(syscall)
NO_TEST_RUN(tracing)
