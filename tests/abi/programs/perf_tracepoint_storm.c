/*
 * 20 events of tracefs are counted for each CPU, and for this process and its threads, and recorded by an instance, while
 * other users of the same events come and go. In each round some of them are on, in all three ways. Each hit is counted and
 * recorded once.
 */
#include "perf.h"

#include <pthread.h>

#define MAX_CPUS 8
#define ROUNDS   8
#define TIMES    100
#define EVENTS   ((int)(sizeof(names) / sizeof(names[0])))

/* System calls that no other program is likely to make meanwhile. */
static const int calls[] = {
	SYS_getppid, SYS_getpgid, SYS_getsid, SYS_sched_get_priority_min, SYS_geteuid,
	SYS_getgid, SYS_getegid, SYS_getpriority, SYS_sched_getparam, SYS_sched_getscheduler,
};
static const char *const names[] = {
	"syscalls/sys_enter_getppid", "syscalls/sys_enter_getpgid", "syscalls/sys_enter_getsid",
	"syscalls/sys_enter_sched_get_priority_min", "syscalls/sys_enter_geteuid", "syscalls/sys_enter_getgid",
	"syscalls/sys_enter_getegid", "syscalls/sys_enter_getpriority", "syscalls/sys_enter_sched_getparam",
	"syscalls/sys_enter_sched_getscheduler", "syscalls/sys_exit_getppid", "syscalls/sys_exit_getpgid",
	"syscalls/sys_exit_getsid", "syscalls/sys_exit_sched_get_priority_min", "syscalls/sys_exit_geteuid",
	"syscalls/sys_exit_getgid", "signal/signal_generate", "sched/sched_process_wait",
	"raw_syscalls/sys_enter", "raw_syscalls/sys_exit",
};
static int ids[EVENTS], of_cpus[EVENTS][MAX_CPUS], of_task[EVENTS], cpus;
static pthread_barrier_t begin, end;
static volatile bool stop;

/* Writes a text into a file of an instance. */
static void write_to(const char *instance, const char *file, const char *text)
{
	char path[200];
	int fd;

	snprintf(path, sizeof(path), "t/instances/%s/%s", instance, file);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		show("%s: %s", path, error_name(errno));
	close(fd);
}

/*
 * The filter of an event that others hit, too: all system calls, SIGCHLD, and init's wait for a process of an earlier program
 * that ends now. NULL: none.
 */
static const char *filter_of(int i)
{
	static char text[EVENTS][32];

	if (!strcmp(names[i], "raw_syscalls/sys_enter"))
		snprintf(text[i], sizeof(text[0]), "id == %d", SYS_getpgid);
	else if (!strcmp(names[i], "raw_syscalls/sys_exit"))
		snprintf(text[i], sizeof(text[0]), "id == %d", SYS_getsid);
	else if (!strcmp(names[i], "signal/signal_generate"))
		snprintf(text[i], sizeof(text[0]), "sig == %d", SIGURG);
	else if (!strcmp(names[i], "sched/sched_process_wait"))
		snprintf(text[i], sizeof(text[0]), "common_pid >= %d", getpid());
	else
		return NULL;
	return text[i];
}

static int counter(int i, pid_t pid, int cpu)
{
	int fd = EVENT_ON(pid, cpu, -1, 0, .type = PERF_TYPE_TRACEPOINT, .config = (unsigned)ids[i], .disabled = 1, .inherit = cpu < 0);

	if (fd < 0 || (filter_of(i) && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter_of(i))))
		show("%s: %s", names[i], error_name(errno));
	return fd;
}

/* Hits each event as often. */
static void *work(void *unused)
{
	for (int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&begin);
		for (int n = 0; n < TIMES; n++) {
			for (unsigned c = 0; c < sizeof(calls) / sizeof(calls[0]); c++)
				syscall(calls[c], 0, 0, 0);
			kill(getpid(), SIGURG);
			syscall(SYS_wait4, -1, NULL, WNOHANG, NULL);
		}
		pthread_barrier_wait(&end);
	}
	return unused;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* Lets main() have the locks of events for twice as long as this user has had them, which is a second on Linux. */
static void pause_after(uint64_t begin_us)
{
	usleep((useconds_t)(2 * (now() - begin_us)));
}

/* Other perf events of the same events. */
static void *perf_user(void *unused)
{
	for (unsigned n = 0; !stop; n++) {
		uint64_t since = now();
		int i = (int)(n * 7 % EVENTS), fd = EVENT_ON(n % 2 ? -1 : 0, n % 2 ? (int)(n / 2) % cpus : -1, -1, 0, .type = PERF_TYPE_TRACEPOINT, .config = (unsigned)ids[i], .inherit = n % 2 == 0);

		if (n % 3 == 0)
			ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "common_pid > 1 && common_pid != 17");
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		count_of(fd);
		close(fd);
		pause_after(since);
	}
	return unused;
}

