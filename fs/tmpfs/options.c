/* The options of mount(2) for tmpfs. See options.h. */
#include "fs/tmpfs/options.h"
#include "fs/mount/options.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"

/* A number with one of the suffixes k, m, g. Returns the rest of the text. */
static const char *parse_size(const char *s, u64 *value)
{
	char *end;
	u64 n = simple_strtoul(s, &end, 0);
	unsigned shift = 0;

	switch (*end) {
	case 'g':
	case 'G':
		shift = 30;
		break;
	case 'm':
	case 'M':
		shift = 20;
		break;
	case 'k':
	case 'K':
		shift = 10;
		break;
	}
	*value = n << shift;
	return end + (shift != 0);
}

static int set_max_blocks(struct tmpfs_sb_info *info, const char *value, bool blocks)
{
	struct meminfo mem;
	const char *end;
	u64 n;

	end = parse_size(value, &n);
	if (!blocks && *end == '%') {
		si_meminfo(&mem);
		n = mem.total / 100 * n;
		end++;
	}
	if (end == value || *end)
		return -EINVAL;
	info->max_blocks = (s64)(blocks ? n : DIV_ROUND_UP(n, PAGE_SIZE));
	info->show_size = true;
	return 0;
}

static int set_option(void *sb_info, const char *name, const char *value)
{
	struct tmpfs_sb_info *info = sb_info;
	u32 number = 0;
	u64 n;
	int err = 0;

	if (!strcmp(name, "size"))
		return set_max_blocks(info, value, false);
	if (!strcmp(name, "nr_blocks"))
		return set_max_blocks(info, value, true);
	if (!strcmp(name, "nr_inodes")) {
		if (*parse_size(value, &n))
			return -EINVAL;
		info->max_inodes = (s64)n;
		info->show_inodes = true;
		return 0;
	}
	if (!strcmp(name, "mode")) {
		err = mount_option_number(value, 8, S_IALLUGO, &number);
		info->mode = err ? info->mode : (umode_t)number;
		return err;
	}
	if (!strcmp(name, "uid"))
		return mount_option_number(value, 10, ~0U - 1, &info->uid);
	if (!strcmp(name, "gid"))
		return mount_option_number(value, 10, ~0U - 1, &info->gid);
	/* Options that say how Linux would place the pages. */
	if (!strcmp(name, "huge") || !strcmp(name, "mpol") || !strcmp(name, "inode32") ||
	    !strcmp(name, "inode64"))
		return 0;
	return -EINVAL;
}

int tmpfs_parse_options(struct tmpfs_sb_info *info, const char *data)
{
	return parse_mount_options(data, set_option, info);
}
