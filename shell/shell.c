/*
 * The shell: lines from a terminal, a script or a pipe become tasks, and it waits for them. And
 * PID 1, which keeps a shell running on the console.
 */
#include "shell/shell.h"
#include "kernel/console/tty.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/sched/sched.h"
#include "shell/parse.h"

#define SIGNAL_BIT(sig) (1UL << ((sig)-1))
#define PIPELINE_MAX    16 /* commands */
#define DESCRIPTORS_MAX 8  /* that a shell has open: its script, and while it starts a command */

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

/* A command's task. A signal that came is how it ends, whatever the command says. */
static int command_main(void *arg)
{
	struct sh_command *c = arg;
	int status;

	current->ignored_signals = 0;
	join_job(c->job, c->foreground);
	sys_dup2(c->fds[0], 0);
	sys_dup2(c->fds[1], 1);
	for (int fd = 3; fd < DESCRIPTORS_MAX; fd++)
		sys_close(fd); /* copies of the shell's */
	status = c->argc ? run_command(c->argc, c->argv) : 0;
	kfree(c);
	if (signal_pending(current))
		do_exit(pending_signal(current));
	return status;
}

/* result, after a message if it is an error. */
static long told(const char *what, long result)
{
	if (result < 0)
		err_printf("sh: %s: %s\n", what, errno_text((int)-result));
	return result;
}

/* Standard descriptors stay. */
static void close_fd(int fd)
{
	if (fd > 2)
		sys_close(fd);
}

/* Open path, if there is one, in place of descriptor *fd. 0 or an error. */
static long redirect(int *fd, const char *path, int flags)
{
	long opened = path ? told(path, sys_open(path, flags, 0666)) : *fd;

	if (opened < 0)
		return opened;
	if (path)
		close_fd(*fd);
	*fd = (int)opened;
	return 0;
}

/*
 * Wait for a child: its status as $? has it. ^C during that is for the child alone if the shell is
 * interactive; a script ends after it, of the same signal. Others end a script at once.
 */
static int wait_for(const struct shell *sh, pid_t pid)
{
	bool interrupted = false;
	int status = 0;

	while (kernel_wait4(pid, &status, 0) == -EINTR && pending_signal(current) == SIGINT) {
		flush_signals(current);
		interrupted = !sh->interactive;
		if (interrupted)
			(void)kill_pid(pid, SIGINT); /* it may have begun after the ^C */
	}
	if (interrupted)
		(void)send_signal(SIGINT, current); /* to ourselves: never refused */
	if (status & 0x7f)
		return 128 + (status & 0x7f);
	return status >> 8 & 0xff;
}

/* Start a command on these descriptors, or on what it redirects. Its PID (c is its own then), or an
 * error. fds are still open here. */
static long start_command(struct sh_command *c, int fds[2])
{
	long error = redirect(&fds[0], c->in, O_RDONLY);

	if (!error)
		error = redirect(&fds[1], c->out, O_WRONLY | O_CREAT | c->out_flags);
	if (error)
		return error;
	memcpy(c->fds, fds, sizeof(c->fds));
	return told("fork", spawn(command_main, c, "sh"));
}

/* Start the commands of a pipeline with pipes between them, and wait unless in the background. */
static void start_pipeline(struct shell *sh, struct sh_command *c)
{
	bool background = c->background, own_job = sh->interactive || background;
	pid_t pids[PIPELINE_MAX], job = own_job ? 0 : current->pgrp;
	long result = 1;
	unsigned n = 0;
	int in = 0;

	if (background && !c->in)
		c->in = "/dev/null";
	while (c) {
		int fds[2] = { in, 1 }, pipe[2] = { 0, 1 };
		struct sh_command *next = c->next;

		c->job = job;
		c->foreground = own_job && !background;
		if (next)
			result = told("|", n + 1 < PIPELINE_MAX ? sys_pipe(pipe) : -E2BIG);
		fds[1] = pipe[1];
		if (result >= 0)
			result = start_command(c, fds);
		close_fd(fds[0]);
		close_fd(fds[1]);
		in = pipe[0];
		if (result < 0) {
			sh_free(c);
			break;
		}
		pids[n++] = (pid_t)result;
		job = own_job ? pids[0] : job;
		c = next;
	}
	close_fd(in);
	sh->status = 0;
	for (unsigned i = 0; i < n && !background; i++)
		sh->status = wait_for(sh, pids[i]);
	if (result < 0)
		sh->status = 1;
	if (sh->interactive)
		join_job(0, true);
	if (sh->interactive && sh->status == 128 + SIGINT)
		err_printf("\n"); /* behind ^C */
}

static void run_pipeline(struct shell *sh, struct sh_command *c)
{
	const struct command *command = c->argc ? find_command(c->argv[0]) : NULL;

	if (c->next || c->background || !command || !command->in_shell) {
		start_pipeline(sh, c);
		return;
	}
	sh->status = run_command(c->argc, c->argv);
	sh_free(c);
}

/* All of the line is understood, or nothing of it runs. */
static void run_line(struct shell *sh, const char *line)
{
	struct sh_command *pipeline;

	for (int pass = 0; pass < 2; pass++) {
		const char *s = line;

		while (!signal_pending(current) &&
		       (pipeline = sh_parse(&s, sh->status, current->pid))) {
			if (IS_ERR(pipeline)) {
				err_printf("sh: %s at %s\n",
					   PTR_ERR(pipeline) == -EINVAL ? "syntax error"
									: "out of memory",
					   *s ? s : "the end of the line");
				sh->status = 2;
				return;
			}
			if (pass == 0)
				sh_free(pipeline);
			else
				run_pipeline(sh, pipeline);
		}
	}
}

char *working_directory(void)
{
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);

	if (path && sys_getcwd(path, PATH_MAX) > 0)
		return path;
	kfree(path);
	return NULL;
}

static void print_prompt(struct call *call)
{
	char *path = working_directory();

	call->error = 0; /* of an earlier prompt that ^C has cut off */
	out_printf(call, "nop5:%s# ", path ? path : "?");
	kfree(path);
}

/* Run the lines of an input. Ends with it, or by a signal that is not ^C at the prompt. */
void sh_input(struct call *call, struct input *in)
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
			; /* background jobs that have ended */
		if (sh.interactive)
			print_prompt(call);
		line = next_line(call, in, &len);
		if (line) {
			for (size_t i = 0; i < len; i++)
				line[i] = line[i] ? line[i] : '?'; /* noise on the line */
			line[len - (line[len - 1] == '\n')] = '\0';
			run_line(&sh, line);
		}
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

/* In the shell's own task; elsewhere it has no jobs to wait for. */
int cmd_wait(struct call *call __unused)
{
	pid_t pid;

	do
		pid = kernel_wait4(-1, NULL, 0);
	while (pid > 0);
	return pid == -EINTR ? 128 + SIGINT : 0;
}

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
