/*
 * Commands of the shell: a table of functions, and what they share. Each runs as a task of its own
 * and works on the system calls of fs/syscalls.h.
 */
#pragma once

#include "kernel/compiler.h"

/* A command's standard output, buffered: it goes out when the buffer is full, on flush, and at the
 * end. */
struct sh_io {
	char *buf; /* SH_IO_SIZE bytes */
	size_t len;
	int error; /* of the first write that failed, 0 so far; nothing is written after it */
	const char *name; /* argv[0], for messages */
};

#define SH_IO_SIZE 4096

struct sh_command_def {
	const char *name;
	int (*main)(struct sh_io *io, int argc, char **argv); /* the exit status */
	const char *args;                                     /* for help and usage messages */
	const char *help;                                     /* one line */
};

/* Tables, each ended by a NULL name. */
extern const struct sh_command_def file_commands[], text_commands[], system_commands[],
	process_commands[], load_commands[], debug_commands[], trace_commands[], shell_commands[];

const struct sh_command_def *find_command(const char *name);
/* Call fn for each command, in the order of help. */
void for_each_command(void (*fn)(struct sh_io *io, const struct sh_command_def *def),
		      struct sh_io *io);
/*
 * Run a command in the calling task: its exit status; 127 when there is none of that name. Says so
 * when its output was refused (`sh: write error: TEXT`, status 1).
 */
int run_command(int argc, char **argv);

/* ---- output ---- */

void out_write(struct sh_io *io, const void *data, size_t n);
void out_puts(struct sh_io *io, const char *s);
__printf(2, 3) void out_printf(struct sh_io *io, const char *fmt, ...);
/* 0 or the error. */
int out_flush(struct sh_io *io);
/* Time to give up: the output is refused, or a signal came. */
bool out_stop(const struct sh_io *io);
/* To descriptor 2, at once, as one write. */
__printf(1, 2) void err_printf(const char *fmt, ...);
/* `NAME: WHAT: TEXT OF ERROR`; returns 1. error is negative. */
int fail_with(struct sh_io *io, const char *what, long error);
/* Print how the command is called; returns 1. */
int usage(struct sh_io *io);

/* ---- arguments ---- */

struct sh_options {
	int index;  /* of the next argument; after the last option, of the first operand */
	int within; /* position in a word of several options */
	const char *value;
};

/*
 * The next option letter of accepted ("n:v": n takes a value), 0 when there is no more, or -1 after
 * an error message. Start with a zeroed struct.
 */
int next_option(struct sh_io *io, int argc, char **argv, const char *accepted,
		struct sh_options *options);
/* A decimal number in [low, high], or a message and false. */
bool parse_number(struct sh_io *io, const char *text, long low, long high, long *result);

/* ---- input ---- */

#define SH_LINE_SIZE 8192 /* longer lines come in pieces */

struct sh_reader {
	int fd;
	char *buf; /* SH_LINE_SIZE + 1 bytes */
	size_t pos, len;
	long error; /* 0 or the negative errno that ended the input */
};

bool reader_init(struct sh_reader *r, int fd); /* false: no memory */
/* The next line, with its newline if it has one, not terminated; NULL at the end or on error. */
const char *reader_line(struct sh_reader *r, size_t *len);
/* The next call would have to ask the file. */
bool reader_empty(const struct sh_reader *r);
void reader_free(struct sh_reader *r);

/*
 * Call fn with each file named (`-` and no name at all: descriptor 0), opened for reading. A file
 * that cannot be opened is named. The worst status.
 */
int for_each_input(struct sh_io *io, int argc, char **argv, int first,
		   int (*fn)(struct sh_io *io, int fd, const char *name, void *context),
		   void *context);
