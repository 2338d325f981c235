/* F_GETFL, F_SETFL, F_GETFD, F_DUPFD: which flags stay, which change, and errors. */
#include "abi.h"
#include <pthread.h>
#include <sys/socket.h>

static void flags(const char *what, int fd)
{
	int f = fcntl(fd, F_GETFL);

	if (f < 0) {
		show("%s: %s", what, error_name(errno));
		return;
	}
	/* O_LARGEFILE is always there, and musl's and glibc's O_CLOEXEC never. */
	show("%s: mode %o%s%s%s%s%s%s, rest %o", what, f & O_ACCMODE, f & O_APPEND ? " APPEND" : "",
	     f & O_NONBLOCK ? " NONBLOCK" : "", f & O_DIRECTORY ? " DIRECTORY" : "", f & O_NOFOLLOW ? " NOFOLLOW" : "",
	     f & 0100000 ? " LARGEFILE" : "", f & O_NOATIME ? " NOATIME" : "",
	     f & ~(O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECTORY | O_NOFOLLOW | 0100000 | O_NOATIME));
}

static int shared[2];
static volatile bool over;

static void *toggle_nonblock(void *unused)
{
	for (int on = 0; !over; on = !on)
		ioctl(shared[0], FIONBIO, &on);
	return NULL;
}

/* Two threads change two flags of one file. */
static void at_the_same_time(void)
{
	pthread_t thread;
	int lost = 0;

	pipe(shared);
	pthread_create(&thread, NULL, toggle_nonblock, NULL);
	for (int i = 0, on = 0; i < rounds(300000); i++, on = !on) {
		ioctl(shared[0], FIOASYNC, &on);
		lost += !(fcntl(shared[0], F_GETFL) & O_ASYNC) != !on;
	}
	over = true;
	pthread_join(thread, NULL);
	show("%d changes lost", lost);
}

static void user(void)
{
	int fd;

	setresuid(1000, 1000, 1000);
	CALL(open("f", O_RDONLY | O_NOATIME));
	fd = open("f", O_RDONLY);
	CALL(fcntl(fd, F_SETFL, O_NOATIME));
	flags("f", fd);
}

int main(void)
{
	struct rlimit limit = { 20, 20 };
	int fd, p[2], s[2];

	fd = open("f", O_RDWR | O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY | O_CLOEXEC, 0644);
	flags("created", fd);
	CALL(fcntl(fd, F_GETFD));
	CALL(fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK | O_RDONLY | O_CREAT));
	flags("set", fd);
	CALL(fcntl(fd, F_SETFL, 0));
	flags("cleared", fd);
	CALL(fcntl(fd, F_SETFL, O_SYNC | O_TRUNC | O_DIRECTORY));
	flags("cannot be set", fd);
	CALL(fcntl(fd, F_SETFL, O_NOATIME));
	flags("noatime", fd);
	flags("sync", open("f", O_WRONLY | O_SYNC));
	flags("dsync", open("f", O_WRONLY | O_DSYNC));
	flags("directory", open(".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
	flags("3", open("f", 3));
	pipe2(p, O_NONBLOCK | O_CLOEXEC);
	flags("pipe", p[0]);
	flags("pipe", p[1]);
	CALL(fcntl(p[0], F_SETFL, O_APPEND));
	flags("pipe", p[0]);
	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s);
	flags("socket", s[0]);
	flags("null", open("/dev/null", O_RDWR | O_APPEND));

	CALL(fcntl(fd, F_SETFD, 0));
	CALL(fcntl(fd, F_SETFD, 0xfffe));
	CALL(fcntl(fd, F_GETFD));
	CALL(fcntl(fd, F_SETFD, 0xffff));
	CALL(fcntl(fd, F_GETFD));
	CALL(fcntl(fd, F_DUPFD, 30));
	CALL(fcntl(30, F_GETFD));
	CALL(fcntl(fd, F_DUPFD_CLOEXEC, 30));
	CALL(fcntl(31, F_GETFD));
	CALL(fcntl(fd, F_DUPFD, -1));
	setrlimit(RLIMIT_NOFILE, &limit);
	CALL(fcntl(fd, F_DUPFD, 20));
	CALL(fcntl(fd, F_DUPFD, 19));
	CALL(fcntl(fd, F_DUPFD, 19));
	CALL(dup2(fd, 20));
	CALL(syscall(SYS_fcntl, fd, 9999, 0));
	CALL(fcntl(99, F_GETFL));
	CALL(fcntl(-1, F_GETFD));
	CHILD(user);
	CHILD(at_the_same_time);
	return 0;
}
