/* Makes the events of kernel/syscalls/raw_syscalls_events.h. */

/* The memory that events record is brought in before the probes, because they must not sleep. */
#define TRACEPOINT_CALL(name, args...) call_##name(args)

#include "trace/events/syscalls.h"

static void __tracepoint_call_sys_enter(const unsigned long *args, long nr);
static void __tracepoint_call_sys_exit(long nr, long ret);

/* A function of its own, so that the usual way does not save its arguments for another call. */
static noinline void __section(".traceiter.text")
	bring_in_and_call(const unsigned long *args, long nr)
{
	syscall_data_bring_in(args, nr);
	__tracepoint_call_sys_enter(args, nr);
}

static __always_inline void call_sys_enter(const unsigned long *args, long nr)
{
	if (static_branch_unlikely(&syscall_data_key))
		bring_in_and_call(args, nr);
	else
		__tracepoint_call_sys_enter(args, nr);
}

static __always_inline void call_sys_exit(long nr, long ret)
{
	__tracepoint_call_sys_exit(nr, ret);
}

#define TRACE_EVENTS_FIRST  id
#define TRACE_EVENTS_HEADER "kernel/syscalls/raw_syscalls_events.h"
#include "trace/events/define.h"
