/*
 * Running commands: words are expanded, each command of a pipeline becomes a task with its pipes
 * and redirections, and the shell waits. Only what must change the shell itself (cd, exit, wait)
 * runs in its own task.
 */
#include "shell/shell.h"
#include "kernel/console/tty.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "shell/command.h"

#define SIGSEGV 11

/* A task to be: everything in its own arena, which it frees when it ends. */
struct sh_process {
	struct sh_arena arena;
	char **argv; /* NULL-terminated */
	int argc;
	struct sh_redirect *redirects; /* text expanded */
	const char *line;              /* instead of argv: a list to run in a shell of its own */
	int in, out, unused;           /* pipe ends, or -1: to read, to write, to close */
	int input;                     /* the shell's descriptor, to close; 0: none */
	pid_t pgrp;                    /* the job to join; 0: its own; -1: the shell's */
	bool foreground;               /* the job gets the terminal */
};

/* ---- jobs ---- */

void sh_set_job(pid_t pgrp, bool terminal)
{
	if (!pgrp)
		pgrp = current->pid;
	spin_lock(&tasklist_lock);
	current->pgrp = pgrp;
	spin_unlock(&tasklist_lock);
	if (terminal)
		sys_ioctl(0, TIOCSPGRP, (unsigned long)&pgrp);
}

void sh_reap(void)
{
	int status;

	while (kernel_wait4(-1, &status, WNOHANG) > 0)
		;
}

int sh_wait_all(void)
{
	int status;
	pid_t pid;

	do
		pid = kernel_wait4(-1, &status, 0);
	while (pid > 0);
	return pid == -EINTR ? 130 : 0;
}

/* ---- redirections ---- */

int sh_dup_high(int fd)
{
	struct file *file = fget(fd);
	int high = file ? fd_install_from(file, 10) : -EBADF;

	if (file && high < 0)
		fput(file);
	return high;
}

static int open_redirect(const struct sh_redirect *r)
{
	static const int flags[] = {
		[SH_READ] = O_RDONLY,
		[SH_WRITE] = O_WRONLY | O_CREAT | O_TRUNC,
		[SH_APPEND] = O_WRONLY | O_CREAT | O_APPEND,
	};
	long fd = sys_open(r->text, flags[r->type], 0666);

	if (fd < 0)
		err_printf("sh: can't %s %s: %s\n", r->type == SH_READ ? "open" : "create", r->text,
			   errno_text((int)-fd));
	return (int)fd;
}

/* In order, as sh does. False after a message. */
static bool apply_redirects(const struct sh_redirect *redirects)
{
	for (const struct sh_redirect *r = redirects; r; r = r->next) {
		int from = r->type == SH_DUP ? r->from : open_redirect(r);
		long error;

		if (from < 0)
			return false;
		error = sys_dup2(from, r->fd);
		if (r->type != SH_DUP && from != r->fd)
			sys_close(from);
		if (error < 0) {
			err_printf("sh: %d: %s\n", from, errno_text((int)-error));
			return false;
		}
	}
	return true;
}

/* ---- what happens in the shell's own task ---- */

static int builtin_cd(struct shell *sh __unused, int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "/";
	long error = sys_chdir(path);

	if (error)
		err_printf("sh: cd: can't cd to %s: %s\n", path, errno_text((int)-error));
	return error ? 1 : 0;
}

static int builtin_exit(struct shell *sh, int argc, char **argv)
{
	int status = sh->status;

	if (argc > 1 && kstrtoint(argv[1], 10, &status)) {
		err_printf("sh: exit: Illegal number: %s\n", argv[1]);
		return 2;
	}
	sh->leaving = true;
	return status & 0xff;
}

static int builtin_wait(struct shell *sh __unused, int argc __unused, char **argv __unused)
{
	return sh_wait_all();
}

static const struct {
	const char *name;
	int (*run)(struct shell *sh, int argc, char **argv);
} builtins[] = {
	{ "cd", builtin_cd },
	{ "exit", builtin_exit },
	{ "wait", builtin_wait },
};

