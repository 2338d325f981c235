/* The options of a tmpfs: size, nr_inodes, mode, … of mount(2). */
#include "fs/mount/options.h"
#include "fs/tmpfs/tmpfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
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

/*
 * Parses "size=64m,mode=1777,nr_inodes=1k,uid=0,gid=0" into info; data may be NULL. 0, or -EINVAL
 * for an option that it does not know or understand. It depends on nothing but the text.
 */
static int parse_options(struct tmpfs_sb_info *info, const char *data)
{
	return parse_mount_options(data, set_option, info);
}

static void tmpfs_show_options(struct seq_file *m, struct super_block *sb)
{
	struct tmpfs_sb_info *info = tmpfs_sb(sb);

	if (info->show_size)
		seq_printf(m, ",size=%ldk", info->max_blocks * (s64)(PAGE_SIZE / 1024));
	if (info->show_inodes)
		seq_printf(m, ",nr_inodes=%ld", info->max_inodes);
	if (info->mode != (S_IRWXUGO | S_ISVTX))
		seq_printf(m, ",mode=%03o", info->mode);
	if (info->uid)
		seq_printf(m, ",uid=%u", info->uid);
	if (info->gid)
		seq_printf(m, ",gid=%u", info->gid);
}

static int tmpfs_remount(struct super_block *sb, const char *data)
{
	struct tmpfs_sb_info *info = tmpfs_sb(sb), wanted = *info;
	int err = parse_options(&wanted, data);

	if (err)
		return err;
	if (wanted.max_blocks && wanted.max_blocks < atomic64_read(&info->used_blocks))
		return -EINVAL;
	if (wanted.max_inodes && wanted.max_inodes < atomic64_read(&info->used_inodes))
		return -EINVAL;
	/* The mode and the owner of the root are for the first mount only. */
	info->max_blocks = wanted.max_blocks;
	info->max_inodes = wanted.max_inodes;
	info->show_size = wanted.show_size;
	info->show_inodes = wanted.show_inodes;
	return 0;
}

static int __init tmpfs_options_init(void)
{
	tmpfs_options_hook = parse_options;
	tmpfs_super_operations.show_options = tmpfs_show_options;
	tmpfs_super_operations.remount = tmpfs_remount;
	return 0;
}
core_initcall(tmpfs_options_init);
