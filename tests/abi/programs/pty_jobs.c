/* Job control on a slave: ^C, ^\ and ^Z go to the foreground; the background gets SIGTTIN and SIGTTOU. */
#include "pty.h"
#include <pthread.h>

static int slave, master;

static pid_t job(void (*run)(void))
{
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		signal(SIGTTOU, SIG_DFL);
		run();
		_exit(0);
	}
	setpgid(pid, pid);
	return pid;
}

static void sleeper(void)
{
	for (;;)
		pause();
}

static void reader(void)
{
	char c;

	if (read(slave, &c, 1) == -1)
		_exit(errno == EIO ? 5 : 6);
}

static void writer(void)
{
	write(slave, "from the background\n", 20);
}

static void changer(void)
{
	struct termios t;

	tcgetattr(slave, &t);
	tcsetattr(slave, TCSANOW, &t);
}

static void takes_terminal(int sig)
{
	tcsetpgrp(slave, getpgrp());
}

static void *reads(void *arg)
{
	char c;

	_exit(read(slave, &c, 1) == 1 ? 3 : 4);
}

/* The main thread takes the SIGTTIN of the thread that reads, whose call starts again. */
static void thread_reader(void)
{
	struct sigaction action = { .sa_handler = takes_terminal, .sa_flags = SA_RESTART };
	pthread_t thread;

	signal(SIGTTOU, SIG_IGN);
	sigaction(SIGTTIN, &action, NULL);
	pthread_create(&thread, NULL, reads, NULL);
	sleeper();
}

static void ignoring_reader(void)
{
	signal(SIGTTIN, SIG_IGN);
	reader();
}

static void ignoring_changer(void)
{
	signal(SIGTTOU, SIG_IGN);
	changer();
	if (tcsetpgrp(slave, getpgrp()))
		_exit(9);
}

static void end(const char *name, pid_t pid)
{
	int status;

	waitpid(pid, &status, WUNTRACED);
	show_status(name, status);
	if (WIFSTOPPED(status)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
}

static void foreground(const char *name, const char *keys)
{
	pid_t pid = job(sleeper);

	CALL(tcsetpgrp(slave, pid));
	TRUTH(tcgetpgrp(slave) == pid);
	feed(master, keys);
	end(name, pid);
}

static void session(void)
{
	struct termios t;

	setsid();
	CALL(ioctl(slave, TIOCSCTTY, 0));
	signal(SIGTTOU, SIG_IGN);
	foreground("^C", "typed\003");
	drain("echo", master);
	foreground("^\\", "\034");
	foreground("^Z", "\032");
	drain("echo", master);
	CALL(tcsetpgrp(slave, getpgrp()));
	end("read", job(reader));
	end("read, SIGTTIN ignored", job(ignoring_reader));
	end("write", job(writer));
	drain("output", master);
	tcgetattr(slave, &t);
	t.c_lflag |= TOSTOP;
	tcsetattr(slave, TCSANOW, &t);
	end("write with TOSTOP", job(writer));
	end("tcsetattr", job(changer));
	end("tcsetattr, SIGTTOU ignored", job(ignoring_changer));
	CALL(tcsetpgrp(slave, getpgrp()));
	feed(master, "x\n");
	end("read in a thread", job(thread_reader));
	CALL(tcsetpgrp(slave, getpgrp()));
	CALL(tcsetpgrp(slave, 999999));
	CALL(tcsetpgrp(slave, -1));
	CALL(tcsetpgrp(slave, 1));
	/* On the master: no check of the caller's terminal. */
	TRUTH(tcgetpgrp(master) == getpgrp());
	TRUTH(tcgetsid(master) == getpid());
	_exit(0);
}

static void other_session(void)
{
	setsid();
	CALL(tcgetpgrp(slave));
	CALL(tcsetpgrp(slave, getpgrp()));
	CALL(tcgetsid(slave));
	CALL(ioctl(slave, TIOCNOTTY));
	CALL(open("/dev/tty", O_RDWR));
	_exit(0);
}

int main(void)
{
	master = open_pair(&slave);
	CHILD(other_session);
	CHILD(session);
	return 0;
}
