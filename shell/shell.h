/*
 * The shell and its commands. Each command runs in its own task, and uses the system calls of
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
	char **argv; /* the operands, which follow the options; ends with a NULL */
	struct options options;
	struct stream out; /* descriptor 1; a write error is reported at the end of the command */
	int status;        /* the exit status */
};

struct command {
	const char *name;
	const char *options; /* for options_parse(); NULL: the command has no options */
	int operands;        /* the smallest number of operands */
	const char *usage;   /* options and operands, as help prints them */
	const char *help;    /* one line */
	/* A command sets one of run, path, operand and input. */
	int (*run)(struct call *call); /* returns the exit status */
	/* Called for each operand. They return 0 or an error. */
	long (*path)(const char *path);
	long (*operand)(struct call *call, const char *operand);
	/* Called for each file after the first `operands` operands, or for descriptor 0. */
	void (*input)(struct call *call, struct stream *in);
	const char *file; /* the operand of a call without operands */
	int flags;        /* for the open(2) of an input */
	int status;       /* the exit status, unless input sets another */
	bool in_shell;    /* runs in the shell's own task, because it changes that task */
};

/* SHELL_COMMAND(name, options, operands, usage, help, .run = function) adds a command. */
#define SHELL_COMMAND(name, ...)      __SHELL_COMMAND(__COUNTER__, name, __VA_ARGS__)
#define __SHELL_COMMAND(n, name, ...) ___SHELL_COMMAND(n, name, __VA_ARGS__)
#define ___SHELL_COMMAND(n, name, ...)                                                             \
	static const struct command __shell_command_##n LINKER_TABLE_ENTRY(                        \
		rodata, shell_commands, name) = { name, __VA_ARGS__ }

const struct command *find_command(const char *name);
/*
 * Runs a command in the calling task. Returns its exit status: 127 if no command has this name; 1,
 * after `sh: write error: TEXT`, if a write of its output failed.
 */
int run_command(char **argv);

#define option(call, letter, otherwise) option_value(&(call)->options, letter, otherwise)
#define out_printf(call, ...)           stream_printf(&(call)->out, __VA_ARGS__)
/* Tells if the command must stop: a write of its output failed, or a signal came. */
bool stopped(const struct call *call);
/* Prints `NAME: WHAT: TEXT OF ERROR`, except for -EINTR. error is negative. Returns status 1. */
int failed(const struct call *call, const char *what, long error);
/* Prints the usage. Returns status 2. */
int usage(const struct call *call);
