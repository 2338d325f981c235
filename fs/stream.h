/*
 * What a C library gives to programs, for code that works on descriptors as they do: files by lines
 * or pieces, formatted output, directories in order. Task context.
 */
#pragma once

#include "fs/syscalls.h"
#include "kernel/compiler.h"

/* A descriptor that is read through a buffer, which grows as far as lines or pieces need it. */
struct stream {
	const char *name;
	int fd;
	ssize_t (*read)(int fd, void *buf, size_t size);
	char *buf;             /* NULL at first; size + 1 bytes */
	size_t pos, len, size; /* what is not consumed yet: from pos to len */
	long end;              /* 0; 1: there is no more; or the negative errno that ended it */
};

/* path NULL: descriptor 0. flags as for open(2); O_DIRECTORY: to be read with getdents64(2). A
 * failure is s->end. */
void stream_open(struct stream *s, const char *path, int flags);
void stream_close(struct stream *s);
/* Read more behind what is not consumed yet. False at the end. */
bool stream_fill(struct stream *s);
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

/* All of data: 0 or the error of the first write(2) that was refused. */
long write_all(int fd, const void *data, size_t size);
/* The same for a text, in one write(2) unless that takes less. -ENOMEM too. */
long vfd_printf(int fd, const char *fmt, va_list args);
