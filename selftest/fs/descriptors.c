/*
 * Self-tests of descriptors, and of the current directory. They use /tmp/selftest, and remove it at
 * the end.
 */
#include "fs/vfs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/task/signal_struct.h"
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

static long open_errno(const char *path, int flags)
{
	long fd = sys_open(path, flags, 0644);

	if (fd < 0)
		return fd;
	sys_close((int)fd);
	return 0;
}

/* The errors are those of Linux 6.1 for the same calls. */
SELFTEST(descriptors, refusals_are_linuxs)
{
	int fd = (int)sys_open("/tmp/selftest-file", O_RDWR | O_CREAT, 0644);

	ASSERT(fd >= 0);
	EXPECT_EQ(sys_chdir("/tmp/selftest-file"), -ENOTDIR);
	EXPECT_EQ(sys_read(1000, NULL, 0), -EBADF);
	EXPECT_EQ(sys_close(-1), -EBADF);
	EXPECT_EQ(sys_dup2(1000, 3), -EBADF);
	EXPECT_EQ(sys_ftruncate(fd, -1), -EINVAL);
	EXPECT(sys_close(fd) == 0);
	EXPECT(sys_unlink("/tmp/selftest-file") == 0);
}

SELFTEST(descriptors, overlong_paths_are_refused)
{
	char *path = kmalloc(PATH_MAX + 1, GFP_KERNEL);

	ASSERT(path);
	for (unsigned i = 0; i < PATH_MAX; i += 2)
		memcpy(path + i, "./", 2);
	path[PATH_MAX] = '\0';
	EXPECT_EQ(open_errno(path, O_RDONLY), -ENAMETOOLONG);
	path[PATH_MAX - 1] = '\0';
	EXPECT_EQ(open_errno(path, O_RDONLY), 0);
	kfree(path);
}

SELFTEST(descriptors, removed_directory_takes_no_new_names)
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

SELFTEST(descriptors, children_get_copies_of_descriptors)
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

SELFTEST(descriptors, close_range_closes_what_is_open_of_it)
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

SELFTEST(descriptors, descriptors_grow_to_their_limit)
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

SELFTEST(descriptors, getdents64_in_small_pieces_names_all_once)
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
