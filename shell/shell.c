/* The shell: lines from a terminal, a script or a pipe, one after the other; and PID 1, which keeps
 * one running. */
#include "shell/shell.h"
#include "kernel/console/tty.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/printk.h"
#include "kernel/sched/sched.h"
#include "shell/command.h"

#define SIGNAL_BIT(sig) (1UL << ((sig)-1))

/* Where lines come from: a descriptor read in blocks (a terminal, our own script) or by the byte
 * (shared). */
struct sh_input {
	int fd;
	size_t block;
	size_t pos, len;
	char *buf; /* SH_LINE_MAX */
};

enum sh_line {
	SH_LINE,
	SH_LINE_TOO_LONG,
	SH_LINE_INTERRUPTED,
	SH_LINE_END,
};

/*
 * The next line into line[SH_LINE_MAX], without its newline; NUL bytes are dropped, as a command
 * line cannot hold them. What follows SH_LINE_MAX - 2 bytes is read and forgotten.
 */
static enum sh_line read_line(struct sh_input *in, char *line)
{
	size_t n = 0;
	bool any = false;

	for (;;) {
		char c;

		if (in->pos == in->len) {
			ssize_t got = sys_read(in->fd, in->buf, in->block);

			if (got == -EINTR)
				return SH_LINE_INTERRUPTED;
			if (got <= 0 && !any)
				return SH_LINE_END;
			in->pos = 0;
			in->len = got <= 0 ? 0 : (size_t)got;
			if (got <= 0)
				break;
		}
		any = true;
		c = in->buf[in->pos++];
		if (c == '\n')
			break;
		if (c && n++ < SH_LINE_MAX - 2)
			line[n - 1] = c;
	}
	line[min(n, SH_LINE_MAX - 2UL)] = '\0';
	return n > SH_LINE_MAX - 2 ? SH_LINE_TOO_LONG : SH_LINE;
}

/* True when the line goes on in the next one: it ends with a backslash that is not itself escaped.
 */
static bool line_continues(const char *line)
{
	size_t n = strlen(line), slashes = 0;

	while (slashes < n && line[n - 1 - slashes] == '\\')
		slashes++;
	return slashes % 2;
}

static void print_prompt(const char *prompt)
{
	(void)sys_write(1, prompt, strlen(prompt)); /* no terminal, no prompt */
}

static void print_directory_prompt(char *buf)
{
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);

	if (!path || sys_getcwd(path, PATH_MAX) < 0)
		scnprintf(buf, SH_LINE_MAX, "nop5:?# ");
	else
		scnprintf(buf, SH_LINE_MAX, "nop5:%s# ", path);
	kfree(path);
	print_prompt(buf);
}

/* ^C at the prompt. */
static void sh_interrupted(struct shell *sh)
{
	flush_signals(current);
	print_prompt("\n");
	sh->status = 130;
}

/* A line with its continuation lines, into line; SH_LINE_TOO_LONG also when they do not fit
 * together. */
static enum sh_line read_logical_line(struct shell *sh, struct sh_input *in, char *line, char *more)
{
	enum sh_line result = read_line(in, line);

	while (result == SH_LINE && line_continues(line)) {
		size_t n = strlen(line) - 1;

		if (sh->interactive)
			print_prompt("> ");
		result = read_line(in, more);
		line[n] = '\0';
		if (result == SH_LINE && strscat(line, more, SH_LINE_MAX - 1) < 0)
			result = SH_LINE_TOO_LONG;
		else if (result == SH_LINE_END)
			return SH_LINE;
	}
	return result;
}

static void sh_loop(struct shell *sh, struct sh_input *in, char *line, char *more)
{
	while (!sh->leaving && (sh->interactive || !signal_pending(current))) {
		sh_reap();
		if (sh->interactive)
			print_directory_prompt(line);
		switch (read_logical_line(sh, in, line, more)) {
		case SH_LINE:
			sh_run_line(sh, line);
			break;
		case SH_LINE_TOO_LONG:
			err_printf("sh: line too long\n");
			sh->status = 2;
			break;
		case SH_LINE_INTERRUPTED:
			if (!sh->interactive || pending_signal(current) != SIGINT)
				return;
			sh_interrupted(sh);
			break;
		case SH_LINE_END:
			if (sh->interactive)
				print_prompt("\n");
			return;
		}
		if (sh->interactive && pending_signal(current) == SIGINT)
			sh_interrupted(sh); /* during wait */
	}
}

