/*
 * Perf events of ftrace:function: each call of a traced function hits them.
 *
 * All of them share one ftrace_ops, which is registered while one of them exists.
 */
#include "trace/perf/internal.h"

#include "arch/unwind/unwind_event.h"
#include "kernel/init.h"
#include "trace/core/write.h"
#include "trace/ftrace/ftrace.h"
#include "trace/tracers/function/function.h"

static DEFINE_MUTEX(function_mutex);
static unsigned users; /* [function_mutex] perf events */

#define CALL_SIZE 5  /* of the call site at the start of a function */
#define MAX_PATH  16 /* at most so many frames are between find_caller() and the function */

/* The chain of a sample begins behind the function. */
static void find_caller(struct perf_record_hit *hit)
{
	unsigned long frame = (unsigned long)__builtin_frame_address(0), ip;

	for (unsigned i = 0; i < MAX_PATH && stack_trace_save_frame(frame, &ip, 1); i++) {
		frame = *(const unsigned long *)frame;
		if (ip == hit->data.ip + CALL_SIZE) {
			hit->data.frame = frame;
			return;
		}
	}
}

/* A function that the hit itself calls does not hit again: ftrace guards it. */
static void function_hit(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			 struct ftrace_regs *fregs __unused)
{
	struct perf_record_hit hit = {
		.source = op,
		.data = { .task = current_stable,
			  .mode = PERF_MODE_KERNEL | (current_stable->pid ? 0 : PERF_MODE_IDLE),
			  .ip = ip },
		.complete = find_caller,
	};
	struct ftrace_entry entry;

	if (!perf_hit_without_record(&hit))
		return;
	tracing_entry_init(&entry.ent, TRACE_FN, tracing_gen_ctx_dec(1), current_stable->pid);
	entry.ip = ip;
	entry.parent_ip = parent_ip;
	perf_hit_with_record(&hit, &entry, sizeof(entry));
}

static struct ftrace_ops function_ops = { .func = function_hit, .flags = FTRACE_OPS_FL_RECURSION };

static const void *function_users(int n)
{
	int error = 0;

	mutex_lock(&function_mutex);
	if (n > 0 && !users)
		error = register_ftrace_function(&function_ops);
	if (!error)
		users += (unsigned)n;
	if (n < 0 && !users)
		(void)unregister_ftrace_function(&function_ops);
	mutex_unlock(&function_mutex);
	return error ? ERR_PTR(error) : &function_ops;
}

static int __init perf_function_init(void)
{
	perf_function_hook = function_users;
	return 0;
}
early_initcall(perf_function_init);
