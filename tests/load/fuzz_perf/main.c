/*
 * Makes random use of perf_event_open(2): half sensible attributes, ioctls, buffers, children that
 * inherit, programs that replace each other, signals; on all CPUs, against each other.
 *
 *     fuzz_perf FAMILIES [SEED]
 *     fuzz_perf SECONDSs [SEED]
 *
 * One worker for each CPU. A worker makes one family after another, that many, or for so long: a
 * child, its threads and its children, which share descriptors and open events for any task of all
 * families. Every second family is root. The others are the user nobody. A family is killed after a
 * while.
 * Prints the seed, and at the end how many families there were. It waits for ever for a family that
 * SIGKILL does not end. Whoever calls this program checks that no event is left.
 */
#include "fuzz_perf.h"

#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define NOBODY 65534

struct shared *shared;
int cpus;

static void on_signal(int number)
{
	(void)number;
}

static void prepare(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct rlimit files = { 200, 200 };

	sigaction(SIGIO, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	if (chance(80))
		sigaction(SIGTRAP, &action, NULL);
	setrlimit(RLIMIT_NOFILE, &files);
	memset(fds, -1, sizeof(fds));
}

static void family(uint64_t seed, int user)
{
	struct rlimit processes = { 200, 200 };

	state = seed | 1;
	if (user && (setgroups(0, NULL) || setrlimit(RLIMIT_NPROC, &processes) || setgid(NOBODY) ||
		     setuid(NOBODY)))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
	prepare();
	shared->tasks[below(TASKS)] = getpid();
	live(CALLS);
	_exit(0);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Kills the family until none of it is left, and all of them are waited for. */
static void end_family(pid_t group)
{
	for (;;) {
		kill(-group, SIGKILL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			return;
		usleep(1000);
	}
}

/* Makes `most` families, or, if that is 0, families until then, and at least one. */
static int worker(uint64_t seed, int most, double until)
{
	int families = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	do {
		pid_t pid = fork();

		if (!pid) {
			setpgid(0, 0);
			family(seed * 1000003 + (unsigned)families * 7919, families & 1);
		}
		setpgid(pid, pid);
		for (double end = now() + 10; now() < end && waitpid(pid, NULL, WNOHANG) == 0;
		     usleep(2000))
			;
		end_family(pid);
		families++;
	} while (most ? families < most : now() < until);
	return families;
}

static int works(struct perf_event_attr attr)
{
	int fd;

	attr.size = sizeof(attr);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void read_points(void)
{
	static const char *const names[] = { "sched/sched_switch",
					     "sched/sched_wakeup",
					     "raw_syscalls/sys_enter",
					     "raw_syscalls/sys_exit",
					     "syscalls/sys_enter_getppid",
					     "exceptions/page_fault_user",
					     "exceptions/page_fault_kernel",
					     "irq/softirq_entry",
					     "timer/timer_start",
					     "kmem/kmalloc",
					     "kmem/mm_page_alloc",
					     "task/task_rename",
					     "sched/sched_process_fork",
					     "sched/sched_process_exit",
					     "signal/signal_deliver",
					     "irq_vectors/irq_work_entry",
					     "irq_vectors/local_timer_entry",
					     "preemptirq/irq_disable",
					     "ftrace/function",
					     "ftrace/print",
					     "workqueue/workqueue_queue_work",
					     "tlb/tlb_flush",
					     "rcu/rcu_utilization" };
	static const char *const pmus[] = { "kprobe", "uprobe", "breakpoint" };
	char path[128];
	FILE *file;

	for (unsigned i = 0; i < ELEMENTS(names); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", names[i]);
		file = fopen(path, "r");
		if (file && fscanf(file, "%u", &shared->points[shared->nr_points]) == 1)
			shared->nr_points++;
		if (file)
			fclose(file);
	}
	for (unsigned i = 0; i < ELEMENTS(pmus); i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmus[i]);
		file = fopen(path, "r");
		if (file && fscanf(file, "%u", &shared->types[shared->nr_types]) == 1)
			shared->nr_types++;
		if (file)
			fclose(file);
	}
}

#define SHARED_FD 199

int main(int argc, char **argv)
{
	double until;
	uint64_t seed;
	int families = 0, bad = 0, memory, most;

	cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (argc == 4) { /* op_exec() */
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD,
			      0);
		if (shared == MAP_FAILED)
			return 1;
		state = strtoul(argv[2], NULL, 10) | 1;
		prepare();
		depth = (unsigned)atoi(argv[3]);
		for (int i = 0; i < FDS; i++)
			fds[i] = 3 + i % 40;
		live(CALLS / 2);
		return 0;
	}
	if (argc < 2)
		return 1;
	seed = argc > 2 ? strtoul(argv[2], NULL, 10) : (uint64_t)time(NULL);
	printf("seed %lu\n", (unsigned long)seed);
	fflush(stdout);
	memory = memfd_create("fuzz_perf", 0);
	if (memory < 0 || ftruncate(memory, sizeof(*shared)) || dup2(memory, SHARED_FD) < 0)
		return 1;
	close(memory);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);
	if (shared == MAP_FAILED)
		return 1;
	read_points();
	shared->samples = works((struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
							  .config = PERF_COUNT_SW_PAGE_FAULTS,
							  .sample_period = 1 });
	shared->breakpoints = works((struct perf_event_attr){ .type = PERF_TYPE_BREAKPOINT,
							      .bp_type = HW_BREAKPOINT_W,
							      .bp_addr = (uint64_t)watched,
							      .bp_len = 8 });
	if (!works((struct perf_event_attr){ .type = PERF_TYPE_TRACEPOINT,
					     .config = shared->points[0] }))
		shared->nr_points = 0;
	most = strchr(argv[1], 's') ? 0 : atoi(argv[1]);
	until = now() + atof(argv[1]);
	for (int i = 0; i < cpus; i++) {
		if (!fork()) {
			int n = worker(seed * 65537 + (unsigned)i, most, until);

			_exit(n > 200 ? 200 : n);
		}
	}
	for (int status; wait(&status) > 0;) {
		if (!WIFEXITED(status))
			bad++;
		else
			families += WEXITSTATUS(status);
	}
	printf("%d families%s, %lu events opened, %lu refused, %lu buffers\n", families,
	       bad ? ", not all ended" : ", all ended", shared->opened, shared->refused,
	       shared->areas);
	return bad != 0;
}
