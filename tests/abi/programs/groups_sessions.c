/* setpgid(2), getpgid(2), setsid(2), getsid(2), kill(2) of groups, orphaned groups that are stopped. */
#include "abi.h"

static volatile int hups, conts;

static void on_hup(int sig)
{
	hups++;
}

static void on_cont(int sig)
{
	conts++;
}

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void end(const char *name, pid_t pid)
{
	int status = 0;

	if (waitpid(pid, &status, 0) != pid)
		show("%s: %s", name, error_name(errno));
	else
		show_status(name, status);
}

static void sessions(void)
{
	pid_t pid = sleeper();

	CALL(setpgid(0, 0));
	CALL(setpgid(0, 0));
	TRUTH(getpgrp() == getpid());
	CALL(setsid());
	CALL(setpgid(pid, 0x3ffffff));
	CALL(setpgid(pid, -1));
	CALL(setpgid(1, 0));
	CALL(setpgid(pid, pid));
	TRUTH(getpgid(pid) == pid);
	TRUTH(getsid(pid) == getsid(0));
	TRUTH(getsid(0) == getsid(getppid()));
	CALL(setpgid(pid, getpgrp()));
	TRUTH(getpgid(pid) == getpid());
	CALL(getpgid(0x3ffffff));
	CALL(getsid(0x3ffffff));
	CALL(getpgid(-1));
	CALL(setpgid(pid, pid));
	CALL(kill(-pid, SIGTERM));
	end("group", pid);
	CALL(kill(-pid, SIGTERM));
}

static void new_session(void)
{
	pid_t pid;

	OK(setsid());
	TRUTH(getsid(0) == getpid() && getpgrp() == getpid());
	CALL(setsid());
	CALL(setpgid(0, 0));
	pid = sleeper();
	TRUTH(getsid(pid) == getpid());
	CALL(setpgid(0, getppid()));
	CALL(open("/dev/tty", O_RDWR));
	kill(pid, SIGKILL);
	end("child", pid);
}

static void other_session(void)
{
	pid_t pid = fork();
	int p[2];
	char c;

	pipe(p);
	if (!pid)
		for (;;)
			pause();
	kill(pid, SIGKILL);
	end("first", pid);
	pid = fork();
	if (!pid) {
		setsid();
		write(p[1], "x", 1);
		for (;;)
			pause();
	}
	read(p[0], &c, 1);
	CALL(setpgid(pid, pid));
	CALL(setpgid(pid, getpgrp()));
	kill(pid, SIGKILL);
	end("second", pid);
}

static void after_exec(void)
{
	int p[2];
	char c;
	pid_t pid;

	pipe2(p, O_CLOEXEC);
	pid = fork();
	if (!pid) {
		execl("/bin/sleep", "sleep", "100", NULL);
		_exit(1);
	}
	close(p[1]);
	CALL(read(p[0], &c, 1));
	CALL(setpgid(pid, pid));
	kill(pid, SIGKILL);
	end("exec", pid);
}

/* The parent of the group ends while the group is stopped: SIGHUP, then SIGCONT. */
static void orphaned(void)
{
	int pipefd[2], reaped[2];
	pid_t middle, leaf;
	char c;

	pipe(pipefd);
	pipe(reaped);
	middle = fork();
	if (!middle) {
		leaf = fork();
		if (!leaf) {
			setpgid(0, 0);
			signal(SIGHUP, on_hup);
			signal(SIGCONT, on_cont);
			close(pipefd[0]);
			close(reaped[1]);
			raise(SIGSTOP);
			while (!hups || !conts)
				usleep(1000);
			read(reaped[0], &c, 1); /* the end of file: the line of middle is printed */
			show("orphan: HUP %d CONT %d", hups, conts);
			/* Nobody can continue an orphaned group, so that SIGTSTP does not stop it. */
			raise(SIGTSTP);
			show("orphan: goes on");
			_exit(0);
		}
		setpgid(leaf, leaf);
		waitpid(leaf, NULL, WUNTRACED);
		_exit(0);
	}
	close(pipefd[1]);
	end("middle", middle);
	close(reaped[1]);
	CALL(read(pipefd[0], &c, 1));
}

/* Each of two groups, whose members take turns in the list of children, gets the signals once. */
static void orphaned_groups(void)
{
	int signals[2], child[4];
	char seen[2];

	pipe(signals);
	if (!fork()) {
		for (int i = 0; i < 4; i++) {
			child[i] = fork();
			if (!child[i]) {
				hups = conts = 0;
				signal(SIGHUP, on_hup);
				signal(SIGCONT, on_cont);
				raise(SIGSTOP);
				while (!hups || !conts)
					usleep(1000);
				usleep(50000);
				seen[0] = (char)hups;
				seen[1] = (char)conts;
				write(signals[1], seen, 2);
				_exit(0);
			}
			setpgid(child[i], child[i % 2]);
			waitpid(child[i], NULL, WUNTRACED);
		}
		_exit(0);
	}
	close(signals[1]);
	wait(NULL);
	while (read(signals[0], seen, 2) == 2)
		show("orphan of two groups: HUP %d CONT %d", seen[0], seen[1]);
}

int main(void)
{
	CHILD(sessions);
	CHILD(new_session);
	CHILD(other_session);
	CHILD(after_exec);
	orphaned();
	orphaned_groups();
	return 0;
}
