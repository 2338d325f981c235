/* O_PATH: what a descriptor can do that only names a file. */
#include "abi.h"

int main(void)
{
	char b[20] = { 0 };
	struct stat st;
	int fd, link, dir;

	close(open("f", O_CREAT | O_WRONLY, 0));
	symlink("f", "l");
	mkdir("d", 0755);
	close(open("d/x", O_CREAT | O_WRONLY, 0644));
	OK(fd = open("f", O_PATH));
	show("flags %x", fcntl(fd, F_GETFL));
	CALL(read(fd, b, 1));
	CALL(write(fd, b, 1));
	CALL(ioctl(fd, FIONREAD, b));
	CALL(syscall(SYS_fchmod, fd, 0644));
	CALL(syscall(SYS_fchown, fd, 0, 0));
	CALL(ftruncate(fd, 0));
	CALL(fsync(fd));
	CALL(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
	CALL(fstat(fd, &st));
	CALL(fcntl(fd, F_SETFL, O_NONBLOCK));
	CALL(fcntl(fd, F_GETLK, b));
	CALL(fcntl(fd, F_GETFD));
	CALL(dup2(fd, 50));
	show("flags %x", fcntl(50, F_GETFL));
	OK(link = open("l", O_PATH | O_NOFOLLOW));
	CALL(fstat(link, &st));
	show("link %d", S_ISLNK(st.st_mode));
	CALL(readlinkat(link, "", b, 20));
	CALL(readlinkat(fd, "", b, 20));
	CALL(open("l", O_RDONLY | O_NOFOLLOW));
	OK(dir = open("d", O_PATH | O_DIRECTORY));
	OK(openat(dir, "x", O_RDONLY));
	CALL(fchdir(dir));
	CALL(access("x", F_OK));
	CALL(open("x", O_PATH | O_DIRECTORY));
	show("create %d", open("new", O_PATH | O_CREAT, 0644) < 0);
	CALL(open("x", O_PATH | O_WRONLY | O_TRUNC) >= 0);
	OK(open("/proc/self/fd/50", O_RDONLY));
	return 0;
}
