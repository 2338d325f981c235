/* RLIMIT_RTTIME: a real-time task that does not sleep gets SIGXCPU at the soft limit, SIGKILL at the hard one. */
#include "abi.h"

#include <sched.h>

static volatile int handled;

static void handler(int sig)
{
	handled++;
}

static void limit(unsigned long soft, unsigned long hard)
{
	struct rlimit limit = { soft, hard };

	setrlimit(RLIMIT_RTTIME, &limit);
}

static void become_urgent(int policy)
{
	struct sched_param param = { .sched_priority = 5 };

	syscall(SYS_sched_setscheduler, 0, policy, &param);
}

static long cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Computes for a time of the CPU; ends with the first signal. */
static void compute(long ms)
{
	long end = cpu_ms() + ms;

	while (!handled && cpu_ms() < end)
		;
}

static void soft(void)
{
	limit(100000, 20000000);
	become_urgent(SCHED_FIFO);
	compute(5000);
	show("no signal");
}

static void hard(void)
{
	limit(100000, 200000);
	signal(SIGXCPU, SIG_IGN);
	become_urgent(SCHED_RR);
	compute(5000);
	show("no signal");
}

static void once_a_second(void)
{
	struct rlimit now;

	signal(SIGXCPU, handler);
	limit(100000, 20000000);
	become_urgent(SCHED_FIFO);
	compute(5000);
	TRUTH(cpu_ms() >= 90);
	getrlimit(RLIMIT_RTTIME, &now);
	show("handled %d, soft limit %lu, hard %lu", handled, (unsigned long)now.rlim_cur, (unsigned long)now.rlim_max);
	handled = 0;
	compute(300);
	TRUTH(!handled || cpu_ms() >= 1100); /* a busy host may have stopped this CPU for a second */
}

/* sched_yield() is no sleep. */
static void yields(void)
{
	signal(SIGXCPU, handler);
	limit(100000, 20000000);
	become_urgent(SCHED_FIFO);
	for (long end = cpu_ms() + 5000; !handled && cpu_ms() < end;)
		sched_yield();
	show("handled %d", handled);
}

static void sleeps(void)
{
	long longest = 0;

	signal(SIGXCPU, handler);
	limit(1000000, 20000000);
	become_urgent(SCHED_FIFO);
	for (int i = 0; i < 30; i++) {
		long start = cpu_ms(), took;

		compute(50);
		took = cpu_ms() - start;
		longest = took > longest ? took : longest;
		usleep(1000);
	}
	TRUTH(!handled || longest >= 1000);
}

static void not_urgent(void)
{
	signal(SIGXCPU, handler);
	limit(20000, 20000000);
	compute(300);
	show("handled %d", handled);
}

int main(void)
{
	CHILD(soft);
	CHILD(hard);
	CHILD(once_a_second);
	CHILD(yields);
	CHILD(sleeps);
	CHILD(not_urgent);
	return 0;
}
