/* The text of mount(2)'s last argument: "name=value,name", as each file system reads it. */
#pragma once

#include "kernel/types.h"

/*
 * Calls set for each option of data (NULL: none), until it returns an error, which is returned;
 * value is "" for an option without one. -ENOMEM. Task context.
 */
int parse_mount_options(const char *data,
			int (*set)(void *info, const char *name, const char *value), void *info);
/* 0, or -EINVAL if value is no number of this base, or more than max. Any context. */
int mount_option_number(const char *value, unsigned base, unsigned max, u32 *number);
