/* SA_RESTART: which interrupted calls begin again, and which give EINTR: pipes, FIFOs, locks, waits, sleeps, futexes. */

#include "abi.h"

static volatile int *handled; /* shared with the children */

static void handler(int sig)
{
	(*handled)++;
}

static void set(int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(SIGALRM, &action, NULL);
}

static int p[2];
static char big[70000];

/* Waits until the parent has handled the alarm, and is in its call again. */
static void wait_for_alarm(void)
{
	while (!*handled)
		usleep(1000);
	until_asleep(getppid(), getppid());
}

/* A child that does something after the alarm. */
static pid_t later(void (*fn)(void))
{
	pid_t pid;

	*handled = 0;
	pid = fork();
	if (!pid) {
		wait_for_alarm();
		fn();
		_exit(0);
	}
	return pid;
}

static void put(void)
{
	write(p[1], "x", 1);
}

static void get(void)
{
	read(p[0], big, 65536);
}

static void open_reader(void)
{
	open("fifo", O_RDONLY);
}

static void nothing(void)
{
}

static void calls(void)
{
	struct timespec t = { 10, 0 };
	struct flock lock = { .l_type = F_WRLCK };
	int word = 0, file, ready[2];
	siginfo_t info;
	sigset_t usr1;
	pid_t pid;
	char c;

	pipe(p);
	pid = later(put);
	signal_when_asleep(SIGALRM);
	CALL(read(p[0], &c, 1));
	waitpid(pid, NULL, 0);
	show("handled %d", *handled);
	fcntl(p[1], F_SETFL, O_NONBLOCK);
	while (write(p[1], big, 4096) > 0)
		;
	fcntl(p[1], F_SETFL, 0);
	pid = later(get);
	signal_when_asleep(SIGALRM);
	CALL(write(p[1], big, 4096));
	waitpid(pid, NULL, 0);
	pid = later(nothing);
	signal_when_asleep(SIGALRM);
	CALL(waitpid(pid, NULL, 0) == pid);
	while (waitpid(pid, NULL, 0) > 0)
		;
	pid = later(nothing);
	signal_when_asleep(SIGALRM);
	CALL(waitid(P_PID, (id_t)pid, &info, WEXITED));
	while (waitpid(pid, NULL, 0) > 0)
		;
	pid = later(open_reader);
	signal_when_asleep(SIGALRM);
	file = (int)OK(open("fifo", O_WRONLY));
	waitpid(pid, NULL, WNOHANG);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(file);
	/* A lock that a child holds. */
	file = open("f", O_RDWR | O_CREAT, 0600);
	pipe(ready);
	*handled = 0;
	pid = fork();
	if (!pid) {
		fcntl(file, F_SETLK, &lock);
		write(ready[1], "x", 1);
		wait_for_alarm();
		_exit(0);
	}
	read(ready[0], &c, 1);
	signal_when_asleep(SIGALRM);
	CALL(fcntl(file, F_SETLKW, &lock));
	waitpid(pid, NULL, 0);
	close(file);
	signal_when_asleep(SIGALRM);
	CALL(syscall(SYS_futex, &word, 0, 0, &t, NULL, 0));
	signal_when_asleep(SIGALRM);
	CALL(nanosleep(&t, NULL));
	signal_when_asleep(SIGALRM);
	CALL(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL));
	signal_when_asleep(SIGALRM);
	CALL(pause());
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	signal_when_asleep(SIGALRM);
	CALL(syscall(SYS_rt_sigtimedwait, &usr1, &info, &t, 8));
	signal_when_asleep(SIGALRM);
	CALL(syscall(SYS_rt_sigtimedwait, &usr1, &info, NULL, 8));
	close(p[0]);
	close(p[1]);
}

int main(void)
{
	handled = mmap(NULL, sizeof(*handled), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	mkfifo("fifo", 0600);
	show("with SA_RESTART");
	set(SA_RESTART);
	calls();
	show("without");
	set(0);
	calls();
	return 0;
}
