/* Commands on tasks: kill, chrt, taskset, sleep, time. */
#include "kernel/lib/cpulist.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"
#include "shell/shell.h"

static int cmd_kill(struct call *call)
{
	char **pids = call->argv;
	int sig = SIGTERM, status = 0;

	if (**pids == '-' && (kstrtoint(*pids++ + 1, 10, &sig) || !*pids))
		return usage(call);
	for (; *pids; pids++) {
		int pid, error = kstrtoint(*pids, 10, &pid);

		if (!error)
			error = kill_pid(pid, sig);
		if (error)
			status = failed(call, *pids, error);
	}
	return status;
}
SHELL_COMMAND("kill", NULL, 1, "[-SIGNAL] PID...", "send a signal (15)", .run = cmd_kill);

/* Run the rest of the operands, after the first was used, unless that gave an error. */
static int run_rest(struct call *call, int error)
{
	if (error)
		return failed(call, call->argv[0], error);
	return run_command(call->argc - 1, call->argv + 1);
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

#define SLEEP_MAX (1UL << 30) /* seconds */

/* Seconds may have a fraction. */
static long cmd_sleep(const char *text)
{
	u64 fraction = 0, unit = NSEC_PER_SEC;
	unsigned long seconds;
	char *end;

	seconds = simple_strtoul(text, &end, 10);
	if (end > text && *end == '.')
		while (isdigit(*++end))
			fraction += (u64)(*end - '0') * (unit /= 10);
	if (end == text || *end || seconds > SLEEP_MAX)
		return -EINVAL;
	return sleep_interruptible(seconds * NSEC_PER_SEC + fraction);
}
SHELL_COMMAND("sleep", "", 1, "SECONDS", "wait", .path = cmd_sleep);

/* The command runs in this task: sys is what it alone has used, not its children. */
static int cmd_time(struct call *call)
{
	u64 start = ktime_get(), used = current->se.sum_exec_runtime;
	int status = run_command(call->argc, call->argv);
	unsigned long real = (ktime_get() - start) / NSEC_PER_MSEC;
	unsigned long sys = (current->se.sum_exec_runtime - used) / NSEC_PER_MSEC;

	err_printf("real %lu.%03lu\nsys  %lu.%03lu\n", real / 1000, real % 1000, sys / 1000,
		   sys % 1000);
	return status;
}
SHELL_COMMAND("time", "", 1, "COMMAND...", "say how long a command took", .run = cmd_time);
