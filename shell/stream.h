/*
 * Functions that a C library would have: input by lines or pieces, formatted output, and sorted
 * directories, all on descriptors. Task context.
 */
#pragma once

#include "fs/syscalls.h"
#include "kernel/compiler.h"

/*
 * A descriptor. Reads use a buffer, which grows if a line or a piece needs more room. Writes use no
 * buffer.
 */
struct stream {
	const char *name;
	int fd;
	long end; /* 0; 1: end of file; or a negative errno */
	ssize_t (*read)(int fd, void *buf, size_t size);
	char *buf;             /* NULL at first; size + 1 bytes */
	size_t pos, len, size; /* the bytes from pos to len are not consumed yet */
};

/*
 * Opens path; NULL and "-" mean descriptor 0. flags are those of open(2); a stream with O_DIRECTORY
 * reads with getdents64(2). s->end has the error.
 */
void stream_open(struct stream *s, const char *path, int flags);
void stream_close(struct stream *s);
/* Reads more bytes behind those that are not consumed yet. Returns false at the end. */
bool stream_fill(struct stream *s);
/* Reads size bytes as fread(3) does. Returns less only at the end. */
size_t stream_read(struct stream *s, void *buf, size_t size);
/* Returns the next line, with a NUL in place of its newline; NULL at the end. */
char *stream_line(struct stream *s, size_t *len);

/* Returns a whole file as a string, which the caller kfree()s, or an ERR_PTR. */
char *read_file(const char *path);
/*
 * Calls fn for each entry of a directory except . and .., in the order of the names (numbers by
 * their value), until fn returns a value other than 0. Returns that value, 0, or an error.
 */
long scan_directory(const char *directory,
		    long (*fn)(void *arg, const char *path, const char *name), void *arg);

/*
 * Writes all of data, in one write(2) if that accepts all. After an error, which is in s->end, the
 * function writes nothing more.
 */
void stream_write(struct stream *s, const void *data, size_t size);
/* Formats and writes a text. A long text can also fail with -ENOMEM. */
__printf(2, 3) void stream_printf(struct stream *s, const char *fmt, ...);
/*
 * Prints a message on descriptor 2, in one write(2). Control characters become ?, because a message
 * may contain noise that came in as a command, which must not control the terminal.
 */
__printf(1, 2) void err_printf(const char *fmt, ...);
