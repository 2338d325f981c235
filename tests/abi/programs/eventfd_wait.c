/* eventfd: blocked readers and writers, poll, overflow, semaphores, errors, threads and children. */
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "abi.h"

static int fd;

static void *add_later(void *arg)
{
	uint64_t value = 5;

	usleep(20000);
	write(fd, &value, 8);
	return NULL;
}

static void *take_later(void *arg)
{
	uint64_t value;

	usleep(20000);
	read(fd, &value, 8);
	return NULL;
}

static void polls(const char *what)
{
	struct pollfd one = { fd, POLLIN | POLLOUT, 0 };
	int n = poll(&one, 1, 0);

	show("%s: %d %x", what, n, one.revents);
}

static void handler(int sig)
{
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	struct pollfd one;
	pthread_t thread;
	uint64_t value;
	int status;

	CALL(syscall(SYS_eventfd2, 0, 2));
	CALL(syscall(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE | 0x10));
	OK(fd = (int)syscall(SYS_eventfd, 3));
	polls("3");
	CALL(read(fd, &value, 8));
	show("%llu", (unsigned long long)value);
	polls("0");
	pthread_create(&thread, NULL, add_later, NULL);
	CALL(read(fd, &value, 8));
	show("%llu", (unsigned long long)value);
	pthread_join(thread, NULL);
	value = ~0ULL;
	CALL(write(fd, &value, 8));
	value = ~0ULL - 1;
	CALL(write(fd, &value, 8));
	polls("full");
	pthread_create(&thread, NULL, take_later, NULL);
	value = 9;
	CALL(write(fd, &value, 8));
	pthread_join(thread, NULL);
	CALL(read(fd, &value, 8));
	show("%llu", (unsigned long long)value);
	value = 0;
	CALL(write(fd, &value, 8));
	polls("0 added");
	one = (struct pollfd){ fd, POLLIN, 0 };
	pthread_create(&thread, NULL, add_later, NULL);
	CALL(poll(&one, 1, -1));
	pthread_join(thread, NULL);
	if (!fork()) {
		CALL(read(fd, &value, 8));
		_exit((int)value);
	}
	wait(&status);
	show_status("child", status);
	polls("after the child");
	sigaction(SIGALRM, &action, NULL);
	signal_when_asleep(SIGALRM);
	CALL(read(fd, &value, 8));
	wait(NULL);
	CALL(read(fd, &value, 7));
	CALL(write(fd, &value, 7));
	CALL(lseek(fd, 1, SEEK_SET));
	close(fd);
	fd = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
	CALL(read(fd, &value, 8));
	CALL(read(fd, &value, 8));
	CALL(read(fd, &value, 8));
	polls("semaphore 0");
	value = ~0ULL - 1;
	CALL(write(fd, &value, 8));
	CALL(write(fd, &value, 8));
	return 0;
}