/* Lines from fd until its end; the last status. */
static int sh_main(int fd, bool own_script)
{
	struct shell sh = { .input = own_script ? fd : 0 };
	struct sh_input in = { .fd = fd };
	pid_t pgrp;

	in.buf = kmalloc(3 * SH_LINE_MAX, GFP_KERNEL);
	if (!in.buf) {
		err_printf("sh: out of memory\n");
		return 1;
	}
	sh.interactive = !own_script && !sys_ioctl(fd, TIOCGPGRP, (unsigned long)&pgrp);
	in.block = own_script || sh.interactive ? SH_LINE_MAX : 1;
	if (sh.interactive) {
		current->ignored_signals = SIGNAL_BIT(SIGQUIT) | SIGNAL_BIT(SIGTERM);
		sh_set_job(0, true);
	}
	sh_loop(&sh, &in, in.buf + SH_LINE_MAX, in.buf + 2 * SH_LINE_MAX);
	kfree(in.buf);
	return sh.status;
}

static int cmd_sh(struct sh_io *io, int argc, char **argv)
{
	struct shell sh = { 0 };
	int status, script = -1;
	long fd;

	if (argc < 2)
		return sh_main(0, false);
	if (!strcmp(argv[1], "-c")) {
		if (argc < 3)
			return usage(io);
		sh_run_line(&sh, argv[2]);
		return sh.status;
	}
	fd = sys_open(argv[1], O_RDONLY, 0);
	if (fd >= 0) {
		script = sh_dup_high((int)fd);
		sys_close((int)fd);
		fd = script;
	}
	if (fd < 0) {
		err_printf("sh: can't open '%s': %s\n", argv[1], errno_text((int)-fd));
		return 2;
	}
	status = sh_main(script, true);
	sys_close(script);
	return status;
}

/* In a pipeline or in the background these have nothing to change: they are in shell/exec.c. */
static int cmd_in_shell(struct sh_io *io, int argc __unused, char **argv __unused)
{
	return fail_with(io, "only as a command of the shell", -EINVAL);
}

const struct sh_command_def shell_commands[] = {
	{ "sh", cmd_sh, "[FILE | -c LINE]",
	  "run commands from a file, a line or the standard input" },
	{ "cd", cmd_in_shell, "[DIR]", "change the current directory" },
	{ "wait", cmd_in_shell, "", "wait for all background jobs" },
	{ "exit", cmd_in_shell, "[STATUS]", "leave the shell" },
	{ 0 },
};

static int shell_task(void *unused __unused)
{
	return sh_main(0, false);
}

/* The console as descriptors 0, 1 and 2 of this task, and of all its children. */
static void open_console(void)
{
	long fd = sys_open("/dev/console", O_RDWR, 0);

	if (fd < 0)
		panic("/dev/console: %s", errno_text((int)-fd));
	while (fd < 2) {
		long copy = sys_dup((int)fd);

		if (copy < 0)
			panic("no descriptors: %s", errno_text((int)-copy));
		fd = copy;
	}
}

/* PID 1, when the boot is done: keep a shell on the console. */
static void run_init(void)
{
	open_console();
	for (;;) {
		struct task_struct *sh = kernel_clone(shell_task, NULL, "sh");
		int status;

		if (IS_ERR(sh))
			panic("no shell: %s", errno_text((int)-PTR_ERR(sh)));
		while (kernel_wait4(sh->pid, &status, 0) == -EINTR)
			flush_signals(current);
		put_task_struct(sh);
	}
}

static int __init shell_init(void)
{
	init_process = run_init;
	return 0;
}
late_initcall(shell_init);
