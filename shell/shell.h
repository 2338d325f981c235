/*
 * The shell and its commands: functions in one table. Each runs as a task of its own and works on
 * the system calls of fs/syscalls.h, as a shell in user space will.
 */
#pragma once

#include "fs/syscalls.h"
#include "kernel/compiler.h"

#define SH_OUTPUT_SIZE 4096

struct input;

/* One run of a command. */
struct call {
	const struct command *command;
	int argc;    /* operands: what follows the options */
	char **argv; /* NULL-terminated */
	int status;  /* what grep and sh find out from their input */
	int error;   /* of the first write that was refused: nothing is written after it */
	size_t used; /* bytes of output */
	char output[SH_OUTPUT_SIZE]; /* goes out when full, before reading, and in the end */
	long options['z' - 'A' + 1]; /* by letter: the value, 1 if it takes none; -1: not given */
};

typedef int command_run(struct call *call); /* gives the exit status */
typedef void command_input(struct call *call, struct input *in);

/* A row of the table, shell/commands.c. */
struct command {
	const char *name;
	const char *options; /* letters, with a : where a number follows; NULL: not looked for */
	int operands;        /* at least so many */
	const char *usage;   /* options and operands, for people */
	const char *help;    /* one line */
	/* What it does, one of these: */
	command_run *run;
	command_input *input;           /* for each file that is named, or descriptor 0 */
	long (*path)(const char *path); /* for each operand; gives 0 or an error */
	bool in_shell;                  /* runs in the shell's own task, which it is to change */
};

command_run cmd_chrt, cmd_dis, cmd_dmesg, cmd_echo, cmd_free, cmd_grep, cmd_hackbench, cmd_kill,
	cmd_ls, cmd_ps, cmd_stress, cmd_taskset, cmd_time, cmd_trace_export, cmd_uptime, cmd_wait;
command_input cat_input, head_input, hexdump_input, tail_input, wc_input, sh_input;
long cmd_sleep(const char *text);

const struct command *find_command(const char *name);
/*
 * Run a command in the calling task: its exit status; 127 when there is none of that name. Says so
 * when its output was refused (`sh: write error: TEXT`, status 1).
 */
int run_command(int argc, char **argv);
/* An option's number, or otherwise if it was not given. */
long option(const struct call *call, char letter, long otherwise);

/* ---- output ---- */

void out_write(struct call *call, const void *data, size_t n);
__printf(2, 3) void out_printf(struct call *call, const char *fmt, ...);
void out_flush(struct call *call);
/* Time to give up: the output is refused, or a signal came. */
bool stopped(const struct call *call);
/* To descriptor 2, at once, as one write. */
__printf(1, 2) void err_printf(const char *fmt, ...);
/* `NAME: WHAT: TEXT OF ERROR`; returns 1. error is negative; -EINTR is not told. */
int failed(struct call *call, const char *what, long error);
int usage(const struct call *call); /* 2 */

/* ---- input ---- */

struct input {
	const char *name;
	int fd;
	ssize_t (*read)(int fd, void *buf, size_t size);
	char *buf;             /* NULL at first; size + 1 bytes */
	size_t pos, len, size; /* what is not consumed yet: from pos to len */
	long end;              /* 0; 1: there is no more; or the negative errno that ended it */
};

/* name NULL: descriptor 0. A failure is in->end. */
void open_input(struct input *in, const char *name, int flags);
/* 0, or 1 after a message when it has failed. */
int close_input(struct call *call, struct input *in);
/* Read more behind what is not consumed yet; the output goes out first. False at the end. */
bool fill(struct call *call, struct input *in);
/* The next line, with its newline if it has one, and room for a NUL behind it; NULL at the end. */
char *next_line(struct call *call, struct input *in, size_t *len);
/* Call fn for each file that the operands from first on name, or for descriptor 0. 0, or 1. */
int each_input(struct call *call, int first, command_input *fn);
/* All of a file as a string, to be kfree()d, or an ERR_PTR. */
char *read_file(struct call *call, const char *path);
/* Call fn for each entry of a directory, in order of names. 0, or 1 if something has failed. */
int each_entry(struct call *call, const char *directory,
	       int (*fn)(struct call *call, const char *path, const char *name));

/* ---- tasks ---- */

/* The current directory, to be kfree()d; NULL when it has been removed. */
char *working_directory(void);
/* Make a child that runs fn(arg): its PID or a negative errno. */
pid_t spawn(int (*fn)(void *arg), void *arg, const char *name);
