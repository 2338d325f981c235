/*
 * The tracer nop records nothing. Its two options show how a tracer accepts and refuses a change
 * of an option.
 */
#include "kernel/errno.h"
#include "trace/core/tracer.h"

#define TRACE_NOP_OPT_ACCEPT 1
#define TRACE_NOP_OPT_REFUSE 2

static int nop_set_flag(struct trace_array *tr __unused, u32 old_flags __unused, u32 bit,
			bool set __unused)
{
	return bit == TRACE_NOP_OPT_REFUSE ? -EINVAL : 0;
}

struct tracer nop_trace = {
	.name = "nop",
	.allow_instances = true,
	.set_flag = nop_set_flag,
	.flags =
		&(struct tracer_flags){
			.opts =
				(const struct tracer_opt[]){
					{ "test_nop_accept", TRACE_NOP_OPT_ACCEPT },
					{ "test_nop_refuse", TRACE_NOP_OPT_REFUSE },
					{ NULL, 0 },
				},
		},
};
