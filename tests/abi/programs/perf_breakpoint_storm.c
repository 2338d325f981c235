/* Breakpoints of threads that move among the CPUs while others come and go: each hit is counted once, and sends its signal to its own thread. */
#include "perf.h"

#include <linux/hw_breakpoint.h>
#include <pthread.h>

#define THREADS 6
#define ROUNDS  12
#define WRITES  9

#define WATCH(address) .type = PERF_TYPE_BREAKPOINT, .config = 0, .bp_type = HW_BREAKPOINT_W, .bp_addr = (unsigned long)(address), .bp_len = 8
#define OF_PROGRAM     .exclude_kernel = 1
#define TRAP           .sample_period = 1, .sigtrap = 1, .remove_on_exec = 1, OF_PROGRAM

/* Of each thread: the word that traps, the one with a limit, and two that are watched in turn. No two registers watch the same word. */
enum { TRAPS, LIMITED, FIRST, SECOND, KINDS };
static volatile uint64_t words[THREADS][KINDS], of_cpu, inherited;
static volatile bool stop;
static __thread volatile int traps, wrong, ins, hups;
static __thread int own;
static int good;

static void on_trap(int number, siginfo_t *info, void *context)
{
	traps++;
	/* The address of the event that the thread watches now; glibc 2.36 has no name for si_perf_data, which stands behind it. */
	wrong += info->si_code != 6 || *(unsigned long *)((char *)&info->si_addr + sizeof(void *)) != (unsigned long)(1000 + own);
}

static void on_io(int number, siginfo_t *info, void *context)
{
	if (info->si_code == POLL_IN)
		ins++;
	else
		hups++;
}

/* Goes to another CPU, or to the same one. */
static void move(unsigned to)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(to % (unsigned)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void write_words(int thread, unsigned round)
{
	for (unsigned i = 0; i < WRITES; i++) {
		for (int kind = 0; kind < KINDS; kind++)
			words[thread][kind] = i;
		getppid(); /* a signal comes at the latest here */
		if (i % 4 == 3)
			move(round + i);
	}
}

/* An event traps, another one watches a word and then the other word, and a third one ends itself. */
static bool one_round(int thread, unsigned round)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid) };
	int trap = EVENT(WATCH(&words[thread][TRAPS]), TRAP, .sig_data = 1000 + (unsigned long)thread), watch = EVENT(WATCH(&words[thread][FIRST]), OF_PROGRAM);
	int limited = EVENT(WATCH(&words[thread][LIMITED]), OF_PROGRAM, .sample_period = 1, .disabled = 1);
	bool right = trap >= 0 && watch >= 0 && limited >= 0;

	traps = ins = hups = 0;
	fcntl(limited, F_SETFL, O_ASYNC);
	fcntl(limited, F_SETSIG, SIGUSR1);
	fcntl(limited, F_SETOWN_EX, &owner);
	ioctl(limited, PERF_EVENT_IOC_REFRESH, 3);
	write_words(thread, round);
	right = right && traps == WRITES && !wrong && ins == 2 && hups == 1 && count_of(limited) == 3 && count_of(watch) == WRITES;
	ioctl(watch, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &ATTR(WATCH(&words[thread][SECOND]), OF_PROGRAM));
	words[thread][FIRST] = 0;
	write_words(thread, round);
	right = right && traps == 2 * WRITES && !wrong && ins == 2 && hups == 1 && count_of(limited) == 3;
	/* Linux 6.1 counts more, when the event with the limit has given its register back. */
	right = right && count_of(watch) >= 2 * WRITES;
	close(trap);
	close(watch);
	close(limited);
	return right;
}

static void *writer(void *number)
{
	int thread = (int)(long)number, right = 0;

	own = thread;
	for (unsigned i = 0; i < ROUNDS; i++)
		right += one_round(thread, i);
	if (right == ROUNDS)
		__atomic_fetch_add(&good, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* An event of a CPU takes a register from all threads there, while it exists. */
static void *opener(void *unused)
{
	for (unsigned i = 0; !stop; i++) {
		int fd = EVENT_ON(-1, i % 2, -1, 0, WATCH(&of_cpu), .sample_period = i % 3);

		of_cpu = i;
		count_of(fd);
		close(fd);
	}
	return unused;
}

static void *write_inherited(void *unused)
{
	for (unsigned i = 0; i < WRITES; i++)
		inherited = i, move(i);
	return unused;
}

int main(void)
{
	struct sigaction trap = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO }, io = { .sa_sigaction = on_io, .sa_flags = SA_SIGINFO };
	pthread_t threads[THREADS], other;
	int fd;

	sigaction(SIGTRAP, &trap, NULL);
	sigaction(SIGUSR1, &io, NULL);
	pthread_create(&other, NULL, opener, NULL);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, writer, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	stop = true;
	pthread_join(other, NULL);
	show("threads whose counts and signals are right: %d", good);
	fd = EVENT(WATCH(&inherited), OF_PROGRAM, .inherit = 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, write_inherited, NULL);
	for (int i = 0; i < THREADS; i++) {
		if (!fork())
			write_inherited(NULL), _exit(0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL), wait(NULL);
	show("writes of threads and children that inherit it: %ld", count_of(fd));
	close(fd);
	return 0;
}
