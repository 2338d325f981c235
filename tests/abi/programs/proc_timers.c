/* /proc/PID/timers: the timers of timer_create(2). */
#include "abi.h"
#include <time.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void timers(const char *name)
{
	char text[4096], *line, *next;
	int fd = open("/proc/self/timers", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	show("%s: %s", name, n > 0 ? "" : n ? error_name(errno) : "none");
	text[n > 0 ? n : 0] = 0;
	for (line = text; *line; line = next) {
		char *dot;

		next = strchr(line, '\n');
		*next++ = 0;
		dot = strchr(line, '.');
		if (dot && atoi(dot + 1) == getpid())
			show("  %.*s.own", (int)(dot - line), line);
		else
			show("  %s", line);
	}
	close(fd);
}

int main(void)
{
	struct itimerspec in = { { 0, 0 }, { 1000, 0 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 77 };
	timer_t first, second, third, fourth, fifth;

	timers("at first");
	syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &first);
	event = (struct sigevent){ .sigev_notify = SIGEV_NONE };
	syscall(SYS_timer_create, CLOCK_REALTIME, &event, &second);
	event = (struct sigevent){ .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = (void *)0x123456789 };
	*(int *)((char *)&event + 16) = getpid();
	syscall(SYS_timer_create, CLOCK_BOOTTIME, &event, &third);
	syscall(SYS_timer_create, CLOCK_PROCESS_CPUTIME_ID, NULL, &fourth);
	event = (struct sigevent){ .sigev_notify = SIGEV_THREAD, .sigev_signo = 40 };
	syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &fifth);
	syscall(SYS_timer_settime, *(int *)&first, 0, &in, NULL);
	timers("five");
	syscall(SYS_timer_delete, *(int *)&second);
	timers("four");
	CALL(open("/proc/thread-self/timers", O_RDONLY));
	CALL(access("/proc/self/task/self/timers", F_OK));
	return 0;
}
