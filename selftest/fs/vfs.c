/* Self-tests of paths, names and descriptors. They use /tmp/selftest, and remove it at the end. */
#include "fs/vfs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/task/signal_struct.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "selftest/selftest.h"

#define DIR "/tmp/selftest"

static void put_text(const char *path, const char *text)
{
	int fd = (int)sys_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		return;
	sys_write(fd, text, strlen(text));
	sys_close(fd);
}

/* Tells if the file at path contains text. */
static bool has_text(const char *path, const char *text)
{
	char buf[64] = "";
	int fd = (int)sys_open(path, O_RDONLY, 0);

	if (fd < 0)
		return false;
	sys_read(fd, buf, sizeof(buf) - 1);
	sys_close(fd);
	return !strcmp(buf, text);
}

static long open_errno(const char *path, int flags)
{
	long fd = sys_open(path, flags, 0644);

	if (fd < 0)
		return fd;
	sys_close((int)fd);
	return 0;
}

SELFTEST(vfs, walk_follows_dots_slashes_and_links)
{
	ASSERT(sys_mkdir(DIR, 0755) == 0);
	ASSERT(sys_mkdir(DIR "/a", 0755) == 0);
	put_text(DIR "/a/f", "text");
	EXPECT(sys_symlink("a", DIR "/link") == 0);
	EXPECT(sys_symlink("/tmp/selftest/link/f", DIR "/to_f") == 0);
	EXPECT(sys_symlink("../selftest/a/", DIR "/slash") == 0);

	EXPECT(has_text(DIR "/a/f", "text"));
	EXPECT(has_text("//tmp/./selftest//a/../a/./f", "text"));
	EXPECT(has_text("/../../tmp/selftest/a/f", "text"));
	EXPECT(has_text(DIR "/link/f", "text"));
	EXPECT(has_text(DIR "/link/../a/f", "text"));
	EXPECT(has_text(DIR "/to_f", "text"));
	EXPECT(has_text(DIR "/slash/f", "text"));
	EXPECT_EQ(open_errno(DIR "/to_f/", O_RDONLY), -ENOTDIR);

	EXPECT(sys_unlink(DIR "/link") == 0);
	EXPECT_EQ(open_errno(DIR "/to_f", O_RDONLY), -ENOENT);
	EXPECT(sys_unlink(DIR "/to_f") == 0);
	EXPECT(sys_unlink(DIR "/slash") == 0);
	EXPECT(sys_unlink(DIR "/a/f") == 0);
	EXPECT(sys_rmdir(DIR "/a/") == 0);
	EXPECT(sys_rmdir(DIR) == 0);
}

SELFTEST(vfs, creation_follows_a_dangling_link)
{
	ASSERT(sys_mkdir(DIR, 0755) == 0);
	EXPECT(sys_symlink("target", DIR "/link") == 0);
	EXPECT_EQ(open_errno(DIR "/link", O_WRONLY | O_CREAT | O_EXCL), -EEXIST);
	EXPECT_EQ(open_errno(DIR "/link", O_WRONLY | O_CREAT | O_NOFOLLOW), -ELOOP);
	put_text(DIR "/link", "made");
	EXPECT(has_text(DIR "/target", "made"));
	EXPECT(sys_unlink(DIR "/link") == 0);
	EXPECT(has_text(DIR "/target", "made"));
	EXPECT(sys_unlink(DIR "/target") == 0);
	EXPECT(sys_rmdir(DIR) == 0);
}

SELFTEST(vfs, loops_of_links_end)
{
	ASSERT(sys_mkdir(DIR, 0755) == 0);
	EXPECT(sys_symlink("b", DIR "/a") == 0);
	EXPECT(sys_symlink("a", DIR "/b") == 0);
	EXPECT(sys_symlink("grow/x", DIR "/grow") == 0);
	EXPECT_EQ(open_errno(DIR "/a", O_RDONLY), -ELOOP);
	EXPECT_EQ(open_errno(DIR "/a/x", O_RDONLY | O_CREAT), -ELOOP);
	EXPECT_EQ(open_errno(DIR "/grow", O_RDONLY), -ELOOP);
	EXPECT(sys_unlink(DIR "/a") == 0);
	EXPECT(sys_unlink(DIR "/b") == 0);
	EXPECT(sys_unlink(DIR "/grow") == 0);
	EXPECT(sys_rmdir(DIR) == 0);
}

