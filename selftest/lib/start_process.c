/* Runs the self-tests in a child of PID 1, which waits for the orphans that they leave. */
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/panic.h"
#include "kernel/process/wait.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/signal.h"
#include "selftest/lib/start.h"

static void start_in_child(int (*fn)(void *unused))
{
	pid_t pid = kernel_thread(fn, NULL, "init");

	if (pid < 0)
		panic("selftest: %s", errno_text(-pid));
	for (;;)
		if (kernel_wait4(-1, NULL, 0) == -EINTR)
			flush_signals(current);
}

static int __init start_process_init(void)
{
	selftest_start = start_in_child;
	return 0;
}
device_initcall(start_process_init);
