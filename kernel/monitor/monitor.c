/*
 * The threads of the monitor: the shell, its jobs, and PID 1, which mounts the file systems and
 * starts the shell.
 *
 * There are no signals without programs. But a task with USER_WORK_SIGPENDING does not sleep
 * interruptibly, and its reads and writes return -EINTR. So ^C sets this bit in the shell's thread,
 * and `kill` in that of a job; run_command() then returns.
 */
#include "kernel/monitor/monitor.h"

#include "fs/mount/namespace.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/namei.h"
#include "kernel/console/tty.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/completion.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/user_work.h"

struct file *console;
int last_status;
pid_t last_job;
char current_name[CURRENT_NAME_SIZE] = "/";

/* [shell_lock] The shell's thread; the lock is for ^C, which comes from a worker. NULL: none. */
static struct task_struct *shell;
static DEFINE_SPINLOCK(shell_lock);

static DEFINE_MUTEX(jobs_lock);
static LIST_HEAD(jobs); /* [jobs_lock] of struct command; only the shell's thread changes it */

void complain(const char *format, ...)
{
	char text[256];
	loff_t unused = 0;
	va_list args;
	int size;

	va_start(args, format);
	size = vscnprintf(text, sizeof(text), format, args);
	va_end(args);
	(void)kernel_write(console, text, (size_t)size, &unused);
}

/* ---- ^C and kill ---- */

static void interrupt(struct task_struct *task)
{
	set_user_work(task, USER_WORK_SIGPENDING);
	wake_up_state(task, TASK_INTERRUPTIBLE);
}

static void interrupt_shell(struct tty_struct *tty __unused, int sig)
{
	if (sig != SIGINT)
		return;
	spin_lock(&shell_lock);
	if (shell)
		interrupt(shell);
	spin_unlock(&shell_lock);
}

/* Only the shell reads the terminal. A job that wants to gets -EIO. */
static int check_reader(struct tty_struct *tty __unused, int sig)
{
	return sig == SIGTTIN && current != READ_ONCE(shell) ? -EIO : 0;
}

int kill_job(pid_t pid)
{
	struct command *job;
	int error = -ESRCH;

	mutex_lock(&jobs_lock);
	list_for_each_entry (job, &jobs, jobs)
		if (job->task->pid == pid && !completion_done(&job->task->exited)) {
			interrupt(job->task);
			error = 0;
		}
	mutex_unlock(&jobs_lock);
	return error;
}

/* ---- jobs ---- */

static int job_thread(void *data)
{
	struct command *job = data;

	if (!set_current_pwd(&job->pwd))
		(void)run_command(job);
	return 0;
}

/* Starts a command in a thread of its own. Returns the status. */
static int start_job(struct command *job)
{
	const char *name = job->argc ? job->argv[0] : "sh";
	struct task_struct *task = kthread_create(job_thread, job, "%s", name);

	if (IS_ERR(task)) {
		complain("sh: can't fork: %s\n", errno_text((int)-PTR_ERR(task)));
		kfree(job);
		return STATUS_FAILED;
	}
	get_current_pwd(&job->pwd);
	job->task = get_task_struct(task);
	last_job = task->pid;
	mutex_lock(&jobs_lock);
	list_add_tail(&job->jobs, &jobs);
	mutex_unlock(&jobs_lock);
	wake_up_process(task);
	return 0;
}

/* Only the shell frees jobs. It does not ask the job: an oops may have ended it. */
static void free_ended_jobs(void)
{
	struct command *job, *next;

	mutex_lock(&jobs_lock);
	list_for_each_entry_safe (job, next, &jobs, jobs)
		if (completion_done(&job->task->exited)) {
			list_del(&job->jobs);
			path_put(&job->pwd);
			put_task_struct(job->task);
			kfree(job);
		}
	mutex_unlock(&jobs_lock);
}

int wait_for_jobs(struct command *c __unused)
{
	while (current == shell && !list_empty(&jobs)) {
		struct task_struct *task = list_first_entry(&jobs, struct command, jobs)->task;

		if (wait_event_interruptible(task->exited.wait, completion_done(&task->exited)))
			return STATUS_INTERRUPTED;
		free_ended_jobs();
	}
	return 0;
}

