/* POSIX timers are not inherited by fork, and exec deletes them; setitimer's live on over exec, not over fork. */
#include "abi.h"

/* Moves the time of day. */
static void move_clock(long seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += seconds;
	clock_settime(CLOCK_REALTIME, &now);
}

int main(int argc, char **argv)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec at = { { 0, 0 }, { 0, 0 } };
	struct itimerval later = { { 0, 0 }, { 100, 0 } }, now;
	struct itimerspec left;
	int id, status;

	if (argc > 1) {
		CALL(syscall(SYS_timer_gettime, atoi(argv[1]), &left));
		/* The time at which the timer would expire passes. */
		move_clock(1000);
		let_others_run();
		move_clock(-1000);
		getitimer(ITIMER_REAL, &now);
		TRUTH(now.it_value.tv_sec > 90);
		getitimer(ITIMER_VIRTUAL, &now);
		TRUTH(now.it_value.tv_sec > 90);
		getitimer(ITIMER_PROF, &now);
		TRUTH(now.it_value.tv_sec > 90);
		show("alive");
		return 0;
	}
	CALL(syscall(SYS_timer_create, CLOCK_REALTIME, &event, &id));
	clock_gettime(CLOCK_REALTIME, &at.it_value);
	at.it_value.tv_sec += 500;
	CALL(syscall(SYS_timer_settime, id, TIMER_ABSTIME, &at, NULL));
	setitimer(ITIMER_REAL, &later, NULL);
	setitimer(ITIMER_VIRTUAL, &later, NULL);
	setitimer(ITIMER_PROF, &later, NULL);
	if (!fork()) {
		CALL(syscall(SYS_timer_gettime, id, &left));
		CALL(syscall(SYS_timer_delete, id));
		getitimer(ITIMER_REAL, &now);
		show("%ld", now.it_value.tv_sec);
		getitimer(ITIMER_VIRTUAL, &now);
		show("%ld", now.it_value.tv_sec);
		getitimer(ITIMER_PROF, &now);
		show("%ld", now.it_value.tv_sec);
		CALL(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
		show("id %d", id);
		_exit(0);
	}
	wait(&status);
	show_status("child", status);
	execl("/proc/self/exe", "timer_fork_exec", id == 0 ? "0" : "1", NULL);
	return 1;
}
