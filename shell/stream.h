/*
 * What a C library gives to programs, for code that works on descriptors as they do: files by lines
 * or pieces, formatted output, directories in order. Task context.
 */
#pragma once

#include "fs/syscalls.h"
#include "kernel/compiler.h"

/*
 * A descriptor: read through a buffer, which grows as far as lines or pieces need it; written to
 * without one.
 */
struct stream {
	const char *name;
	int fd;
	long end; /* 0; 1: there is no more; or the negative errno that ended it */
	ssize_t (*read)(int fd, void *buf, size_t size);
	char *buf;             /* NULL at first; size + 1 bytes */
	size_t pos, len, size; /* what is not consumed yet: from pos to len */
};

/* path NULL, or -: descriptor 0. flags as for open(2); O_DIRECTORY: to be read with getdents64(2).
 * A failure is s->end. */
void stream_open(struct stream *s, const char *path, int flags);
void stream_close(struct stream *s);
/* Read more behind what is not consumed yet. False at the end. */
bool stream_fill(struct stream *s);
/* As fread(3): the next size bytes; fewer only at the end. */
size_t stream_read(struct stream *s, void *buf, size_t size);
/* The next line, with a NUL in place of its newline; NULL at the end. */
char *stream_line(struct stream *s, size_t *len);

/* All of a file as a string, to be kfree()d, or an ERR_PTR. */
char *read_file(const char *path);
/*
 * Call fn for each entry of a directory but . and .., in order of names (numbers by their value),
 * until it gives something else than 0: that, or the error of reading the directory.
 */
long scan_directory(const char *directory,
		    long (*fn)(void *arg, const char *path, const char *name), void *arg);

/*
 * Write all of data, in one write(2) unless that takes less. After one was refused (s->end) no more
 * is written.
 */
void stream_write(struct stream *s, const void *data, size_t size);
/* The same for a text. -ENOMEM too, but only for a long one. */
__printf(2, 3) void stream_printf(struct stream *s, const char *fmt, ...);
/*
 * A message for people, to descriptor 2 in one write(2). What is not text becomes ?: noise that was
 * typed as a command must not come back to the terminal as control characters.
 */
__printf(1, 2) void err_printf(const char *fmt, ...);