/* Restore descriptors that a builtin's redirections have changed; saved[i] is a copy or -1. */
static void restore_descriptors(const struct sh_redirect *redirects, const int saved[10])
{
	for (const struct sh_redirect *r = redirects; r; r = r->next) {
		if (saved[r->fd] >= 0)
			sys_dup2(saved[r->fd], r->fd);
		else
			sys_close(r->fd);
	}
	for (int fd = 0; fd < 10; fd++)
		if (saved[fd] >= 0)
			sys_close(saved[fd]);
}

/* A builtin, or a command of redirections alone (argc 0). */
static int run_builtin(struct shell *sh, const struct sh_process *p, int which)
{
	int saved[10], status = 1;

	memset(saved, 0xff, sizeof(saved));
	for (const struct sh_redirect *r = p->redirects; r; r = r->next)
		if (saved[r->fd] < 0)
			saved[r->fd] = sh_dup_high(r->fd);
	if (apply_redirects(p->redirects))
		status = p->argc ? builtins[which].run(sh, p->argc, p->argv) : 0;
	restore_descriptors(p->redirects, saved);
	return status;
}

/* Its index, or -1. */
static int find_builtin(const struct sh_process *p)
{
	if (!p->argc)
		return 0;
	for (unsigned i = 0; i < ARRAY_SIZE(builtins); i++)
		if (!strcmp(builtins[i].name, p->argv[0]))
			return (int)i;
	return -1;
}

/* ---- tasks ---- */

static int process_run(struct sh_process *p)
{
	struct shell sub = { 0 };
	int which;

	if (!apply_redirects(p->redirects))
		return 1;
	if (p->line) {
		sh_run_line(&sub, p->line);
		return sub.status;
	}
	which = find_builtin(p);
	if (which >= 0)
		return p->argc ? builtins[which].run(&sub, p->argc, p->argv) : 0;
	return run_command(p->argc, p->argv);
}

static void move_descriptor(int from, int to)
{
	if (from < 0)
		return;
	sys_dup2(from, to);
	sys_close(from);
}

/* The new task's first function. A signal that came is how it ends, whatever the command says. */
static int process_main(void *arg)
{
	struct sh_process *p = arg;
	struct sh_arena arena = p->arena;
	int status;

	current->ignored_signals = 0;
	if (p->pgrp >= 0)
		sh_set_job(p->pgrp, p->foreground);
	move_descriptor(p->in, 0);
	move_descriptor(p->out, 1);
	if (p->unused >= 0)
		sys_close(p->unused);
	if (p->input)
		sys_close(p->input);
	status = process_run(p);
	sh_free(&arena);
	if (signal_pending(current))
		do_exit(pending_signal(current));
	return status;
}

/* The child's PID or a negative errno. The process is the child's from here on, or freed. */
static pid_t process_start(struct sh_process *p, const char *name)
{
	struct sh_arena arena = p->arena;
	struct task_struct *task = kernel_clone(process_main, p, name);
	pid_t pid;

	if (IS_ERR(task)) {
		sh_free(&arena);
		err_printf("sh: can't fork: %s\n", errno_text((int)-PTR_ERR(task)));
		return (pid_t)PTR_ERR(task);
	}
	pid = task->pid;
	put_task_struct(task);
	return pid;
}

static struct sh_process *process_alloc(void)
{
	struct sh_arena arena = { 0 };
	struct sh_process *p = sh_alloc(&arena, sizeof(*p));

	if (!p)
		return NULL;
	p->arena = arena;
	p->in = p->out = p->unused = p->pgrp = -1;
	return p;
}

