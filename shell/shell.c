/*
 * The shell: lines from a terminal, a script or a pipe become tasks, and it waits for them. And
 * PID 1, which keeps a shell running on the console.
 */
#include "shell/shell.h"
#include "kernel/console/tty.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/sched/sched.h"
#include "shell/parse.h"

#define SIGNAL_BIT(sig) (1UL << ((sig)-1))
#define DESCRIPTORS_MAX 8 /* that a shell has open: its script, and while it starts a command */

struct shell {
	bool interactive; /* on a terminal, with a prompt, and with jobs of its own */
	int status;       /* $? */
};

pid_t spawn(int (*fn)(void *arg), void *arg, const char *name)
{
	struct task_struct *task = kernel_clone(fn, arg, name);
	pid_t pid;

	if (IS_ERR(task))
		return (pid_t)PTR_ERR(task);
	pid = task->pid;
	put_task_struct(task);
	return pid;
}

int wait_for(pid_t pid, int *sig)
{
	int status = 0;

	for (;;) {
		if (*sig)
			(void)kill_pid(pid, *sig); /* it may have ended by now */
		if (kernel_wait4(pid, &status, 0) != -EINTR)
			break;
		*sig = pending_signal(current);
		flush_signals(current);
	}
	return status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 0xff;
}

/* Put the calling task into a job (0: its own), and give that the terminal. */
static void join_job(pid_t job, bool foreground)
{
	if (!job)
		job = current->pid;
	spin_lock(&tasklist_lock);
	current->pgrp = job;
	spin_unlock(&tasklist_lock);
	if (foreground)
		sys_ioctl(0, TIOCSPGRP, (unsigned long)&job);
}

/* result, after a message if it is an error. */
static long told(const char *what, long result)
{
	if (result < 0)
		err_printf("sh: %s: %s\n", what, errno_text((int)-result));
	return result;
}

static void put_pipeline(struct sh_pipeline *p)
{
	if (atomic_dec_and_test(&p->users))
		kfree(p);
}

/* Have descriptor fd be path, if there is one. */
static bool redirect(int fd, const char *path, int flags)
{
	long opened = path ? told(path, sys_open(path, flags, 0666)) : fd;

	if (opened >= 0 && path) {
		sys_dup2((int)opened, fd);
		sys_close((int)opened);
	}
	return opened >= 0;
}

/* A command's task. A signal that came is how it ends, whatever the command says. */
static int command_main(void *arg)
{
	struct sh_command *c = arg;
	int status = 1;

	current->ignored_signals = 0;
	join_job(c->job, c->foreground);
	for (int fd = 0; fd < 2; fd++)
		sys_dup2(c->fds[fd], fd);
	for (int fd = 3; fd < DESCRIPTORS_MAX; fd++)
		sys_close(fd); /* copies of the shell's */
	if (redirect(0, c->in, O_RDONLY) && redirect(1, c->out, O_WRONLY | O_CREAT | c->out_flags))
		status = c->argc ? run_command(c->argc, c->argv) : 0;
	put_pipeline(c->pipeline);
	if (signal_pending(current))
		do_exit(pending_signal(current));
	return status;
}

/* Standard descriptors stay. */
static void close_fd(int fd)
{
	if (fd > 2)
		sys_close(fd);
}

/*
 * Start the commands of a pipeline with pipes between them, and wait unless in the background. A
 * signal that comes meanwhile is for them alone if the shell is interactive; a script ends of it.
 */
static void run_pipeline(struct shell *sh, struct sh_pipeline *p)
{
	bool own_job = sh->interactive || p->background;
	pid_t pids[PIPELINE_MAX], job = own_job ? 0 : current->pgrp;
	int in = 0, sig = 0;
	unsigned started;

	if (p->background && !p->commands[0].in)
		p->commands[0].in = "/dev/null";
	for (started = 0; started < p->count; started++) {
		struct sh_command *c = &p->commands[started];
		int pipe[2] = { 0, 1 };

		if (started + 1 < p->count && told("pipe", sys_pipe(pipe)) < 0)
			break;
		c->pipeline = p;
		c->job = job;
		c->foreground = own_job && !p->background;
		c->fds[0] = in;
		c->fds[1] = pipe[1];
		atomic_inc(&p->users);
		pids[started] = (pid_t)told("fork", spawn(command_main, c, "sh"));
		close_fd(in);
		close_fd(pipe[1]);
		in = pipe[0];
		if (pids[started] < 0) {
			put_pipeline(p);
			break;
		}
		job = own_job ? pids[0] : job;
	}
	close_fd(in);
	sh->status = 0;
	for (unsigned i = 0; i < started && !p->background; i++)
		sh->status = wait_for(pids[i], &sig);
	if (started < p->count)
		sh->status = 1;
	if (sh->interactive)
		join_job(0, true);
	else if (sig)
		(void)send_signal(sig, current); /* to ourselves: never refused */
	if (sh->interactive && sh->status == 128 + SIGINT)
		err_printf("\n"); /* behind ^C */
}

