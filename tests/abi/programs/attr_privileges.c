/* What takes the set-id bits from a program of the user who changes its bytes. */
#include "abi.h"

static int fd;

static void mode_after(const char *what)
{
	struct stat st;

	fstat(fd, &st);
	show("%s: %o", what, st.st_mode & 07777);
	fchmod(fd, 06755);
}
#define AFTER(call)                                                                                                            \
	do {                                                                                                                   \
		call;                                                                                                          \
		mode_after(#call);                                                                                             \
	} while (0)

int main(void)
{
	int other, ends[2];
	char *p;

	mkdir("d", 0777);
	chmod("d", 0777);
	chdir("d");
	setgid(1000);
	setuid(1000);
	fd = open("f", O_RDWR | O_CREAT, 0755);
	other = open("g", O_RDWR | O_CREAT, 0644);
	pipe(ends);
	write(other, "abc", 3);
	lseek(other, 0, SEEK_SET);
	fchmod(fd, 06755);
	AFTER(write(fd, "a", 1));
	AFTER(write(fd, "", 0));
	AFTER(syscall(SYS_write, fd, 8L, 5L));
	AFTER(ftruncate(fd, 100));
	AFTER(ftruncate(fd, 100));
	AFTER(truncate("f", 100));
	AFTER(fallocate(fd, 0, 0, 4096));
	AFTER(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 9000));
	AFTER(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096));
	AFTER(fallocate(fd, 0, 0, 0));
	AFTER(fchown(fd, -1, -1));
	AFTER(fchown(fd, 1000, -1));
	AFTER(fchown(fd, 0, -1));
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	AFTER(*p = 1);
	AFTER(syscall(SYS_copy_file_range, other, NULL, fd, NULL, 3L, 0));
	write(ends[1], "abc", 3);
	AFTER(splice(ends[0], NULL, fd, NULL, 3, 0));
	AFTER(close(open("f", O_RDONLY | O_TRUNC)));
	return 0;
}
