/* Self-tests of paths and names. They use /tmp/selftest, and remove it at the end. */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "selftest/lib/files.h"
#include "selftest/selftest.h"

#define DIR "/tmp/selftest"

static void put_text(const char *path, const char *text)
{
	struct file *file = file_open(path, O_WRONLY | O_CREAT | O_TRUNC);

	if (IS_ERR(file))
		return;
	file_write(file, text, strlen(text));
	fput(file);
}

/* Tells if the file at path contains text. */
static bool has_text(const char *path, const char *text)
{
	char buf[64] = "";
	struct file *file = file_open(path, O_RDONLY);

	if (IS_ERR(file))
		return false;
	file_read(file, buf, sizeof(buf) - 1);
	fput(file);
	return !strcmp(buf, text);
}

static long open_errno(const char *path, int flags)
{
	struct file *file = file_open(path, flags);

	if (IS_ERR(file))
		return PTR_ERR(file);
	fput(file);
	return 0;
}

SELFTEST(vfs, walk_follows_dots_slashes_and_links)
{
	ASSERT(do_mkdirat(AT_FDCWD, DIR, 0755) == 0);
	ASSERT(do_mkdirat(AT_FDCWD, DIR "/a", 0755) == 0);
	put_text(DIR "/a/f", "text");
	EXPECT(do_symlinkat("a", AT_FDCWD, DIR "/link") == 0);
	EXPECT(do_symlinkat("/tmp/selftest/link/f", AT_FDCWD, DIR "/to_f") == 0);
	EXPECT(do_symlinkat("../selftest/a/", AT_FDCWD, DIR "/slash") == 0);

	EXPECT(has_text(DIR "/a/f", "text"));
	EXPECT(has_text("//tmp/./selftest//a/../a/./f", "text"));
	EXPECT(has_text("/../../tmp/selftest/a/f", "text"));
	EXPECT(has_text(DIR "/link/f", "text"));
	EXPECT(has_text(DIR "/link/../a/f", "text"));
	EXPECT(has_text(DIR "/to_f", "text"));
	EXPECT(has_text(DIR "/slash/f", "text"));
	EXPECT_EQ(open_errno(DIR "/to_f/", O_RDONLY), -ENOTDIR);

	EXPECT(do_unlinkat(AT_FDCWD, DIR "/link") == 0);
	EXPECT_EQ(open_errno(DIR "/to_f", O_RDONLY), -ENOENT);
	EXPECT(do_unlinkat(AT_FDCWD, DIR "/to_f") == 0);
	EXPECT(do_unlinkat(AT_FDCWD, DIR "/slash") == 0);
	EXPECT(do_unlinkat(AT_FDCWD, DIR "/a/f") == 0);
	EXPECT(do_rmdirat(AT_FDCWD, DIR "/a/") == 0);
	EXPECT(do_rmdirat(AT_FDCWD, DIR) == 0);
}

SELFTEST(vfs, creation_follows_a_dangling_link)
{
	ASSERT(do_mkdirat(AT_FDCWD, DIR, 0755) == 0);
	EXPECT(do_symlinkat("target", AT_FDCWD, DIR "/link") == 0);
	EXPECT_EQ(open_errno(DIR "/link", O_WRONLY | O_CREAT | O_EXCL), -EEXIST);
	EXPECT_EQ(open_errno(DIR "/link", O_WRONLY | O_CREAT | O_NOFOLLOW), -ELOOP);
	put_text(DIR "/link", "made");
	EXPECT(has_text(DIR "/target", "made"));
	EXPECT(do_unlinkat(AT_FDCWD, DIR "/link") == 0);
	EXPECT(has_text(DIR "/target", "made"));
	EXPECT(do_unlinkat(AT_FDCWD, DIR "/target") == 0);
	EXPECT(do_rmdirat(AT_FDCWD, DIR) == 0);
}