/* The errors are those of Linux 6.1 for the same calls. */
SELFTEST(vfs, refusals_are_linuxs)
{
	ASSERT(sys_mkdir(DIR, 0755) == 0);
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
	EXPECT_EQ(sys_mkdir(DIR, 0755), -EEXIST);
	EXPECT_EQ(sys_mkdir("/", 0755), -EEXIST);
	EXPECT_EQ(sys_mkdir(DIR "/.", 0755), -EEXIST);
	EXPECT_EQ(sys_mkdir(DIR "/f/d", 0755), -ENOTDIR);
	EXPECT_EQ(sys_rmdir(DIR), -ENOTEMPTY);
	EXPECT_EQ(sys_rmdir(DIR "/."), -EINVAL);
	EXPECT_EQ(sys_rmdir(DIR "/.."), -ENOTEMPTY);
	EXPECT_EQ(sys_rmdir(DIR "/f"), -ENOTDIR);
	EXPECT_EQ(sys_rmdir("/"), -EBUSY);
	EXPECT_EQ(sys_rmdir("/proc"), -EBUSY);
	EXPECT_EQ(sys_unlink(DIR), -EISDIR);
	EXPECT_EQ(sys_unlink(DIR "/f/"), -ENOTDIR);
	EXPECT_EQ(sys_unlink("/proc/version"), -EPERM);
	EXPECT_EQ(sys_rmdir("/proc/sys"), -EPERM);
	EXPECT_EQ(sys_mkdir("/proc/x", 0755), -ENOENT);
	EXPECT_EQ(open_errno("/proc/x", O_WRONLY | O_CREAT), -ENOENT);
	EXPECT_EQ(sys_mkdir("/sys/kernel/tracing/x", 0755), -EPERM);
	EXPECT_EQ(open_errno("/sys/kernel/tracing/x", O_WRONLY | O_CREAT), -EACCES);
	EXPECT_EQ(sys_chdir(DIR "/f"), -ENOTDIR);
	EXPECT_EQ(sys_read(1000, NULL, 0), -EBADF);
	EXPECT_EQ(sys_close(-1), -EBADF);
	EXPECT_EQ(sys_dup2(1000, 3), -EBADF);
	EXPECT(sys_unlink(DIR "/f") == 0);
	EXPECT(sys_rmdir(DIR) == 0);
}

SELFTEST(vfs, overlong_names_are_refused)
{
	char *path = kmalloc(PATH_MAX + 2, GFP_KERNEL);

	ASSERT(path);
	memset(path, 'n', NAME_MAX + 1 + 5);
	memcpy(path, "/tmp/", 5);
	path[5 + NAME_MAX] = '\0';
	EXPECT_EQ(sys_mkdir(path, 0755), 0);
	EXPECT_EQ(sys_rmdir(path), 0);
	path[5 + NAME_MAX] = 'n';
	path[5 + NAME_MAX + 1] = '\0';
	EXPECT_EQ(sys_mkdir(path, 0755), -ENAMETOOLONG);

	for (unsigned i = 0; i < PATH_MAX; i += 2)
		memcpy(path + i, "./", 2);
	path[PATH_MAX] = '\0';
	EXPECT_EQ(open_errno(path, O_RDONLY), -ENAMETOOLONG);
	path[PATH_MAX - 1] = '\0';
	EXPECT_EQ(open_errno(path, O_RDONLY), 0);
	kfree(path);
}

SELFTEST(vfs, removed_file_lives_until_it_is_closed)
{
	char buf[8] = "";
	int fd;

	put_text("/tmp/gone", "still");
	fd = (int)sys_open("/tmp/gone", O_RDWR, 0);
	ASSERT(fd >= 0);
	EXPECT(sys_unlink("/tmp/gone") == 0);
	EXPECT_EQ(open_errno("/tmp/gone", O_RDONLY), -ENOENT);
	EXPECT_EQ(sys_read(fd, buf, sizeof(buf)), 5);
	EXPECT(!strcmp(buf, "still"));
	EXPECT_EQ(sys_write(fd, "more", 4), 4);
	EXPECT(sys_close(fd) == 0);
}

SELFTEST(vfs, removed_directory_takes_no_new_names)
{
	char cwd[PATH_MAX];

	ASSERT(sys_mkdir(DIR, 0755) == 0);
	ASSERT(sys_chdir(DIR) == 0);
	EXPECT_EQ(sys_getcwd(cwd, sizeof(cwd)), (long)sizeof(DIR));
	EXPECT(!strcmp(cwd, DIR));
	EXPECT_EQ(sys_getcwd(cwd, sizeof(DIR) - 1), -ERANGE);
	EXPECT(sys_rmdir(DIR) == 0);
	EXPECT_EQ(sys_mkdir("x", 0755), -ENOENT);
	EXPECT_EQ(open_errno("x", O_WRONLY | O_CREAT), -ENOENT);
	EXPECT_EQ(sys_getcwd(cwd, sizeof(cwd)), -ENOENT);
	EXPECT(sys_chdir("..") == 0);
	EXPECT_EQ(sys_getcwd(cwd, sizeof(cwd)), 5);
	EXPECT(!strcmp(cwd, "/tmp"));
	EXPECT(sys_chdir("/") == 0);
}

SELFTEST(vfs, tracefs_is_one_tree_at_two_places)
{
	struct kstat a, b;

	EXPECT(vfs_stat("/sys/kernel/tracing", true, &a) == 0);
	EXPECT(vfs_stat("/sys/kernel/debug/tracing", true, &b) == 0);
	EXPECT_EQ(a.st_dev, b.st_dev);
	EXPECT_EQ(a.st_ino, b.st_ino);
	EXPECT(vfs_stat("/sys/kernel/debug/tracing/..", true, &b) == 0);
	EXPECT(vfs_stat("/sys/kernel/debug", true, &a) == 0);
	EXPECT_EQ(a.st_ino, b.st_ino);
}

