/* Buffers that end in a page that is not there: EFAULT, or what fitted. */
#include "abi.h"

#include <poll.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#define PAGE 4096UL

int main(void)
{
	char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = p + PAGE;
	int fd = open("f", O_RDWR | O_CREAT, 0600), pipes[2], zero = open("/dev/zero", O_RDONLY);
	struct iovec v[2] = { { p, 10 }, { end, 10 } };

	munmap(end, PAGE);
	memset(p, 'a', PAGE);
	CALL(syscall(SYS_write, fd, end, 1));
	CALL(syscall(SYS_write, fd, end - 5, 10));
	CALL(syscall(SYS_write, fd, NULL, 0));
	CALL(syscall(SYS_write, fd, NULL, 1));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(ftruncate(fd, 100));
	CALL(syscall(SYS_read, fd, end - 5, 10));
	CALL(syscall(SYS_read, fd, end, 10));
	CALL(syscall(SYS_read, zero, end, 10));
	CALL(syscall(SYS_readv, fd, v, 2));
	CALL(syscall(SYS_writev, fd, v, 2));
	CALL(syscall(SYS_writev, fd, end - 16, 2));
	CALL(syscall(SYS_writev, fd, v, 1025));
	CALL(syscall(SYS_writev, fd, v, -1));
	CALL(syscall(SYS_writev, fd, v, 0));
	CALL(syscall(SYS_pipe, end - 4));
	CALL(pipe(pipes));
	CALL(syscall(SYS_write, pipes[1], end, 10));
	CALL(fcntl(pipes[0], F_SETFL, O_NONBLOCK));
	CALL(syscall(SYS_read, pipes[0], p, 100));
	memcpy(end - 4, "/tmp", 4);
	CALL(syscall(SYS_open, end - 4, O_RDONLY));
	CALL(syscall(SYS_open, NULL, O_RDONLY));
	CALL(syscall(SYS_open, -1L, O_RDONLY));
	CALL(syscall(SYS_open, 0xffffffff80000000, O_RDONLY));
	CALL(syscall(SYS_open, 1L << 47, O_RDONLY));
	CALL(syscall(SYS_stat, ".", end - 8));
	CALL(syscall(SYS_uname, end - 8));
	CALL(syscall(SYS_getcwd, end, 10));
	CALL(syscall(SYS_getcwd, p, 2));
	CALL(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, end - 8));
	CALL(syscall(SYS_nanosleep, end - 8, NULL));
	CALL(syscall(SYS_rt_sigaction, SIGUSR1, end - 8, NULL, 8));
	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, end - 4, NULL, 8));
	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, end, 8));
	CALL(syscall(SYS_poll, end - 4, 1, 0));
	CALL(syscall(SYS_select, 64, end - 4, NULL, NULL, NULL));
	CALL(syscall(SYS_getrlimit, RLIMIT_CORE, end - 8));
	CALL(syscall(SYS_setrlimit, RLIMIT_CORE, end - 8));
	CALL(syscall(SYS_wait4, -1, end, WNOHANG, NULL));
	CALL(syscall(SYS_getgroups, 64, end));
	CALL(syscall(SYS_setgroups, 2, end - 4));
	CALL(syscall(SYS_sysinfo, end - 8));
	CALL(syscall(SYS_times, end));
	CALL(syscall(SYS_getrandom, end - 4, 8, 0));
	CALL(syscall(SYS_execve, "/bin/true", end - 8, NULL));
	CALL(syscall(SYS_readlink, "/proc/self/exe", end, 10));
	CALL(syscall(SYS_getdents64, open(".", O_RDONLY), end, 1000));
	CALL(syscall(SYS_futex, end, 0, 0, NULL, NULL, 0));
	CALL(syscall(SYS_futex, p + 1, 0, 0, NULL, NULL, 0));
	CALL(syscall(SYS_set_robust_list, end, 24));
	memcpy(end - 2, "ab", 2); /* a random byte may be 0, which ends a name */
	CALL(syscall(SYS_prctl, 15 /* PR_SET_NAME */, end - 2, 0, 0, 0));
	return 0;
}
