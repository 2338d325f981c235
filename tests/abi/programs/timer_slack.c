/* The timer slack of a task: prctl(2), fork, and /proc/PID/timerslack_ns. */
#include "abi.h"

#include <sys/prctl.h>

static void file(const char *write_this)
{
	char b[40] = { 0 };
	int fd = open("/proc/self/timerslack_ns", O_RDWR);

	if (write_this)
		show("write %s: %ld", write_this, (long)write(fd, write_this, strlen(write_this)));
	pread(fd, b, 39, 0);
	show("file: %s", strtok(b, "\n"));
	close(fd);
}

static void child(void)
{
	CALL(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
	CALL(prctl(PR_SET_TIMERSLACK, 5, 0, 0, 0));
	CALL(prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0));
	CALL(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
}

int main(void)
{
	CALL(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
	file(NULL);
	CALL(prctl(PR_SET_TIMERSLACK, 123456, 0, 0, 0));
	CALL(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
	file(NULL);
	CHILD(child);
	file("777");
	CALL(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
	file("0");
	file("x");
	CALL(prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0));
	CALL(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
	return 0;
}
