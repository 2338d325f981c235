/* The text of mount(2)'s last argument. See options.h. */
#include "fs/mount/options.h"
#include "kernel/errno.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

int parse_mount_options(const char *data,
			int (*set)(void *info, const char *name, const char *value), void *info)
{
	char *copy, *rest, *option;
	int error = 0;

	if (!data)
		return 0;
	copy = rest = kstrdup(data, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	while (!error && (option = strsep(&rest, ","))) {
		char *value = strchr(option, '=');

		if (!*option)
			continue;
		if (value)
			*value++ = '\0';
		error = set(info, option, value ? value : "");
	}
	kfree(copy);
	return error;
}

int mount_option_number(const char *value, unsigned base, unsigned max, u32 *number)
{
	unsigned n;

	if (kstrtouint(value, base, &n) || n > max)
		return -EINVAL;
	*number = n;
	return 0;
}
