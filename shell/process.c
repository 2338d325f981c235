/* Commands on tasks and time: ps, kill, chrt, taskset, sleep, time, true, false. */
#include "fs/syscalls.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"
#include "shell/command.h"

/* ---- ps ---- */

#define PS_CHUNK    1024UL
#define STAT_FIELDS 39 /* of /proc/PID/stat behind the name: state is the first */

/* `PID (comm) S ppid …` (proc(5)); false when it is not that. */
static bool ps_parse(char *stat, char **comm, char *fields[STAT_FIELDS])
{
	char *open = strchr(stat, '('), *close = strrchr(stat, ')');
	unsigned n = 0;

	if (!open || !close || close < open || close[1] != ' ')
		return false;
	*close = '\0';
	*comm = open + 1;
	for (char *s = close + 2; s && n < STAT_FIELDS;)
		fields[n++] = strsep(&s, " \n");
	return n == STAT_FIELDS;
}

static void ps_print(struct sh_io *io, const char *pid)
{
	char path[40], stat[512], *comm, *fields[STAT_FIELDS];
	ssize_t n;
	long fd;

	scnprintf(path, sizeof(path), "/proc/%s/stat", pid);
	fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return; /* it has just ended */
	n = sys_read((int)fd, stat, sizeof(stat) - 1);
	sys_close((int)fd);
	if (n <= 0)
		return;
	stat[n] = '\0';
	if (ps_parse(stat, &comm, fields))
		out_printf(io, "%5s %5s %5s  %-4s %3s %4s  %s\n", pid, fields[1], fields[2],
			   fields[0], fields[36], fields[15], comm);
}

static int cmd_ps(struct sh_io *io, int argc __unused, char **argv __unused)
{
	long fd = sys_open("/proc", O_RDONLY | O_DIRECTORY, 0), n = -ENOMEM;
	char *buf;

	if (fd < 0)
		return fail_with(io, "/proc", fd);
	out_puts(io, "  PID  PPID  PGRP  STAT CPU  PRI  COMMAND\n");
	buf = kmalloc(PS_CHUNK, GFP_KERNEL);
	while (buf && !out_stop(io) && (n = sys_getdents64((int)fd, buf, PS_CHUNK)) > 0)
		for (long at = 0; at < n;) {
			struct linux_dirent64 *entry = (void *)(buf + at);

			if (isdigit(entry->d_name[0]))
				ps_print(io, entry->d_name);
			at += entry->d_reclen;
		}
	kfree(buf);
	sys_close((int)fd);
	return n < 0 ? fail_with(io, "/proc", n) : 0;
}

/* ---- kill ---- */

static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "HUP", SIGHUP },   { "INT", SIGINT },   { "QUIT", SIGQUIT }, { "KILL", SIGKILL },
	{ "PIPE", SIGPIPE }, { "ALRM", SIGALRM }, { "TERM", SIGTERM },
};

/* A signal's number from TERM, SIGTERM or 15; -EINVAL. */
static int signal_number(const char *text)
{
	int number;

	if (!kstrtoint(text, 10, &number))
		return number >= 0 && number <= 64 ? number : -EINVAL;
	if (strstarts(text, "SIG"))
		text += 3;
	for (unsigned i = 0; i < ARRAY_SIZE(signals); i++)
		if (!strcmp(signals[i].name, text))
			return signals[i].number;
	return -EINVAL;
}

/* With a reference, or NULL after a message. */
static struct task_struct *get_task(struct sh_io *io, const char *text)
{
	struct task_struct *p;
	long pid;

	if (!parse_number(io, text, 1, 0x7fffffff, &pid))
		return NULL;
	p = find_get_task_by_pid((pid_t)pid);
	if (!p)
		err_printf("%s: pid %ld: %s\n", io->name, pid, errno_text(ESRCH));
	return p;
}

static int kill_one(struct sh_io *io, const char *text, int sig)
{
	struct task_struct *p;
	int error = -ESRCH;
	long pid;

	if (!parse_number(io, text, -0x7fffffff, 0x7fffffff, &pid))
		return 1;
	if (pid < 0) {
		error = kill_pgrp((pid_t)-pid, sig);
	} else {
		p = find_get_task_by_pid((pid_t)pid);
		if (p) {
			error = send_signal(sig, p);
			put_task_struct(p);
		}
	}
	if (error)
		err_printf("kill: can't kill pid %ld: %s\n", pid, errno_text(-error));
	return error != 0;
}