/* ---- the shell ---- */

/* Runs the next command of the line. Returns the status. */
static int run_next(const char **line)
{
	struct command *c = kzalloc(sizeof(*c), GFP_KERNEL);
	int status = c ? parse_command(line, c) : STATUS_FAILED;
	bool background = **line == '&';

	if (!c)
		complain("sh: %s\n", errno_text(ENOMEM));
	*line += status ? strlen(*line) : **line != '\0';
	if (!status && !c->argc && !c->target)
		status = last_status; /* an empty line */
	else if (!status && background)
		return start_job(c);
	else if (!status)
		status = run_command(c);
	kfree(c);
	return status;
}

/* Reads a line, and cuts off its newline. Returns false after ^C and after ^D. */
static bool read_line(char *line)
{
	loff_t unused = 0;
	ssize_t n = kernel_read(console, line, LINE_SIZE - 1, &unused);

	if (n > 0)
		line[n - (line[n - 1] == '\n')] = '\0';
	else
		last_status = n ? STATUS_INTERRUPTED : 0;
	return n > 0;
}

static int shell_thread(void *unused __unused)
{
	char *buf = kmalloc(LINE_SIZE, GFP_KERNEL);
	bool ended = false; /* by ^C or ^D: the cursor is not at the start of a line */

	while (buf) {
		const char *line = buf;

		free_ended_jobs();
		clear_user_work(current, USER_WORK_SIGPENDING);
		if (ended)
			complain("\n");
		complain("nop5:%s# ", current_name);
		ended = !read_line(buf);
		while (*line && !ended) {
			last_status = run_next(&line);
			ended = signal_pending(current);
			last_status = ended ? STATUS_INTERRUPTED : last_status;
		}
	}
	return -ENOMEM;
}

/* ---- PID 1 ---- */

/* The mounts that /etc/init.d/rcS makes when there are programs. */
static const struct {
	const char *type; /* NULL: only a directory, because sysfs comes with programs */
	const char *path;
} mounts[] = {
	{ "proc", "/proc" },
	{ NULL, "/sys" },
	{ NULL, "/sys/kernel" },
	{ "devtmpfs", "/dev" },
	{ "debugfs", "/sys/kernel/debug" },
	{ "tracefs", "/sys/kernel/tracing" },
	{ NULL, "/sys/fs" },
	{ "pstore", "/sys/fs/pstore" },
	{ "bpf", "/sys/fs/bpf" },
};

static void mount_file_systems(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(mounts); i++) {
		const char *type = mounts[i].type, *path = mounts[i].path;
		int error;

		(void)do_mkdirat(AT_FDCWD, path, 0755); /* it may be there */
		error = type ? kern_mount_at(type, type, path) : 0;
		if (error && error != -ENODEV) /* -ENODEV: it is not linked */
			pr_err("monitor: %s: error %d\n", path, error);
	}
}

static void set_shell(struct task_struct *task)
{
	spin_lock(&shell_lock);
	WRITE_ONCE(shell, task);
	spin_unlock(&shell_lock);
}

/* Runs a shell until its thread ends: after an oops, with panic=0. */
static void run_shell(void)
{
	struct task_struct *task = kthread_create(shell_thread, NULL, "sh");

	if (IS_ERR(task))
		panic("no memory for the monitor");
	get_task_struct(task);
	set_shell(task);
	wake_up_process(task);
	wait_for_completion(&task->exited);
	set_shell(NULL);
	put_task_struct(task);
}

static void __noreturn run_monitor(void)
{
	mount_file_systems();
	console = do_filp_open(AT_FDCWD, "/dev/console", O_RDWR, 0, 0);
	if (IS_ERR(console))
		panic("/dev/console: %s", errno_text((int)-PTR_ERR(console)));
	for (;;)
		run_shell();
}

static struct tty_program_ops monitor_tty_ops __ro_after_init;

static int __init monitor_init(void)
{
	monitor_tty_ops = *tty_program_ops; /* those without programs */
	monitor_tty_ops.check_change = check_reader;
	monitor_tty_ops.signal_foreground = interrupt_shell;
	tty_program_ops = &monitor_tty_ops;
	first_program = run_monitor;
	return 0;
}
fs_initcall(monitor_init);