SELFTEST(vfs, loops_of_links_end)
{
	ASSERT(do_mkdirat(AT_FDCWD, DIR, 0755) == 0);
	EXPECT(do_symlinkat("b", AT_FDCWD, DIR "/a") == 0);
	EXPECT(do_symlinkat("a", AT_FDCWD, DIR "/b") == 0);
	EXPECT(do_symlinkat("grow/x", AT_FDCWD, DIR "/grow") == 0);
	EXPECT_EQ(open_errno(DIR "/a", O_RDONLY), -ELOOP);
	EXPECT_EQ(open_errno(DIR "/a/x", O_RDONLY | O_CREAT), -ELOOP);
	EXPECT_EQ(open_errno(DIR "/grow", O_RDONLY), -ELOOP);
	EXPECT(do_unlinkat(AT_FDCWD, DIR "/a") == 0);
	EXPECT(do_unlinkat(AT_FDCWD, DIR "/b") == 0);
	EXPECT(do_unlinkat(AT_FDCWD, DIR "/grow") == 0);
	EXPECT(do_rmdirat(AT_FDCWD, DIR) == 0);
}

/* The errors are those of Linux 6.1 for the same calls. */
SELFTEST(vfs, refusals_are_linuxs)
{
	ASSERT(do_mkdirat(AT_FDCWD, DIR, 0755) == 0);
	put_text(DIR "/f", "x");
	EXPECT_EQ(open_errno("", O_RDONLY), -ENOENT);
	EXPECT_EQ(open_errno(DIR "/none", O_RDONLY), -ENOENT);
	EXPECT_EQ(open_errno(DIR "/none/x", O_RDONLY | O_CREAT), -ENOENT);
	EXPECT_EQ(open_errno(DIR "/f/x", O_RDONLY), -ENOTDIR);
	EXPECT_EQ(open_errno(DIR "/f/", O_RDONLY), -ENOTDIR);
	EXPECT_EQ(open_errno(DIR "/f", O_RDONLY | O_DIRECTORY), -ENOTDIR);
	EXPECT_EQ(open_errno(DIR "/g/", O_RDONLY | O_CREAT), -EISDIR);
	EXPECT_EQ(open_errno(DIR "/f", O_RDONLY | O_CREAT | O_EXCL), -EEXIST);
	EXPECT_EQ(open_errno(DIR, O_WRONLY), -EISDIR);
	EXPECT_EQ(open_errno("/", O_RDONLY | O_CREAT), -EISDIR);
	EXPECT_EQ(do_mkdirat(AT_FDCWD, DIR, 0755), -EEXIST);
	EXPECT_EQ(do_mkdirat(AT_FDCWD, "/", 0755), -EEXIST);
	EXPECT_EQ(do_mkdirat(AT_FDCWD, DIR "/.", 0755), -EEXIST);
	EXPECT_EQ(do_mkdirat(AT_FDCWD, DIR "/f/d", 0755), -ENOTDIR);
	EXPECT_EQ(do_rmdirat(AT_FDCWD, DIR), -ENOTEMPTY);
	EXPECT_EQ(do_rmdirat(AT_FDCWD, DIR "/."), -EINVAL);
	EXPECT_EQ(do_rmdirat(AT_FDCWD, DIR "/.."), -ENOTEMPTY);
	EXPECT_EQ(do_rmdirat(AT_FDCWD, DIR "/f"), -ENOTDIR);
	EXPECT_EQ(do_rmdirat(AT_FDCWD, "/"), -EBUSY);
	EXPECT_EQ(do_rmdirat(AT_FDCWD, "/proc"), -EBUSY);
	EXPECT_EQ(do_unlinkat(AT_FDCWD, DIR), -EISDIR);
	EXPECT_EQ(do_unlinkat(AT_FDCWD, DIR "/f/"), -ENOTDIR);
	EXPECT_EQ(do_unlinkat(AT_FDCWD, "/proc/version"), -EPERM);
	EXPECT_EQ(do_rmdirat(AT_FDCWD, "/proc/sys"), -EPERM);
	EXPECT_EQ(do_mkdirat(AT_FDCWD, "/proc/x", 0755), -ENOENT);
	EXPECT_EQ(open_errno("/proc/x", O_WRONLY | O_CREAT), -ENOENT);
	EXPECT_EQ(do_mkdirat(AT_FDCWD, "/sys/kernel/tracing/x", 0755), -EPERM);
	EXPECT_EQ(open_errno("/sys/kernel/tracing/x", O_WRONLY | O_CREAT), -EACCES);
	EXPECT(do_unlinkat(AT_FDCWD, DIR "/f") == 0);
	EXPECT(do_rmdirat(AT_FDCWD, DIR) == 0);
}

