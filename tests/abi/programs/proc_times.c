/* times(2), getrusage(2), wait4(2): the time and memory of a process and of its waited-for children. */
#include "abi.h"

#include <sys/times.h>

#define SIZE (8 << 20)

static void burn(void)
{
	struct timespec begin, now;
	struct rusage usage;

	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		getrusage(RUSAGE_SELF, &usage);
	} while (usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec < 60000);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	TRUTH(now.tv_sec > begin.tv_sec || (now.tv_sec == begin.tv_sec && now.tv_nsec >= begin.tv_nsec));
}

static long ms(const struct timeval *tv)
{
	return tv->tv_sec * 1000 + tv->tv_usec / 1000;
}

int main(void)
{
	struct rusage own, children, one;
	struct tms before, after;
	volatile char *p; /* volatile: the compiler must not leave out the writes */
	siginfo_t ended;
	pid_t pid;

	times(&before);
	pid = fork();
	if (!pid) {
		burn();
		_exit(0);
	}
	/* The child has ended, and its time is not counted yet. */
	waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT);
	times(&after);
	show("not before the wait: %d", after.tms_cutime == before.tms_cutime && after.tms_cstime == before.tms_cstime);
	TRUTH(wait4(pid, NULL, 0, &one) == pid);
	times(&after);
	getrusage(RUSAGE_CHILDREN, &children);
	TRUTH(ms(&one.ru_utime) + ms(&one.ru_stime) >= 50);
	TRUTH(ms(&children.ru_utime) + ms(&children.ru_stime) >= ms(&one.ru_utime) + ms(&one.ru_stime));
	TRUTH(after.tms_cutime + after.tms_cstime >= 4);
	TRUTH(one.ru_maxrss > 0 && children.ru_maxrss >= one.ru_maxrss);
	getrusage(RUSAGE_SELF, &own);
	p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)p, SIZE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < SIZE; i += 4096)
		p[i] = 1;
	getrusage(RUSAGE_SELF, &one);
	TRUTH(one.ru_minflt - own.ru_minflt >= 1000);
	TRUTH(one.ru_maxrss >= SIZE >> 10);
	munmap((void *)p, SIZE);
	getrusage(RUSAGE_SELF, &own);
	TRUTH(own.ru_maxrss >= one.ru_maxrss);
	CALL(getrusage(77, &own));
	CALL(getrusage(-2, &own));
	CALL(getrusage(1 /* RUSAGE_THREAD */, &own));
	TRUTH(times(NULL) != -1);
	TRUTH(sysconf(_SC_CLK_TCK) == 100);
	return 0;
}