static void run_line(struct shell *sh, const char *line)
{
	/* All of the line is understood, or nothing of it runs. */
	for (int pass = 0; pass < 2; pass++) {
		const char *s = line;
		struct sh_pipeline *p;

		while (!signal_pending(current) && (p = sh_parse(&s, sh->status, current->pid))) {
			const struct command *command;

			if (IS_ERR(p)) {
				int error = (int)-PTR_ERR(p);

				err_printf("sh: %s at %s\n",
					   error == EINVAL ? "syntax error" : errno_text(error),
					   *s ? s : "the end of the line");
				sh->status = 2;
				return;
			}
			atomic_set(&p->users, 1);
			command = p->commands[0].argc ? find_command(p->commands[0].argv[0]) : NULL;
			if (pass && command && command->in_shell && p->count == 1 && !p->background)
				sh->status = run_command(p->commands[0].argc, p->commands[0].argv);
			else if (pass)
				run_pipeline(sh, p);
			put_pipeline(p);
		}
	}
}

/* Print format with the current directory in it; false: that has been removed. */
static bool print_directory(struct call *call, const char *format)
{
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);
	bool there = path && sys_getcwd(path, PATH_MAX) > 0;

	out_printf(call, format, there ? path : "?");
	kfree(path);
	return there;
}

static int cmd_pwd(struct call *call)
{
	return !print_directory(call, "%s\n");
}
SHELL_COMMAND("pwd", "", 0, "", "print the current directory", .run = cmd_pwd);

SHELL_COMMAND("cd", "", 1, "DIR", "change the current directory", .path = sys_chdir,
	      .in_shell = true);

/* In the shell's own task; elsewhere it has no jobs to wait for. */
static int cmd_wait(struct call *call __unused)
{
	pid_t pid;

	do
		pid = kernel_wait4(-1, NULL, 0);
	while (pid > 0);
	return pid == -EINTR ? 128 + SIGINT : 0;
}
SHELL_COMMAND("wait", "", 0, "", "wait for all background jobs", .run = cmd_wait, .in_shell = true);

/* Run the lines of an input. Ends with it, or by a signal that is not ^C at the prompt. */
static void sh_input(struct call *call, struct stream *in)
{
	struct shell sh = { 0 };
	pid_t job;

	sh.interactive = !in->fd && !sys_ioctl(in->fd, TIOCGPGRP, (unsigned long)&job);
	if (sh.interactive) {
		current->ignored_signals = SIGNAL_BIT(SIGQUIT) | SIGNAL_BIT(SIGTERM);
		join_job(0, true);
	}
	for (;;) {
		size_t len;
		char *line;

		while (kernel_wait4(-1, NULL, WNOHANG) > 0)
			;        /* background jobs that have ended */
		call->error = 0; /* of an earlier prompt that ^C has cut off */
		if (sh.interactive)
			print_directory(call, "nop5:%s# ");
		line = stream_line(in, &len);
		for (size_t i = 0; line && i < len; i++)
			line[i] = line[i] ? line[i] : '?'; /* noise on the line */
		if (line)
			run_line(&sh, line);
		if (sh.interactive && pending_signal(current) == SIGINT) {
			flush_signals(current);
			err_printf("\n");
			sh.status = 128 + SIGINT;
			in->end = 0;
			in->pos = in->len;
		} else if (!line || signal_pending(current)) {
			break;
		}
	}
	if (sh.interactive)
		err_printf("\n");
	call->status = sh.status;
}
SHELL_COMMAND("sh", "", 0, "[FILE]...", "run commands from files, or the standard input",
	      .input = sh_input);

static int shell_task(void *unused __unused)
{
	char *argv[] = { "sh", NULL };

	return run_command(1, argv);
}

/* The console as descriptors 0, 1 and 2 of this task, and of all its children. */
static void open_console(void)
{
	long fd = sys_open("/dev/console", O_RDWR, 0);

	while (fd >= 0 && fd < 2)
		fd = sys_dup(0);
	if (fd < 0)
		panic("/dev/console: %s", errno_text((int)-fd));
}

/* PID 1, when the boot is done: keep a shell on the console. */
static void run_init(void)
{
	open_console();
	for (;;) {
		pid_t pid = spawn(shell_task, NULL, "sh");

		if (pid < 0)
			panic("no shell: %s", errno_text(-pid));
		while (kernel_wait4(pid, NULL, 0) == -EINTR)
			flush_signals(current);
	}
}

static int __init shell_init(void)
{
	init_process = run_init;
	return 0;
}
late_initcall(shell_init);