/* Words and redirections with their parameters expanded. False: no memory. */
static bool expand_command(struct shell *sh, struct sh_process *p, const struct sh_command *command)
{
	struct sh_parameters parameters = { sh->status, current->pid, sh->last_job };
	struct sh_redirect **tail = &p->redirects;
	bool empty;

	p->argv = sh_alloc(&p->arena, (command->nr_words + 1) * sizeof(*p->argv));
	if (!p->argv)
		return false;
	for (const struct sh_word *w = command->words; w; w = w->next) {
		char *text = sh_expand(&p->arena, w->text, &parameters, &empty);

		if (!text)
			return false;
		if (!empty)
			p->argv[p->argc++] = text;
	}
	for (const struct sh_redirect *r = command->redirects; r; r = r->next) {
		struct sh_redirect *copy = sh_alloc(&p->arena, sizeof(*copy));

		if (!copy)
			return false;
		*copy = *r;
		copy->next = NULL;
		if (r->type != SH_DUP) {
			copy->text = sh_expand(&p->arena, r->text, &parameters, &empty);
			if (!copy->text)
				return false;
		}
		*tail = copy;
		tail = &copy->next;
	}
	return true;
}

static struct sh_process *process_of(struct shell *sh, const struct sh_command *command)
{
	struct sh_process *p = process_alloc();
	struct sh_arena arena;

	if (p && expand_command(sh, p, command))
		return p;
	if (p) {
		arena = p->arena;
		sh_free(&arena);
	}
	err_printf("sh: out of memory\n");
	return NULL;
}

/* ---- pipelines ---- */

/* An exit status as $? has it, from wait(2)'s. */
static int exit_status(int status)
{
	return status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 0xff;
}

/* What a terminal's user is told of a command that a signal ended. */
static void report_signal(struct shell *sh, int sig)
{
	static const char *const names[] = {
		[SIGINT] = "",
		[SIGQUIT] = "Quit",
		[SIGKILL] = "Killed",
		[SIGTERM] = "Terminated",
		[SIGSEGV] = "Segmentation fault",
	};

	if ((unsigned)sig >= ARRAY_SIZE(names) || !names[sig])
		return;
	if (sh->interactive || *names[sig])
		err_printf("%s\n", names[sig]);
}

/*
 * Wait for a child. A script's ^C reaches the script and its command alike: the command is waited
 * for, then the script ends too. Any other signal ends the shell at once.
 */
static int wait_for(struct shell *sh, pid_t pid)
{
	int status = 0;

	while (kernel_wait4(pid, &status, 0) == -EINTR) {
		int sig = pending_signal(current);

		flush_signals(current);
		if (sh->interactive && sig == SIGINT)
			continue;
		sh->leaving = true;
		sh->signal = sig;
		if (sig != SIGINT && sig != SIGQUIT)
			return sig;
	}
	/* The command may have ended of the same ^C before this wait could be interrupted. */
	if (!sh->interactive && signal_pending(current)) {
		sh->leaving = true;
		sh->signal = pending_signal(current);
	}
	return status;
}

static void wait_for_pipeline(struct shell *sh, const pid_t *pids, unsigned n)
{
	int status = 0, sig = 0;

	for (unsigned i = 0; i < n; i++) {
		status = wait_for(sh, pids[i]);
		if ((status & 0x7f) && sig != SIGINT)
			sig = status & 0x7f;
	}
	if (sh->interactive)
		sh_set_job(0, true);
	sh->status = exit_status(status);
	report_signal(sh, sig);
}

struct sh_start {
	pid_t *pids;
	unsigned count;
	int in; /* the read end that the next command gets, or -1 */
	bool background;
};

/* Start one command of a pipeline, with a pipe to the one after it. False: no more can be started.
 */
