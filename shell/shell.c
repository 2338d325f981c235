/* The shell: reads lines, makes a task for each command, and waits for the tasks. */
#include "shell/shell.h"
#include "kernel/process/wait.h"
#include "kernel/process/session.h"
#include "kernel/process/pid.h"
#include "kernel/boot/boot_time.h"
#include "kernel/console/tty.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "shell/parse.h"

struct shell {
	bool interactive; /* on a terminal: prints a prompt, and makes a job for each pipeline
			   */
	bool ended;       /* by the command exit */
	int status;       /* $? */
};

/* Moves the calling task to a job (0: a new one). foreground: gives the terminal to that job. */
static void join_job(pid_t job, bool foreground)
{
	pid_t pgrp;

	kernel_setpgid(job);
	pgrp = task_pgrp_nr(current);
	if (foreground)
		sys_ioctl(0, TIOCSPGRP, (unsigned long)&pgrp);
}

/* Prints a message if result is an error. Returns result. */
static long check(const char *what, long result)
{
	if (result < 0)
		err_printf("sh: %s: %s\n", what, errno_text((int)-result));
	return result;
}

/*
 * Opens the files in turn. Each gets descriptor 0 or 1: the function closes that one first, and a
 * file gets the lowest free descriptor.
 */
static bool redirect(char **redirection)
{
	for (; *redirection; redirection++) {
		const char how = **redirection, *path = *redirection + 1;
		int flags = how == 'a' ? O_APPEND : O_TRUNC;

		sys_close(how != '<');
		flags = how == '<' ? O_RDONLY : O_WRONLY | O_CREAT | flags;
		if (check(path, sys_open(path, flags, 0666)) < 0)
			return false;
	}
	return true;
}

static void put_pipeline(struct sh_pipeline *p)
{
	if (atomic_dec_and_test(&p->users))
		kfree(p);
}

/* Runs a command in its own task. If a signal came, the task ends with the signal's status. */
static int command_main(void *arg)
{
	struct sh_command *c = arg;
	int status = 1;

	current->ignored_signals = 0;
	join_job(READ_ONCE(c->pipeline->job), c->pipeline->foreground);
	for (int fd = 0; fd < 2; fd++)
		sys_dup2(c->fds[fd], fd);
	sys_close_range(3, ~0U, 0); /* the shell's other descriptors */
	if (redirect(c->redirections))
		status = c->argv[0] ? run_command(c->argv) : 0;
	put_pipeline(c->pipeline);
	if (signal_pending(current))
		do_exit(kernel_dequeue_signal());
	return status;
}

/*
 * Starts the commands of a pipeline, with pipes between them. Returns the number of tasks that it
 * could make. Descriptor -1 means that the task keeps the descriptor that it inherits.
 */
static unsigned start_pipeline(struct sh_pipeline *p)
{
	struct sh_command *c = p->commands;
	int in = p->background ? (int)sys_open("/dev/null", O_RDONLY, 0) : -1;

	for (; c < p->commands + p->count; c++) {
		int pipe[2] = { -1, -1 };

		if (c + 1 < p->commands + p->count && check("pipe", sys_pipe(pipe)) < 0)
			break;
		c->pipeline = p;
		c->fds[0] = in;
		c->fds[1] = pipe[1];
		atomic_inc(&p->users);
		c->pid = (pid_t)check("fork", kernel_clone(command_main, c, "sh"));
		sys_close(in);
		sys_close(pipe[1]);
		in = pipe[0];
		if (c->pid < 0) {
			put_pipeline(p);
			break;
		}
		WRITE_ONCE(p->job, p->job ? p->job : c->pid);
	}
	sys_close(in);
	return (unsigned)(c - p->commands);
}

/*
 * Runs a pipeline, and waits for it unless it is for the background. A signal that ends one of its
 * tasks also ends the shell, unless the shell is interactive.
 */
static void run_pipeline(struct shell *sh, struct sh_pipeline *p)
{
	unsigned started;
	int sig = 0;

	p->foreground = sh->interactive && !p->background;
	p->job = sh->interactive || p->background ? 0 : task_pgrp_nr(current);
	started = start_pipeline(p);
	sh->status = 0;
	for (unsigned i = 0; i < started && !p->background; i++) {
		sh->status = wait_for_child(p->commands[i].pid, &sig);
		/* ^C misses a command that has not joined the job yet. */
		if (sh->status == 128 + SIGINT)
			sig = SIGINT;
	}
	if (started < p->count)
		sh->status = 1;
	if (sig == SIGINT)
		sh->status = 128 + SIGINT;
	if (sh->interactive)
		join_job(0, true);
	else if (sig)
		(void)send_signal(sig, current); /* never fails for the own task */
	if (sh->interactive && (sh->status == 128 + SIGINT || sh->status == 128 + SIGQUIT))
		err_printf("\n"); /* after the echo of ^C */
}

static bool is_number(const char *word)
{
	int number;

	return !kstrtoint(word, 10, &number);
}

