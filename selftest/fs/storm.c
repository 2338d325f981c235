/* Self-tests of the VFS on all CPUs at once: tasks make and remove names while others use them. */
#include "fs/vfs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
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

/* All tasks use the same eight names. */
static int storm_task(void *arg)
{
	u32 seed = (u32)(unsigned long)arg * 2654435761U + 1;
	char path[64], buf[256];
	struct kstat st;
	long ret;

	for (unsigned round = 0; round < ROUNDS; round++) {
		seed = seed * 1664525 + 1013904223;
		snprintf(path, sizeof(path), DIR "/d%u", seed >> 29);
		ret = sys_mkdir(path, 0755);
		if (!one_of(ret, -EEXIST, 0, 0))
			return 1;
		if (!ret)
			atomic_inc(&storm_made);
		strscat(path, "/f", sizeof(path));
		ret = sys_open(path, O_RDWR | O_CREAT, 0644);
		if (!one_of(ret, -ENOENT, 0, 0))
			return 2;
		if (ret >= 0) {
			int fd = (int)ret;

			if (sys_write(fd, path, 10) != 10 || sys_lseek(fd, 0, SEEK_SET) ||
			    sys_read(fd, buf, 10) != 10 || memcmp(buf, path, 10))
				return 3;
			sys_close(fd);
		}
		if (!one_of(sys_unlink(path), -ENOENT, 0, 0))
			return 4;
		path[strlen(path) - 2] = '\0';
		if (!one_of(vfs_stat(path, true, &st), -ENOENT, 0, 0))
			return 5;
		ret = sys_rmdir(path);
		if (!one_of(ret, -ENOENT, -ENOTEMPTY, 0))
			return 6;
		if (!ret)
			atomic_inc(&storm_removed);
		ret = sys_open(DIR, O_RDONLY | O_DIRECTORY, 0);
		if (ret < 0 || sys_getdents64((int)ret, buf, sizeof(buf)) < 0)
			return 7;
		sys_close((int)ret);
	}
	return 0;
}

SELFTEST(vfs, names_come_and_go_on_all_cpus)
{
	unsigned n = min(num_online_cpus() * 2, TASKS_MAX), files = nr_open_files();
	u64 bytes = shmem_bytes();
	pid_t pids[TASKS_MAX];
	char path[64];
	int left = 0;

	atomic_set(&storm_made, 0);
	atomic_set(&storm_removed, 0);
	ASSERT(sys_mkdir(DIR, 0755) == 0);
	for (unsigned i = 0; i < n; i++) {
		pids[i] = kernel_thread(storm_task, (void *)(unsigned long)i, "storm");
		ASSERT(pids[i] > 0);
	}
	for (unsigned i = 0; i < n; i++) {
		int status = -1;

		EXPECT_EQ(kernel_wait4(pids[i], &status, 0), pids[i]);
		EXPECT_EQ(status, 0);
	}
	for (unsigned i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), DIR "/d%u/f", i);
		sys_unlink(path);
		path[strlen(path) - 2] = '\0';
		left += sys_rmdir(path) == 0;
	}
	EXPECT(atomic_read(&storm_made) > 0);
	EXPECT_EQ(atomic_read(&storm_made), atomic_read(&storm_removed) + left);
	EXPECT_EQ(sys_rmdir(DIR), 0);
	EXPECT_EQ(shmem_bytes(), bytes);
	EXPECT_EQ(nr_open_files(), files);
}

static int proc_storm_task(void *arg)
{
	char buf[512], path[32];

	(void)arg;
	for (pid_t round = 0; round < 40; round++) {
		long fd;

		snprintf(path, sizeof(path), "/proc/%d/status", 1 + round % 64);
		fd = sys_open(path, O_RDONLY, 0);
		if (fd >= 0) {
			ssize_t n = sys_read((int)fd, buf, sizeof(buf));

			sys_close((int)fd);
			if (n < 0 && n != -ESRCH)
				return 1;
		} else if (fd != -ENOENT) {
			return 2;
		}
		fd = sys_open("/proc/self/comm", O_RDONLY, 0);
		if (fd < 0 || sys_read((int)fd, buf, sizeof(buf)) != 6 || memcmp(buf, "procs\n", 6))
			return 3;
		sys_close((int)fd);
	}
	return 0;
}

/* Tasks end while other tasks read their files in /proc. */
SELFTEST(proc, tasks_end_while_they_are_looked_at)
{
	unsigned files = nr_open_files();

	for (unsigned round = 0; round < 3; round++) {
		pid_t pids[8];

		for (unsigned i = 0; i < ARRAY_SIZE(pids); i++) {
			pids[i] = kernel_thread(proc_storm_task, NULL, "procs");
			ASSERT(pids[i] > 0);
		}
		for (unsigned i = 0; i < ARRAY_SIZE(pids); i++) {
			int status = -1;

			EXPECT_EQ(kernel_wait4(pids[i], &status, 0), pids[i]);
			EXPECT_EQ(status, 0);
		}
	}
	EXPECT_EQ(nr_open_files(), files);
}