SELFTEST(vfs, overlong_names_are_refused)
{
	char *path = kmalloc(5 + NAME_MAX + 2, GFP_KERNEL);

	ASSERT(path);
	memset(path, 'n', NAME_MAX + 1 + 5);
	memcpy(path, "/tmp/", 5);
	path[5 + NAME_MAX] = '\0';
	EXPECT_EQ(do_mkdirat(AT_FDCWD, path, 0755), 0);
	EXPECT_EQ(do_rmdirat(AT_FDCWD, path), 0);
	path[5 + NAME_MAX] = 'n';
	path[5 + NAME_MAX + 1] = '\0';
	EXPECT_EQ(do_mkdirat(AT_FDCWD, path, 0755), -ENAMETOOLONG);
	kfree(path);
}

SELFTEST(vfs, removed_file_lives_until_it_is_closed)
{
	char buf[8] = "";
	struct file *file;

	put_text("/tmp/gone", "still");
	file = file_open("/tmp/gone", O_RDWR);
	ASSERT(!IS_ERR(file));
	EXPECT(do_unlinkat(AT_FDCWD, "/tmp/gone") == 0);
	EXPECT_EQ(open_errno("/tmp/gone", O_RDONLY), -ENOENT);
	EXPECT_EQ(file_read(file, buf, sizeof(buf)), 5);
	EXPECT(!strcmp(buf, "still"));
	EXPECT_EQ(file_write(file, "more", 4), 4);
	fput(file);
}

SELFTEST(vfs, tracefs_is_one_tree_at_two_places)
{
	static const char *const names[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing",
					     "/sys/kernel/debug/tracing/..", "/sys/kernel/debug" };
	struct path paths[4];

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		ASSERT(kern_path(names[i], LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &paths[i]) == 0);
	EXPECT(paths[0].dentry->d_inode == paths[1].dentry->d_inode);
	EXPECT(paths[2].dentry->d_inode == paths[3].dentry->d_inode);
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		path_put(&paths[i]);
}

/* Takes two names for each call of iterate_dir(). */
struct small_listing {
	struct dir_context ctx;
	unsigned taken, others, seen[100];
};

static bool take_two(struct dir_context *ctx, const char *name, size_t len __unused,
		     loff_t pos __unused, u64 ino __unused, unsigned type __unused)
{
	struct small_listing *list = container_of(ctx, struct small_listing, ctx);

	if (list->taken == 2)
		return false;
	list->taken++;
	if (strstarts(name, "entry"))
		list->seen[(name[5] - '0') * 10 + name[6] - '0']++;
	else
		list->others++;
	return true;
}

SELFTEST(vfs, listing_in_small_pieces_names_all_once)
{
	struct small_listing list = { .ctx.actor = take_two };
	char name[] = DIR "/entry00";
	struct file *file;

	ASSERT(do_mkdirat(AT_FDCWD, DIR, 0755) == 0);
	for (unsigned i = 0; i < 100; i++) {
		name[sizeof(name) - 3] = (char)('0' + i / 10);
		name[sizeof(name) - 2] = (char)('0' + i % 10);
		EXPECT(open_errno(name, O_WRONLY | O_CREAT) == 0);
	}
	file = file_open(DIR, O_RDONLY | O_DIRECTORY);
	ASSERT(!IS_ERR(file));
	do {
		list.taken = 0;
		EXPECT_EQ(iterate_dir(file, &list.ctx), 0);
	} while (list.taken);
	EXPECT_EQ(list.others, 2); /* . and .. */
	for (unsigned i = 0; i < 100; i++) {
		EXPECT_EQ(list.seen[i], 1);
		name[sizeof(name) - 3] = (char)('0' + i / 10);
		name[sizeof(name) - 2] = (char)('0' + i % 10);
		EXPECT(do_unlinkat(AT_FDCWD, name) == 0);
	}
	fput(file);
	EXPECT(do_rmdirat(AT_FDCWD, DIR) == 0);
}
