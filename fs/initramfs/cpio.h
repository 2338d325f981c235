/*
 * Reads cpio archives in the format newc, entry by entry. Linux's
 * Documentation/driver-api/early-userspace/buffer-format.rst describes the format.
 *
 * The reader depends only on the bytes of the archive, and trusts none of them. It allocates
 * nothing. Any context. A host test and a fuzzer use it, too.
 */
#pragma once

#include "kernel/types.h"

#define CPIO_NAME_MAX 4096 /* bytes of a name or of the text of a link, with the NUL */

/* One entry. name and data point into the archive. */
struct cpio_entry {
	const char *name; /* terminated; not empty */
	const char *data; /* size bytes; the text of a symbolic link is not terminated */
	u32 size;
	u32 ino;
	u32 mode; /* type and permissions, as in struct stat */
	u32 uid, gid;
	u32 nlink;
	u32 mtime;                  /* s since 1970 */
	u32 dev_major, dev_minor;   /* of the file system that was packed */
	u32 rdev_major, rdev_minor; /* of a device node */
};

/* The caller fills data and size, and sets the rest to 0. */
struct cpio_reader {
	const char *data;
	size_t size;
	size_t pos;
	const char *problem; /* the reason for -EINVAL */
};

/* Values of cpio_next(). */
#define CPIO_END     0 /* nothing but padding follows */
#define CPIO_ENTRY   1
#define CPIO_TRAILER 2 /* the end of one archive; numbers of inodes have no meaning beyond it */

/* Reads the next entry. Returns CPIO_*, or -EINVAL and stays where it is. */
int cpio_next(struct cpio_reader *reader, struct cpio_entry *entry);