static int cmd_kill(struct sh_io *io, int argc, char **argv)
{
	int sig = SIGTERM, first = 1, status = 0;

	if (argc > 2 && argv[1][0] == '-') {
		sig = signal_number(argv[1] + 1);
		first = 2;
		if (sig < 0) {
			err_printf("kill: bad signal name '%s'\n", argv[1] + 1);
			return 1;
		}
	}
	if (first >= argc)
		return usage(io);
	for (int i = first; i < argc; i++)
		status |= kill_one(io, argv[i], sig);
	return status;
}

/* ---- chrt, taskset ---- */

static int set_scheduler(struct sh_io *io, struct task_struct *p, enum sched_policy policy,
			 const char *text)
{
	long priority;
	int error;

	if (!parse_number(io, text, 0, 0x7fffffff, &priority))
		return 1;
	error = sched_setscheduler(p, policy, (int)priority);
	if (!error)
		return 0;
	if (error == -EINVAL)
		err_printf("chrt: unsupported priority value for the policy: %ld\n", priority);
	else
		fail_with(io, "can't set the policy", error);
	return 1;
}

static void print_scheduler(struct sh_io *io, const struct task_struct *p)
{
	out_printf(io, "pid %d's current scheduling policy: %s\n", p->pid,
		   p->policy == SCHED_FIFO ? "SCHED_FIFO" : "SCHED_OTHER");
	out_printf(io, "pid %d's current scheduling priority: %d\n", p->pid, p->rt_priority);
}

static int cmd_chrt(struct sh_io *io, int argc, char **argv)
{
	enum sched_policy policy = SCHED_FIFO;
	struct sh_options options = { 0 };
	bool by_pid = false;
	int c, left, status;
	char **operand;

	while ((c = next_option(io, argc, argv, "fop", &options)) > 0) {
		by_pid |= c == 'p';
		if (c != 'p')
			policy = c == 'f' ? SCHED_FIFO : SCHED_NORMAL;
	}
	operand = argv + options.index;
	left = argc - options.index;
	if (c < 0 || left < (by_pid ? 1 : 2))
		return c < 0 ? 1 : usage(io);
	if (by_pid) {
		struct task_struct *p = get_task(io, operand[left - 1]);

		if (!p)
			return 1;
		status = left > 1 ? set_scheduler(io, p, policy, operand[0]) : 0;
		if (left == 1)
			print_scheduler(io, p);
		put_task_struct(p);
		return status;
	}
	status = set_scheduler(io, current, policy, operand[0]);
	return status ? status : run_command(left - 1, operand + 1);
}

/* A hexadecimal mask, or with list a list like 0,2-3. */
static bool parse_cpus(struct sh_io *io, const char *text, bool list, struct cpumask *mask)
{
	int error = list ? cpulist_parse(text, mask) : cpumask_parse(text, mask);

	if (!error)
		return true;
	err_printf("%s: bad %s '%s'\n", io->name, list ? "list" : "mask", text);
	return false;
}

static int set_affinity(struct task_struct *p, const struct cpumask *mask)
{
	int error = set_cpus_allowed(p, mask);

	if (error)
		err_printf("taskset: can't set pid %d's affinity: %s\n", p->pid,
			   errno_text(-error));
	return error != 0;
}

static void print_affinity(struct sh_io *io, const struct task_struct *p, bool list)
{
	char text[256];
	struct cpumask mask = p->cpus_allowed;

	for (unsigned i = 0; i < ARRAY_SIZE(mask.bits); i++)
		mask.bits[i] &= cpu_possible_mask.bits[i];
	if (list)
		cpulist_print(text, sizeof(text), &mask);
	else
		cpumask_print(text, sizeof(text), &mask);
	out_printf(io, "pid %d's current affinity %s: %s\n", p->pid, list ? "list" : "mask", text);
}

static int taskset_pid(struct sh_io *io, int argc, char **argv, bool list)
{
	struct task_struct *p = get_task(io, argv[argc - 1]);
	struct cpumask mask;
	int status = 0;

	if (!p)
		return 1;
	if (argc == 1)
		print_affinity(io, p, list);
	else
		status = !parse_cpus(io, argv[0], list, &mask) || set_affinity(p, &mask);
	put_task_struct(p);
	return status;
}