static bool start_command(struct shell *sh, struct sh_start *start,
			  const struct sh_command *command, struct sh_process *p)
{
	int fds[2] = { -1, -1 };
	pid_t pid = command->next ? (pid_t)sys_pipe(fds) : 0;
	struct sh_arena arena = p->arena;

	if (pid < 0) {
		err_printf("sh: can't create pipe: %s\n", errno_text(-pid));
		sh_free(&arena);
		return false;
	}
	if (start->background && start->in < 0) {
		long null = sys_open("/dev/null", O_RDONLY, 0);

		start->in = null < 0 ? -1 : (int)null;
	}
	p->in = start->in;
	p->out = fds[1];
	p->unused = fds[0];
	p->input = sh->input;
	if (sh->interactive || start->background)
		p->pgrp = start->count ? start->pids[0] : 0;
	p->foreground = sh->interactive && !start->background;
	pid = process_start(p, p->argc ? p->argv[0] : "sh");
	if (start->in >= 0)
		sys_close(start->in);
	if (fds[1] >= 0)
		sys_close(fds[1]);
	start->in = fds[0];
	if (pid > 0)
		start->pids[start->count++] = pid;
	return pid > 0;
}

static void run_pipeline(struct shell *sh, const struct sh_pipeline *pipeline, bool background)
{
	struct sh_start start = { .in = -1, .background = background };
	struct sh_arena arena = { 0 };
	unsigned n = 0;
	bool ok = true;

	for (const struct sh_command *c = pipeline->commands; c; c = c->next)
		n++;
	start.pids = sh_alloc(&arena, n * sizeof(*start.pids));
	for (const struct sh_command *c = pipeline->commands; c && ok && start.pids; c = c->next) {
		struct sh_process *p = process_of(sh, c);

		if (p && n == 1 && !background && find_builtin(p) >= 0) {
			struct sh_arena words = p->arena;

			sh->status = run_builtin(sh, p, find_builtin(p));
			sh_free(&words);
			sh_free(&arena);
			return;
		}
		ok = p && start_command(sh, &start, c, p);
	}
	if (start.in >= 0)
		sys_close(start.in);
	if (background && ok) {
		sh->last_job = start.pids[start.count - 1];
		sh->status = 0;
	} else if (start.count) {
		wait_for_pipeline(sh, start.pids, start.count);
	}
	if (!ok || !start.pids)
		sh->status = 2;
	sh_free(&arena);
}

/* A background list of several pipelines runs in a shell of its own. */
static void run_in_background(struct shell *sh, const struct sh_list *list)
{
	struct sh_process *p = process_alloc();
	long null;
	char *line;
	pid_t pid;

	line = p ? sh_alloc(&p->arena, list->source_len + 1) : NULL;
	if (!line) {
		struct sh_arena arena = p ? p->arena : (struct sh_arena){ 0 };

		sh_free(&arena);
		err_printf("sh: out of memory\n");
		sh->status = 1;
		return;
	}
	memcpy(line, list->source, list->source_len);
	p->line = line;
	p->pgrp = 0;
	p->input = sh->input;
	null = sys_open("/dev/null", O_RDONLY, 0);
	p->in = null < 0 ? -1 : (int)null;
	pid = process_start(p, "sh");
	if (null >= 0)
		sys_close((int)null);
	if (pid > 0)
		sh->last_job = pid;
	sh->status = pid > 0 ? 0 : 2;
}

void sh_run(struct shell *sh, struct sh_list *lists)
{
	for (const struct sh_list *list = lists; list && !sh->leaving; list = list->next) {
		if (list->background && list->pipelines->next) {
			run_in_background(sh, list);
			continue;
		}
		for (const struct sh_pipeline *p = list->pipelines; p && !sh->leaving;
		     p = p->next) {
			if ((p->condition == SH_AND && sh->status) ||
			    (p->condition == SH_OR && !sh->status))
				continue;
			run_pipeline(sh, p, list->background);
			if (p->negate)
				sh->status = !sh->status;
		}
	}
}

void sh_run_line(struct shell *sh, const char *line)
{
	struct sh_arena arena = { 0 };
	struct sh_list *lists;
	char error[SH_ERROR_MAX];

	if (sh_parse(&arena, line, &lists, error)) {
		err_printf("sh: %s\n", error);
		sh->status = 2;
	} else {
		sh_run(sh, lists);
	}
	sh_free(&arena);
	if (sh->signal)
		(void)send_signal(sh->signal, current); /* it ends us as it ended our command */
}
