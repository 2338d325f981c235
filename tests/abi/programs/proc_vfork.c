/* vfork(2): the parent waits until the child ends or execs; both share the memory. */
#include "abi.h"

static volatile int value;

int main(int argc, char **argv)
{
	int status, pipes[2], go[2];
	char c;
	pid_t pid;

	if (argc > 1) {
		read(atoi(argv[2]), &c, 1);
		write(atoi(argv[1]), "x", 1);
		return 6;
	}
	pid = vfork();
	if (!pid) {
		value = 1;
		usleep(20000);
		value = 2;
		_exit(4);
	}
	show("after the child's end: %d", value);
	waitpid(pid, &status, 0);
	show_status("child", status);

	pipe2(pipes, O_NONBLOCK);
	pipe(go);
	pid = vfork();
	if (!pid) {
		char number[12], go_number[12];

		value = 3;
		snprintf(number, sizeof(number), "%d", pipes[1]);
		snprintf(go_number, sizeof(go_number), "%d", go[0]);
		execl("/proc/self/exe", "again", number, go_number, NULL);
		_exit(1);
	}
	show("after exec: %d, the program has not ended: %d", value, read(pipes[0], &c, 1) < 0 && errno == EAGAIN);
	write(go[1], "x", 1);
	waitpid(pid, &status, 0);
	show_status("program", status);
	show("its output: %ld", (long)read(pipes[0], &c, 1));

	pid = vfork();
	if (!pid) {
		execl("/nothing", "nothing", NULL);
		value = errno;
		_exit(5);
	}
	show("exec failed: %s", error_name(value));
	waitpid(pid, &status, 0);
	show_status("child", status);

	pid = vfork();
	if (!pid)
		kill(getpid(), SIGKILL);
	waitpid(pid, &status, 0);
	show_status("killed child", status);
	return 0;
}
