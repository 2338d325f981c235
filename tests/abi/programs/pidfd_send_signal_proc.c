/* pidfd_send_signal(2) to a descriptor of the directory /proc/PID. */
#include "abi.h"

#include <sys/syscall.h>
#include <sys/wait.h>

static long send(int fd, int sig)
{
	return syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
}

int main(void)
{
	char path[64];
	int fd, thread, file, status;
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	snprintf(path, sizeof(path), "/proc/%d", pid);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, pid);
	thread = open(path, O_RDONLY | O_DIRECTORY);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = open(path, O_RDONLY);
	CALL(send(fd, 0));
	CALL(send(thread, 0));
	CALL(send(file, 0));
	CALL(send(open("/proc", O_RDONLY), 0));
	CALL(send(fd, 65));
	CALL(send(fd, SIGUSR1));
	CALL(waitpid(pid, &status, 0) == pid);
	show_status("child", status);
	CALL(send(fd, 0));
	return 0;
}
