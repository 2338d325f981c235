/*
 * The shell and its commands. Each runs as a task of its own and works on the system calls of
 * fs/syscalls.h, as a shell in user space will.
 */
#pragma once

#include "shell/stream.h"
#include "kernel/lib/getopt.h"
#include "kernel/linker_table.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"

/* One run of a command. */
struct call {
	const struct command *command;
	char **argv; /* operands: what follows the options; NULL-terminated */
	struct options options;
	struct stream out; /* descriptor 1: a refusal is told when the command has ended */
	int status;
};

struct command {
	const char *name;
	const char *options; /* as options_parse() wants them; NULL: not looked for */
	int operands;        /* at least so many */
	const char *usage;   /* options and operands, for people */
	const char *help;    /* one line */
	/* What it does, one of these: */
	int (*run)(struct call *call); /* gives the exit status */
	/* For each operand: 0 or an error. */
	long (*path)(const char *path);
	long (*operand)(struct call *call, const char *operand);
	/* For each file named behind the operands that must be there, or for descriptor 0. */
	void (*input)(struct call *call, struct stream *in);
	const char *file; /* what it is called for when no operand is there */
	int flags;        /* to open(2) the input with */
	int status;       /* unless input finds out another */
	bool in_shell;    /* runs in the shell's own task, which it is to change */
};

/* SHELL_COMMAND(name, options, operands, usage, help, .run = function) adds it to the table. */
#define SHELL_COMMAND(name, ...)      __SHELL_COMMAND(__COUNTER__, name, __VA_ARGS__)
#define __SHELL_COMMAND(n, name, ...) ___SHELL_COMMAND(n, name, __VA_ARGS__)
#define ___SHELL_COMMAND(n, name, ...)                                                             \
	static const struct command __shell_command_##n LINKER_TABLE_ENTRY(                        \
		rodata, shell_commands, name) = { name, __VA_ARGS__ }

const struct command *find_command(const char *name);
/*
 * Run a command in the calling task: its exit status; 127 when there is none of that name. Says so
 * when its output was refused (`sh: write error: TEXT`, status 1).
 */
int run_command(char **argv);

#define option(call, letter, otherwise) option_value(&(call)->options, letter, otherwise)
#define out_printf(call, ...)           stream_printf(&(call)->out, __VA_ARGS__)
/* Time to give up: the output is refused, or a signal came. */
bool stopped(const struct call *call);
/* `NAME: WHAT: TEXT OF ERROR`; returns 1. error is negative; -EINTR is not told. */
int failed(const struct call *call, const char *what, long error);
int usage(const struct call *call); /* 2 */