/* Returns the status. run_in_shell() ends the shell, if exit is the only command of a pipeline. */
static int cmd_exit(struct call *call)
{
	int status = 0;

	if (call->argv[0] && kstrtoint(call->argv[0], 10, &status))
		return failed(call, call->argv[0], -EINVAL);
	return status & 255;
}
SHELL_COMMAND("exit", "", 0, "[STATUS]", "end the shell", .run = cmd_exit, .in_shell = true);

/* Runs a command in the shell's own task. */
static void run_in_shell(struct shell *sh, const struct command *command, char **argv)
{
	int status = run_command(argv);

	sh->ended = command->run == cmd_exit && (!argv[1] || is_number(argv[1]));
	if (!sh->ended || argv[1])
		sh->status = status;
}

/* Runs the pipelines of a line (run), or checks its syntax. Returns false at a syntax error. */
static bool run_line(struct shell *sh, const char *line, bool run)
{
	struct sh_pipeline *p;

	while (!signal_pending(current) && !sh->ended &&
	       (p = sh_parse(&line, sh->status, current->pid))) {
		const struct command *command;

		if (IS_ERR(p)) {
			int error = (int)-PTR_ERR(p);

			err_printf("sh: %s at %s\n",
				   error == EINVAL ? "syntax error" : errno_text(error),
				   *line ? line : "the end of the line");
			sh->status = 2;
			return false;
		}
		atomic_set(&p->users, 1);
		command = p->commands[0].argv[0] ? find_command(p->commands[0].argv[0]) : NULL;
		if (run && command && command->in_shell && p->count == 1 && !p->background)
			run_in_shell(sh, command, p->commands[0].argv);
		else if (run)
			run_pipeline(sh, p);
		put_pipeline(p);
		if (run && sh->interactive && sh->status == 128 + SIGINT)
			break; /* ^C ends the whole line */
	}
	return true;
}

/* Prints format with the current directory. Returns false if the directory has been removed. */
static bool print_directory(struct call *call, const char *format)
{
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);
	bool exists = path && sys_getcwd(path, PATH_MAX) > 0;

	out_printf(call, format, exists ? path : "?");
	kfree(path);
	return exists;
}

static int cmd_pwd(struct call *call)
{
	return !print_directory(call, "%s\n");
}
SHELL_COMMAND("pwd", "", 0, "", "print the current directory", .run = cmd_pwd);

SHELL_COMMAND("cd", "", 0, "[DIR]", "change the directory (to /)", .path = sys_chdir, .file = "/",
	      .in_shell = true);

/* Runs in the shell's own task, because only the shell is the parent of the jobs. */
static int cmd_wait(struct call *call __unused)
{
	pid_t pid;

	while ((pid = kernel_wait4(-1, NULL, 0)) > 0)
		;
	return pid == -EINTR ? 128 + SIGINT : 0;
}
SHELL_COMMAND("wait", "", 0, "", "wait for all background jobs", .run = cmd_wait, .in_shell = true);

/*
 * Runs the lines of an input until its end, or until a signal comes. An interactive shell goes on
 * after ^C.
 */
static void sh_input(struct call *call, struct stream *in)
{
	struct shell sh = { 0 };
	pid_t job;

	sh.interactive = !in->fd && !sys_ioctl(in->fd, TIOCGPGRP, (unsigned long)&job);
	if (sh.interactive) {
		current->ignored_signals = SIG_BIT(SIGQUIT) | SIG_BIT(SIGTERM);
		join_job(0, true);
	}
	for (;;) {
		size_t len;
		char *line;

		while (kernel_wait4(-1, NULL, WNOHANG) > 0)
			; /* reap background jobs that have ended */
		/* ^C may have interrupted the write of the last prompt. */
		call->out.end = 0;
		if (sh.interactive) {
			print_directory(call, "nop5:%s# ");
			boot_stamp(BOOT_PROMPT);
		}
		line = stream_line(in, &len);
		for (size_t i = 0; line && i < len; i++)
			line[i] = line[i] ? line[i] : '?'; /* a NUL is noise on the serial line */
		if (line && run_line(&sh, line, false))
			run_line(&sh, line, true);
		if (sh.interactive && pending_signal(current) == SIGINT) {
			(void)kernel_dequeue_signal();
			flush_signals(current);
			err_printf("\n");
			sh.status = 128 + SIGINT;
			in->end = 0;
			in->pos = in->len;
		} else if (!line || sh.ended || signal_pending(current)) {
			break;
		}
	}
	if (sh.interactive)
		err_printf("\n");
	call->status = sh.status;
}
SHELL_COMMAND("sh", "", 0, "[FILE]...", "run commands from files or standard input",
	      .input = sh_input);

static int shell_process(void *unused __unused)
{
	char *argv[] = { "sh", NULL };

	console_on_rootfs();
	return run_command(argv);
}

static int __init shell_init(void)
{
	init_process = shell_process;
	return 0;
}
device_initcall(shell_init);