static int cmd_taskset(struct sh_io *io, int argc, char **argv)
{
	struct sh_options options = { 0 };
	bool list = false, by_pid = false;
	struct cpumask mask;
	int c;

	while ((c = next_option(io, argc, argv, "cp", &options)) > 0) {
		list |= c == 'c';
		by_pid |= c == 'p';
	}
	argc -= options.index;
	argv += options.index;
	if (c < 0 || argc < (by_pid ? 1 : 2))
		return c < 0 ? 1 : usage(io);
	if (by_pid)
		return taskset_pid(io, argc, argv, list);
	if (!parse_cpus(io, argv[0], list, &mask) || set_affinity(current, &mask))
		return 1;
	return run_command(argc - 1, argv + 1);
}

/* ---- time ---- */

/* A number with a fraction and one of s m h d, in nanoseconds. */
static bool parse_duration(const char *text, u64 *ns)
{
	u64 unit = NSEC_PER_SEC, fraction = NSEC_PER_SEC;
	u64 whole = 0, part = 0;
	const char *s = text;

	if (!isdigit(*s) && *s != '.')
		return false;
	for (; isdigit(*s) && whole < 1000000000; s++)
		whole = whole * 10 + (u64)(*s - '0');
	if (*s == '.')
		for (s++; isdigit(*s); s++)
			part += (u64)(*s - '0') * (fraction /= 10);
	if (*s && !s[1] && strchr("smhd", *s)) {
		unit *= *s == 'm' ? 60 : *s == 'h' ? 3600 : *s == 'd' ? 86400 : 1;
		s++;
	}
	*ns = whole * unit + part * (unit / NSEC_PER_SEC);
	return !*s;
}

static int cmd_sleep(struct sh_io *io, int argc, char **argv)
{
	u64 total = 0, ns;

	if (argc < 2)
		return usage(io);
	for (int i = 1; i < argc; i++) {
		if (!parse_duration(argv[i], &ns)) {
			err_printf("sleep: invalid number '%s'\n", argv[i]);
			return 1;
		}
		total += ns;
	}
	return sleep_interruptible(total) ? 128 + pending_signal(current) : 0;
}

static void print_time(const char *name, u64 ns)
{
	u64 hundredths = ns / (NSEC_PER_SEC / 100);

	err_printf("%s\t%llum %llu.%02llus\n", name, (unsigned long long)(hundredths / 6000),
		   (unsigned long long)(hundredths / 100 % 60),
		   (unsigned long long)(hundredths % 100));
}

/* The command runs in this task: sys is what it alone has used, not its children. */
static int cmd_time(struct sh_io *io, int argc, char **argv)
{
	u64 start = ktime_get(), used = current->se.sum_exec_runtime;
	int status;

	if (argc < 2)
		return usage(io);
	status = run_command(argc - 1, argv + 1);
	print_time("real", ktime_get() - start);
	print_time("user", 0);
	print_time("sys", current->se.sum_exec_runtime - used);
	return status;
}

static int cmd_true(struct sh_io *io __unused, int argc __unused, char **argv __unused)
{
	return 0;
}

static int cmd_false(struct sh_io *io __unused, int argc __unused, char **argv __unused)
{
	return 1;
}

const struct sh_command_def process_commands[] = {
	{ "ps", cmd_ps, "", "list tasks" },
	{ "kill", cmd_kill, "[-SIGNAL] PID...", "send a signal (TERM); a negative PID is a job" },
	{ "chrt", cmd_chrt, "[-fop] [PRIO] {COMMAND...|PID}",
	  "run at, set or (-p) show a real-time priority (-f: FIFO, -o: fair)" },
	{ "taskset", cmd_taskset, "[-cp] [CPUS] {COMMAND...|PID}",
	  "run on, set or (-p) show CPUs (a mask; -c: a list)" },
	{ "sleep", cmd_sleep, "N[smhd]...", "wait" },
	{ "time", cmd_time, "COMMAND...", "run a command and say how long it took" },
	{ "true", cmd_true, "", "succeed" },
	{ "false", cmd_false, "", "fail" },
	{ 0 },
};
