/* Commands on tasks: kill, chrt, taskset, sleep, time. */
#include "kernel/process/signal_struct.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/time/ktime.h"
#include "shell/shell.h"

static long kill_one(struct call *call, const char *text)
{
	int pid, error = kstrtoint(text, 10, &pid);

	return error ? error : kill_pid(pid, (int)option(call, '#', SIGTERM));
}
SHELL_COMMAND("kill", "#", 1, "[-SIGNAL] PID...", "send a signal (15)", .operand = kill_one);

/* Runs the operands from the second on as a command, unless error is set. */
static int run_rest(struct call *call, int error)
{
	if (error)
		return failed(call, call->argv[0], error);
	return run_command(call->argv + 1);
}

static int cmd_chrt(struct call *call)
{
	int priority, error = kstrtoint(call->argv[0], 10, &priority);

	return run_rest(call, error ? error : sched_setscheduler(current, SCHED_FIFO, priority));
}
SHELL_COMMAND("chrt", "f", 2, "[-f] PRIORITY COMMAND...", "run as real-time", .run = cmd_chrt);

static int cmd_taskset(struct call *call)
{
	struct cpumask mask;
	int error = option(call, 'c', 0) ? cpulist_parse(call->argv[0], &mask)
					 : cpumask_parse(call->argv[0], &mask);

	return run_rest(call, error ? error : set_cpus_allowed(current, &mask));
}
SHELL_COMMAND("taskset", "c", 2, "[-c] CPUS COMMAND...",
	      "run on these CPUs (a hexadecimal mask; -c: 0,2-3)", .run = cmd_taskset);

static long cmd_sleep(const char *seconds)
{
	u64 ns;
	int error = kstrtons(seconds, &ns);

	return error ? error : sleep_interruptible(ns);
}
SHELL_COMMAND("sleep", "", 1, "SECONDS", "wait", .path = cmd_sleep);

/* Returns the CPU time of this task, and of the children for which it has waited. */
static u64 runtime(void)
{
	const struct task_usage *children = &current->signal->children;

	return current->se.sum_exec_runtime + children->utime + children->stime;
}

/* Runs the command in this task. */
static int cmd_time(struct call *call)
{
	u64 start = ktime_get(), used = runtime();
	int status = run_command(call->argv);
	unsigned long real = (ktime_get() - start) / NSEC_PER_MSEC;
	unsigned long sys = (runtime() - used) / NSEC_PER_MSEC;

	err_printf("\nreal %lu.%03lu\nsys  %lu.%03lu\n", real / 1000, real % 1000, sys / 1000,
		   sys % 1000);
	return status;
}
SHELL_COMMAND("time", "", 1, "COMMAND...", "say how long a command took", .run = cmd_time);
