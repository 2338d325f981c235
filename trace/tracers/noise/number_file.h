/* Files that hold one number, which must stay between two bounds: osnoise/ and hwlat_detector/. */
#pragma once

#include "kernel/compiler.h"

struct dentry;

/* [N] number_mutex to write, and READ_ONCE() to read; no letter: constant. */
struct number_file {
	const char *name;
	u64 *value;           /* [N] */
	const u64 *min, *max; /* [N] perhaps the value of another file; NULL: no bound */
};

/*
 * Creates the files of a table, which a NULL name ends, in dir. A read prints the number. A write
 * takes a decimal number: -EINVAL if it is out of bounds. 0 or -ENOMEM. Boot.
 */
int create_number_files(const struct number_file *files, struct dentry *dir);
