/* RT throttling: sched_rt_period_us, sched_rt_runtime_us; whether a fair task runs beside a
 * real-time one. */
#include <sched.h>

#include "abi.h"

static void show_value(const char *name)
{
	char path[64], value[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/kernel/sched_rt_%s_us", name);
	fd = open(path, O_RDONLY);
	if (fd >= 0 && read(fd, value, sizeof(value) - 1) > 0)
		value[strcspn(value, "\n")] = '\0';
	show("  %s is %s", name, value);
	close(fd);
}

static void set(const char *name, const char *value)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/kernel/sched_rt_%s_us", name);
	fd = open(path, O_WRONLY);
	errno = 0;
	show("%s = %s: %s", name, value,
	     write(fd, value, strlen(value)) < 0 ? error_name(errno) : "ok");
	close(fd);
	show_value(name);
}

static volatile unsigned long *count;

static void on_cpu_0(int policy)
{
	struct sched_param param = { .sched_priority = policy ? 10 : 0 };
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	syscall(SYS_sched_setscheduler, 0, policy, &param);
}

/* Counts until the pipe says that the real-time task has ended. */
static void count_until(int fd)
{
	char c;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (read(fd, &c, 1) < 0)
		++*count;
}

/* A real-time task spins for 500 ms, and if it is limited until that shows, on the CPU of a task that counts. How much did that count? */
static void spin_beside_counter(const char *what, bool limited)
{
	struct timespec start, now;
	int ends[2];
	pid_t pid;
	unsigned long before;

	if (pipe(ends))
		return;
	*count = 0;
	pid = fork();
	if (!pid) {
		close(ends[1]);
		on_cpu_0(SCHED_OTHER);
		count_until(ends[0]);
		_exit(0);
	}
	while (!*count)
		usleep(1000);
	on_cpu_0(SCHED_FIFO);
	clock_gettime(CLOCK_MONOTONIC, &start);
	before = *count;
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 500 ||
	       (limited && *count == before));
	show("%s: the other task %s", what, *count != before ? "ran" : "did not run");
	close(ends[0]);
	close(ends[1]);
	waitpid(pid, NULL, 0);
	on_cpu_0(SCHED_OTHER);
}

int main(void)
{
	static const char *const runtimes[] = { "0",       "-1", "-2", "1000000",
						"1000001", "x",  "",   "100" };
	static const char *const periods[] = { "0",          "-1",         "99", "100",
					       "2147483647", "2147483648", "x",  "1000000" };

	count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	show_value("period");
	show_value("runtime");
	for (unsigned i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		set("runtime", runtimes[i]);
	for (unsigned i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		set("period", periods[i]);
	set("runtime", "60000");
	set("period", "100000");
	spin_beside_counter("60 of 100 ms", true);
	set("runtime", "-1");
	spin_beside_counter("no limit", false);
	set("runtime", "0");
	spin_beside_counter("nothing is no limit", false);
	set("runtime", "100000");
	spin_beside_counter("all", false);
	set("period", "1000000");
	set("runtime", "950000");
	return 0;
}
