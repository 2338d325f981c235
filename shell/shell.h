/*
 * The shell and its commands. Each runs as a task of its own and works on the system calls of
 * fs/syscalls.h, as a shell in user space will.
 */
#pragma once

#include "fs/stream.h"
#include "kernel/compiler.h"

/* One run of a command. */
struct call {
	const struct command *command;
	int argc;    /* operands: what follows the options */
	char **argv; /* NULL-terminated */
	int status;  /* what grep and sh find out from their input */
	long error;  /* of the first write that was refused: nothing is written after it */
	long options['z' - 'A' + 1]; /* by letter: the value, 1 if it takes none; -1: not given */
};

struct command {
	const char *name;
	const char *options; /* letters, with a : where a number follows; NULL: not looked for */
	int operands;        /* at least so many */
	const char *usage;   /* options and operands, for people */
	const char *help;    /* one line */
	/* What it does, one of these: */
	int (*run)(struct call *call); /* gives the exit status */
	void (*input)(struct call *call,
		      struct stream *); /* for each file named, or descriptor 0 */
	long (*path)(const char *path); /* for each operand; 0 or an error */
	bool in_shell;                  /* runs in the shell's own task, which it is to change */
};

/* SHELL_COMMAND(name, options, operands, usage, help, .run = function) adds it to the table. */
#define SHELL_COMMAND(name, ...)      __SHELL_COMMAND(__COUNTER__, name, __VA_ARGS__)
#define __SHELL_COMMAND(n, name, ...) ___SHELL_COMMAND(n, name, __VA_ARGS__)
#define ___SHELL_COMMAND(n, name, ...)                                                             \
	static const struct command __shell_command_##n __used __aligned(8)                        \
		__section(".shell_commands." name) = { name, __VA_ARGS__ }

const struct command *find_command(const char *name);
/*
 * Run a command in the calling task: its exit status; 127 when there is none of that name. Says so
 * when its output was refused (`sh: write error: TEXT`, status 1).
 */
int run_command(int argc, char **argv);
/* An option's number, or otherwise if it was not given. */
long option(const struct call *call, char letter, long otherwise);
/* Call input for the files that the operands from first on name, or for descriptor 0. 0, or 1. */
int each_input(struct call *call, int first, void (*input)(struct call *call, struct stream *in));

void out_write(struct call *call, const void *data, size_t n);
__printf(2, 3) void out_printf(struct call *call, const char *fmt, ...);
/* To descriptor 2. */
__printf(1, 2) void err_printf(const char *fmt, ...);
/* Time to give up: the output is refused, or a signal came. */
bool stopped(const struct call *call);
/* `NAME: WHAT: TEXT OF ERROR`; returns 1. error is negative; -EINTR is not told. */
int failed(const struct call *call, const char *what, long error);
int usage(const struct call *call); /* 2 */

/* Make a child that runs fn(arg): its PID or a negative errno. */
pid_t spawn(int (*fn)(void *arg), void *arg, const char *name);
/*
 * Wait for a child: its status as $? has it. A signal that comes meanwhile is passed on to it, and
 * left in *sig (0 at first) for those that are waited for next.
 */
int wait_for(pid_t pid, int *sig);
