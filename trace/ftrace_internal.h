/* Between the files of dynamic ftrace: trace/ftrace*.c. */
#pragma once

#include "kernel/locking/mutex.h"
#include "trace/ftrace.h"
#include "trace/ftrace_hash.h"

extern struct mutex ftrace_lock; /* F: records, ops, hashes */

/* Every CPU has switched tasks: what callbacks used before is used no more. Task context. */
void ftrace_synchronize(void);
/*
 * Give ops these hashes (NULL: empty) and free those it had; sites follow if it is registered.
 * Takes the hashes over, whatever it returns: 0, -ENODEV. ftrace_lock held.
 */
int ftrace_replace_hashes(struct ftrace_ops *ops, struct ftrace_hash *filter,
			  struct ftrace_hash *notrace_hash);
/*
 * Change hash by one word of a filter: a name, a pattern, a number from 1 on, any with '!' before
 * it. 0 and the changed copy in *result, -EINVAL, -ENOMEM. Task context.
 */
int ftrace_match_records(const struct ftrace_hash *hash, const char *word,
			 struct ftrace_hash **result);
