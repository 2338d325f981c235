/* A self-test of /proc on all CPUs at once. */
#include "fs/vfs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/process/wait.h"
#include "kernel/sched/sched.h"
#include "selftest/selftest.h"

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
