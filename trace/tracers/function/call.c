/*
 * The readable callback of the function tracer, function_trace_call(), for a kernel without the
 * feature `quick`. The one of quick.c records the same in fewer instructions.
 */
#include "trace/core/write.h"
#include "trace/tracers/function/internal.h"

/*
 * ctx is taken first: it must show the depth of preemption of the traced function. Preemption is
 * off while the entry is written, so that the task stays on the CPU whose buffer it writes to.
 */
void function_trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			 struct ftrace_regs *fregs __unused)
{
	u32 ctx = tracing_gen_ctx();

	preempt_disable_notrace();
	function_record(op->private, ip, parent_ip, ctx);
	preempt_enable_notrace();
}
