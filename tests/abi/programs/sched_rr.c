/* SCHED_RR: tasks of one level take turns, SCHED_FIFO tasks do not; sched_rr_get_interval,
 * sched_rr_timeslice_ms. */
#include <sched.h>

#include "abi.h"

static void set(int policy)
{
	struct sched_param param = { .sched_priority = 10 };

	syscall(SYS_sched_setscheduler, 0, policy, &param);
}

static volatile unsigned long *counts;

/* Two children count on one CPU for a while; the parent, more urgent, looks. */
static void race(const char *name, int policy)
{
	struct sched_param urgent = { .sched_priority = 50 };
	cpu_set_t one;
	pid_t pids[2];

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	counts[0] = counts[1] = 0;
	sched_setaffinity(0, sizeof(one), &one);
	syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &urgent);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			set(policy);
			for (;;)
				counts[i]++;
		}
	}
	if (policy == SCHED_RR)
		while (!counts[0] || !counts[1])
			usleep(10000);
	else
		usleep(700000);
	show("%s: %d ran", name, !!counts[0] + !!counts[1]);
	for (int i = 0; i < 2; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

static void interval(const char *name)
{
	struct timespec ts = { 9, 9 };

	syscall(SYS_sched_rr_get_interval, 0, &ts);
	show("%s: %ld.%09ld", name, (long)ts.tv_sec, ts.tv_nsec);
}

/* Writes to sched_rr_timeslice_ms. Zero and less set the default again. */
static void set_slice(const char *ms)
{
	int fd = open("/proc/sys/kernel/sched_rr_timeslice_ms", O_RDWR);
	char value[16] = "";

	errno = 0;
	show("slice %s: %s", ms, write(fd, ms, strlen(ms)) < 0 ? error_name(errno) : "ok");
	lseek(fd, 0, SEEK_SET);
	read(fd, value, sizeof(value) - 1);
	show("is %ld", strtol(value, NULL, 10));
	close(fd);
	interval("rr");
}

int main(void)
{
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	set(SCHED_FIFO);
	interval("fifo");
	set(SCHED_RR);
	interval("rr");
	CALL(syscall(SYS_sched_getscheduler, 0));
	CALL(syscall(SYS_sched_rr_get_interval, 0, 1));
	set_slice("20");
	set_slice("2500");
	set_slice("x");
	set_slice("-3");
	set_slice("8");
	set_slice("0");
	race("rr", SCHED_RR);
	race("fifo", SCHED_FIFO);
	return 0;
}
