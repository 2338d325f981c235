/* Makes the events of kernel/syscalls/raw_syscalls_events.h. */

/* The memory that events record is brought in before the probes, because they must not sleep. */
#define TRACEPOINT_BEFORE(name, args...) before_##name(args)

#include "trace/events/syscalls.h"

static __always_inline void before_sys_enter(const unsigned long *args, long nr)
{
	if (static_branch_unlikely(&syscall_data_key))
		syscall_data_bring_in(args, nr);
}

static __always_inline void before_sys_exit(long nr __unused, long ret __unused)
{
}

#define TRACE_EVENTS_HEADER "kernel/syscalls/raw_syscalls_events.h"
#include "trace/events/define.h"