/* Another instance that records them. */
static void *other_instance(void *unused)
{
	char file[100];

	for (unsigned n = 0; !stop; n++) {
		uint64_t since = now();

		snprintf(file, sizeof(file), "events/%s/enable", names[n / 2 * 5 % EVENTS]);
		write_to("other", file, n % 2 ? "0" : "1");
		if (n % 16 == 9)
			write_to("other", "events/syscalls/enable", n % 32 == 9 ? "1" : "0");
		pause_after(since);
	}
	return unused;
}

static void switch_all(unsigned on, unsigned long request)
{
	char file[100];

	for (int i = 0; i < EVENTS; i++) {
		if (!(on & 1U << i))
			continue;
		snprintf(file, sizeof(file), "events/%s/enable", names[i]);
		write_to("storm", file, request == PERF_EVENT_IOC_ENABLE ? "1" : "0");
		for (int cpu = 0; cpu < cpus; cpu++)
			ioctl(of_cpus[i][cpu], request, 0);
		ioctl(of_task[i], request, 0);
	}
}

/* The entries that the instance has recorded, those that were overwritten too. */
static long recorded(void)
{
	char path[100], line[100];
	long sum = 0, number;
	FILE *file;

	for (int cpu = 0; cpu < cpus; cpu++) {
		snprintf(path, sizeof(path), "t/instances/storm/per_cpu/cpu%d/stats", cpu);
		file = fopen(path, "r");
		while (fgets(line, sizeof(line), file)) {
			if (sscanf(line, "entries: %ld", &number) == 1 || sscanf(line, "overrun: %ld", &number) == 1)
				sum += number;
			if (sscanf(line, "dropped events: %ld", &number) == 1 && number)
				show("dropped: %ld", number);
		}
		fclose(file);
	}
	return sum;
}

static void set_up(void)
{
	char path[100];

	mount_tracefs();
	mkdir("t/instances/storm", 0755);
	mkdir("t/instances/other", 0755);
	for (int i = 0; i < EVENTS; i++) {
		snprintf(path, sizeof(path), "t/events/%s/id", names[i]);
		ids[i] = number_in(path);
		snprintf(path, sizeof(path), "events/%s/filter", names[i]);
		if (filter_of(i))
			write_to("storm", path, filter_of(i));
		for (int cpu = 0; cpu < cpus; cpu++)
			of_cpus[i][cpu] = counter(i, -1, cpu);
		of_task[i] = counter(i, 0, -1);
	}
}

static void tear_down(void)
{
	for (int i = 0; i < EVENTS; i++) {
		for (int cpu = 0; cpu < cpus; cpu++)
			close(of_cpus[i][cpu]);
		close(of_task[i]);
	}
	write_to("other", "events/enable", "0");
	CALL(rmdir("t/instances/storm"));
	CALL(rmdir("t/instances/other"));
	umount_tracefs();
}

int main(void)
{
	pthread_t workers[MAX_CPUS], users[3];
	long expected[EVENTS] = { 0 }, all = 0, agree[2] = { 0 };

	cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	cpus = cpus > MAX_CPUS ? MAX_CPUS : cpus;
	set_up();
	pthread_barrier_init(&begin, NULL, (unsigned)cpus + 1);
	pthread_barrier_init(&end, NULL, (unsigned)cpus + 1);
	for (int i = 0; i < cpus; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	pthread_create(&users[0], NULL, perf_user, NULL);
	pthread_create(&users[1], NULL, perf_user, NULL);
	pthread_create(&users[2], NULL, other_instance, NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned some = (round + 1) * 0x9e3779b1U, on = (some >> 8) & (some >> 1); /* a quarter of them */

		switch_all(on, PERF_EVENT_IOC_ENABLE);
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
		switch_all(on, PERF_EVENT_IOC_DISABLE);
		for (int i = 0; i < EVENTS; i++)
			expected[i] += on & 1U << i ? cpus * TIMES : 0;
	}
	stop = true;
	for (int i = 0; i < cpus; i++)
		pthread_join(workers[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(users[i], NULL);
	for (int i = 0; i < EVENTS; i++) {
		long sum = 0, task = count_of(of_task[i]);

		for (int cpu = 0; cpu < cpus; cpu++)
			sum += count_of(of_cpus[i][cpu]);
		all += expected[i];
		agree[0] += sum == expected[i];
		agree[1] += task == expected[i];
		if (sum != expected[i] || task != expected[i])
			show("%s: CPUs %+ld, task %+ld", names[i], sum - expected[i], task - expected[i]);
	}
	show("events of CPUs that agree: %ld, of the task: %ld", agree[0], agree[1]);
	show("the instance has recorded %s", recorded() == all ? "all" : "another number");
	tear_down();
	return 0;
}
