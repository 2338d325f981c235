/* Self-tests of the VFS on all CPUs at once: tasks make and remove names while others use them. */
#include "fs/vfs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "selftest/lib/files.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define DIR       "/tmp/storm"
#define ROUNDS    400U
#define TASKS_MAX 32U

static atomic_t storm_made, storm_removed;

/* Tells if err is a success, or one of the errors that a race can cause. */
static bool one_of(long err, long a, long b, long c)
{
	return err >= 0 || err == a || err == b || err == c;
}

static bool take_some(struct dir_context *ctx __unused, const char *name __unused,
		      size_t len __unused, loff_t pos, u64 ino __unused, unsigned type __unused)
{
	return pos < 6;
}

/* All tasks use the same eight names. */
static int storm_task(void *arg)
{
	u32 seed = (u32)(unsigned long)arg * 2654435761U + 1;
	char path[64], buf[256];
	struct file *file;
	long ret;

	for (unsigned round = 0; round < ROUNDS; round++) {
		seed = seed * 1664525 + 1013904223;
		snprintf(path, sizeof(path), DIR "/d%u", seed >> 29);
		ret = do_mkdirat(AT_FDCWD, path, 0755);
		if (!one_of(ret, -EEXIST, 0, 0))
			return 1;
		if (!ret)
			atomic_inc(&storm_made);
		strscat(path, "/f", sizeof(path));
		file = file_open(path, O_RDWR | O_CREAT);
		if (IS_ERR(file) && PTR_ERR(file) != -ENOENT)
			return 2;
		if (!IS_ERR(file)) {
			if (file_write(file, path, 10) != 10 || file_seek(file, 0, SEEK_SET) ||
			    file_read(file, buf, 10) != 10 || memcmp(buf, path, 10))
				return 3;
			fput(file);
		}
		if (!one_of(do_unlinkat(AT_FDCWD, path), -ENOENT, 0, 0))
			return 4;
		path[strlen(path) - 2] = '\0';
		if (!one_of(file_exists(path), -ENOENT, 0, 0))
			return 5;
		ret = do_rmdirat(AT_FDCWD, path);
		if (!one_of(ret, -ENOENT, -ENOTEMPTY, 0))
			return 6;
		if (!ret)
			atomic_inc(&storm_removed);
		file = file_open(DIR, O_RDONLY | O_DIRECTORY);
		if (IS_ERR(file) || iterate_dir(file, &(struct dir_context){ .actor = take_some }))
			return 7;
		fput(file);
	}
	return 0;
}

SELFTEST(vfs, names_come_and_go_on_all_cpus)
{
	unsigned n = min(num_online_cpus() * 2, TASKS_MAX), files = nr_open_files();
	u64 bytes = shmem_bytes();
	struct task_struct *tasks[TASKS_MAX];
	char path[64];
	int left = 0;

	atomic_set(&storm_made, 0);
	atomic_set(&storm_removed, 0);
	ASSERT(do_mkdirat(AT_FDCWD, DIR, 0755) == 0);
	for (unsigned i = 0; i < n; i++) {
		tasks[i] = test_task_start(storm_task, (void *)(unsigned long)i, "storm");
		ASSERT(tasks[i]);
	}
	for (unsigned i = 0; i < n; i++)
		EXPECT_EQ(test_task_end(tasks[i]), 0);
	for (unsigned i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), DIR "/d%u/f", i);
		do_unlinkat(AT_FDCWD, path);
		path[strlen(path) - 2] = '\0';
		left += do_rmdirat(AT_FDCWD, path) == 0;
	}
	EXPECT(atomic_read(&storm_made) > 0);
	EXPECT_EQ(atomic_read(&storm_made), atomic_read(&storm_removed) + left);
	EXPECT_EQ(do_rmdirat(AT_FDCWD, DIR), 0);
	EXPECT_EQ(shmem_bytes(), bytes);
	EXPECT_EQ(nr_open_files(), files);
}
