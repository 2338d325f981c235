/* open(2): O_APPEND, O_TRUNC, O_EXCL, O_DIRECTORY, O_PATH, O_TMPFILE, O_NOFOLLOW; openat(2), creat(2). */
#include "abi.h"

int main(void)
{
	struct stat st;
	char buf[16];
	int fd, dir;

	CALL(fd = creat("f", 0666));
	CALL(write(fd, "hello", 5));
	CALL(read(fd, buf, 1));
	CALL(close(fd));
	CALL(fd = open("f", O_RDONLY));
	CALL(write(fd, "x", 1));
	CALL(close(fd));
	CALL(fd = open("f", O_WRONLY | O_APPEND));
	CALL(write(fd, "12", 2));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(write(fd, "3", 1));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(pwrite(fd, "4", 1, 0));
	stat("f", &st);
	show("size %ld mode %o", (long)st.st_size, st.st_mode);
	CALL(close(fd));
	CALL(fd = open("f", O_RDONLY | O_TRUNC));
	stat("f", &st);
	show("size %ld", (long)st.st_size);
	CALL(close(fd));
	CALL(close(open("new", O_RDWR | O_CREAT, 07777)));
	stat("new", &st);
	show("mode %o", st.st_mode);
	CALL(close(open("none", O_RDONLY | O_CREAT, 0)));
	stat("none", &st);
	show("mode %o", st.st_mode);

	CALL(mkdir("d", 0755));
	CALL(dir = open("d", O_RDONLY | O_DIRECTORY));
	CALL(read(dir, buf, 1));
	CALL(write(dir, "x", 1));
	CALL(fd = openat(dir, "in", O_RDWR | O_CREAT, 0600));
	CALL(close(fd));
	CALL(access("d/in", F_OK));
	CALL(openat(99, "in", O_RDONLY));
	CALL(openat(-1, "in", O_RDONLY));
	CALL(close(openat(99, "/", O_RDONLY)));
	fd = open("f", O_RDONLY);
	CALL(openat(fd, "in", O_RDONLY));
	close(fd);
	CALL(openat(dir, "", O_RDONLY));
	CALL(close(openat(dir, ".", O_RDONLY)));
	CALL(close(openat(dir, "../f", O_RDONLY)));

	CALL(fd = open("f", O_PATH));
	CALL(read(fd, buf, 1));
	CALL(syscall(SYS_fchmod, fd, 0600));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(fstat(fd, &st));
	CALL(fcntl(fd, F_GETFD));
	CALL(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0));
	CALL(openat(fd, "x", O_RDONLY));
	CALL(close(fd));
	CALL(symlink("f", "s"));
	CALL(fd = open("s", O_PATH | O_NOFOLLOW));
	CALL(fstat(fd, &st));
	TRUTH(S_ISLNK(st.st_mode));
	CALL(close(fd));
	CALL(open("s", O_RDONLY | O_DIRECTORY));

	CALL(fd = open(".", O_RDWR | O_TMPFILE, 0640));
	CALL(write(fd, "temp", 4));
	CALL(fstat(fd, &st));
	show("links %d mode %o", (int)st.st_nlink, st.st_mode);
	CALL(close(fd));
	CALL(open(".", O_RDONLY | O_TMPFILE, 0640));
	CALL(open("f", O_RDWR | O_TMPFILE, 0640));
	return 0;
}