static int child_with_files(void *arg)
{
	int fd = *(int *)arg;
	char byte;

	/*
	 * The child has a copy of the descriptor, and shares the file position. Its close does not
	 * close the parent's descriptor.
	 */
	if (sys_read(fd, &byte, 1) != 1 || byte != 'b')
		return 1;
	if (sys_close(fd) || sys_chdir("/proc"))
		return 2;
	return sys_open("/dev/null", O_RDONLY, 0) == fd ? 0 : 3; /* do_exit() closes it */
}

SELFTEST(vfs, children_get_copies_of_descriptors)
{
	unsigned files = nr_open_files(), fds = files_count_open();
	pid_t child;
	char cwd[16], byte;
	int fd, status;

	put_text("/tmp/shared", "abc");
	fd = (int)sys_open("/tmp/shared", O_RDONLY, 0);
	ASSERT(fd >= 0);
	EXPECT(sys_read(fd, &byte, 1) == 1 && byte == 'a');
	child = kernel_thread(child_with_files, &fd, "selftest");
	ASSERT(child > 0);
	EXPECT_EQ(kernel_wait4(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT(sys_read(fd, &byte, 1) == 1 && byte == 'c');
	EXPECT(sys_getcwd(cwd, sizeof(cwd)) == 2);
	EXPECT(sys_close(fd) == 0);
	EXPECT(sys_unlink("/tmp/shared") == 0);
	EXPECT_EQ(files_count_open(), fds);
	EXPECT_EQ(nr_open_files(), files);
}

SELFTEST(vfs, close_range_closes_what_is_open_of_it)
{
	unsigned fds = files_count_open();
	int pipe[2], high;

	ASSERT(sys_pipe(pipe) == 0);
	high = (int)sys_dup2(pipe[0], 100);
	ASSERT(high == 100);
	EXPECT_EQ(sys_close_range((unsigned)pipe[1], (unsigned)pipe[0], 0), -EINVAL);
	EXPECT_EQ(files_count_open(), fds + 3);
	EXPECT_EQ(sys_close_range((unsigned)pipe[1], 99, 0), 0);
	EXPECT_EQ(files_count_open(), fds + 2);
	EXPECT_EQ(sys_close_range((unsigned)pipe[0], ~0U, 0), 0);
	EXPECT_EQ(files_count_open(), fds);
	EXPECT_EQ(sys_close(high), -EBADF);
}

SELFTEST(vfs, descriptors_grow_to_their_limit)
{
	unsigned files = nr_open_files();
	int first = (int)sys_open("/dev/zero", O_RDONLY, 0), last = first;

	ASSERT(first >= 0);
	for (int fd = first; fd >= 0; fd = (int)sys_dup(first))
		last = fd;
	EXPECT_EQ(last, (int)rlimit(RLIMIT_NOFILE) - 1);
	EXPECT_EQ(sys_dup(first), -EMFILE);
	EXPECT_EQ(sys_dup2(first, (int)rlimit(RLIMIT_NOFILE)), -EBADF);
	EXPECT_EQ(sys_dup2(first, last), last);
	for (int fd = first; fd <= last; fd++)
		sys_close(fd);
	EXPECT_EQ(nr_open_files(), files);
}

SELFTEST(vfs, listing_in_small_pieces_names_all_once)
{
	char name[] = DIR "/entry00", buf[48];
	unsigned seen[100] = { 0 }, others = 0;
	long n;
	int fd;

	ASSERT(sys_mkdir(DIR, 0755) == 0);
	for (unsigned i = 0; i < 100; i++) {
		name[sizeof(name) - 3] = (char)('0' + i / 10);
		name[sizeof(name) - 2] = (char)('0' + i % 10);
		EXPECT(open_errno(name, O_WRONLY | O_CREAT) == 0);
	}
	fd = (int)sys_open(DIR, O_RDONLY | O_DIRECTORY, 0);
	ASSERT(fd >= 0);
	EXPECT_EQ(sys_getdents64(fd, buf, 16), -EINVAL);
	while ((n = sys_getdents64(fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			struct linux_dirent64 *d = (void *)(buf + at);

			if (strstarts(d->d_name, "entry"))
				seen[(d->d_name[5] - '0') * 10 + d->d_name[6] - '0']++;
			else
				others++;
			at += d->d_reclen;
		}
	}
	EXPECT_EQ(n, 0);
	EXPECT_EQ(others, 2); /* . and .. */
	for (unsigned i = 0; i < 100; i++) {
		EXPECT_EQ(seen[i], 1);
		name[sizeof(name) - 3] = (char)('0' + i / 10);
		name[sizeof(name) - 2] = (char)('0' + i % 10);
		EXPECT(sys_unlink(name) == 0);
	}
	sys_close(fd);
	EXPECT(sys_rmdir(DIR) == 0);
}
