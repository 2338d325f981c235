/* POSIX timers are not inherited by fork, and exec deletes them; setitimer's live on over exec, not over fork. */
#include "abi.h"

#define MS 1000000L

int main(int argc, char **argv)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec soon = { { 0, 0 }, { 0, 50 * MS } };
	struct itimerval later = { { 0, 0 }, { 100, 0 } }, now;
	struct itimerspec left;
	int id, status;

	if (argc > 1) {
		CALL(syscall(SYS_timer_gettime, atoi(argv[1]), &left));
		usleep(100000);
		getitimer(ITIMER_REAL, &now);
		TRUTH(now.it_value.tv_sec > 90);
		getitimer(ITIMER_VIRTUAL, &now);
		TRUTH(now.it_value.tv_sec > 90);
		getitimer(ITIMER_PROF, &now);
		TRUTH(now.it_value.tv_sec > 90);
		show("alive");
		return 0;
	}
	CALL(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
	CALL(syscall(SYS_timer_settime, id, 0, &soon, NULL));
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
	signal(SIGUSR1, SIG_IGN);
	wait(&status);
	show_status("child", status);
	signal(SIGUSR1, SIG_DFL);
	execl("/proc/self/exe", "timer_fork_exec", id == 0 ? "0" : "1", NULL);
	return 1;
}
