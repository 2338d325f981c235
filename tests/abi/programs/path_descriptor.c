/* O_PATH: what a descriptor that is only a place can be used for. */
#include "abi.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>

int main(void)
{
	char buf[64] = "", name[40];
	struct statfs fs;
	struct stat st;
	int f, d, l, n, ep = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN };
	struct pollfd p;

	n = open("f", O_RDWR | O_CREAT, 0000);
	write(n, "text", 4);
	close(n);
	mkdir("d", 0755);
	close(open("d/inner", O_CREAT, 0644));
	symlink("f", "link");
	mkfifo("fifo", 0600);
	OK(f = open("f", O_PATH));
	OK(d = open("d", O_PATH));
	OK(l = open("link", O_PATH | O_NOFOLLOW));
	OK(open("fifo", O_PATH));
	CALL(open("none", O_PATH));
	CALL(open("none", O_PATH | O_CREAT, 0644));
	CALL(open("f", O_PATH | O_DIRECTORY));
	OK(n = open("f", O_PATH | O_RDWR | O_TRUNC | O_APPEND | O_NONBLOCK | O_CLOEXEC));
	show("flags %o, descriptor flags %d", fcntl(n, F_GETFL), fcntl(n, F_GETFD));
	stat("f", &st);
	show("size %ld", (long)st.st_size);
	show("flags %o %o %o", fcntl(f, F_GETFL), fcntl(d, F_GETFL), fcntl(l, F_GETFL));

	CALL(read(f, buf, 1));
	CALL(write(f, buf, 1));
	CALL(pread(f, buf, 1, 0));
	CALL(lseek(f, 0, SEEK_SET));
	CALL(ioctl(f, FIONREAD, &n));
	CALL(syscall(SYS_fchmod, f, 0600));
	CALL(syscall(SYS_fchown, f, 0, 0));
	CALL(ftruncate(f, 0));
	CALL(fsync(f));
	CALL(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, f, 0) == MAP_FAILED ? -1 : 0);
	CALL(fcntl(f, F_SETFL, O_APPEND));
	CALL(fcntl(f, F_SETFD, FD_CLOEXEC));
	CALL(fcntl(f, F_GETFD));
	OK(n = dup(f));
	CALL(fcntl(n, F_GETFL));
	CALL(fstat(f, &st));
	show("mode %o", st.st_mode);
	CALL(fstat(l, &st));
	show("mode %o", st.st_mode);
	CALL(fstatfs(f, &fs));
	CALL(epoll_ctl(ep, EPOLL_CTL_ADD, f, &event));
	p.fd = f;
	p.events = POLLIN;
	CALL(poll(&p, 1, 0));
	show("%x", p.revents);
	CALL(readlinkat(l, "", buf, 63));
	CALL(readlinkat(f, "", buf, 63));
	CALL(fchdir(f));
	OK(n = openat(d, "inner", O_RDONLY));
	CALL(openat(f, "inner", O_RDONLY));
	CALL(unlinkat(d, "inner", 0));
	CALL(fchdir(d));
	CALL(getcwd(buf, sizeof(buf)) != NULL);
	show("%s", strrchr(buf, '/'));
	CALL(linkat(f, "", AT_FDCWD, "../linked", AT_EMPTY_PATH));
	CALL(fchownat(l, "", 5, 5, AT_EMPTY_PATH));
	CALL(lstat("../link", &st));
	show("owner %u", st.st_uid);

	/* /proc/self/fd/N opens what it stands for. */
	snprintf(name, sizeof(name), "/proc/self/fd/%d", f);
	OK(n = open(name, O_RDWR));
	CALL(read(n, buf, 10));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", l);
	CALL(open(name, O_RDONLY));
	CALL(stat(name, &st));
	show("mode %o", st.st_mode);
	return 0;
}
