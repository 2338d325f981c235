/* memfd_create(2): flags, names, what fstat(2) and /proc say of the file, reading and writing it. */
#include "abi.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MFD_HUGE_SIZE (21U << 26)

static void show_link(int fd)
{
	char path[64], target[512];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = 0;
	if (n < 100)
		show("link: %s", target);
	else
		show("link: %zd bytes", n);
}

static void names(void)
{
	char name[252];
	int fd = memfd_create("a/b \n", 0);

	show_link(fd);
	close(fd);
	fd = memfd_create("", 0);
	show_link(fd);
	close(fd);
	memset(name, 'x', sizeof(name));
	name[249] = 0;
	fd = memfd_create(name, 0);
	show_link(fd);
	close(fd);
	name[249] = 'x';
	name[250] = 0;
	CALL(memfd_create(name, 0));
	CALL(memfd_create((const char *)8, 0));
}

static void flags(void)
{
	int fd = memfd_create("f", MFD_CLOEXEC);

	TRUTH(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	TRUTH((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR);
	close(fd);
	fd = memfd_create("f", 0);
	TRUTH(fcntl(fd, F_GETFD) == 0);
	close(fd);
	CALL(memfd_create("f", 0x80U));
	CALL(memfd_create("f", MFD_HUGE_SIZE));
}

static void contents(void)
{
	int fd = memfd_create("data", 0), again;
	char path[64], buf[16] = "";
	struct stat st;
	char *map;

	fstat(fd, &st);
	show("mode %o, size %ld, links %ld", st.st_mode, (long)st.st_size, (long)st.st_nlink);
	CALL(write(fd, "hello", 5));
	CALL(ftruncate(fd, 8192));
	CALL(pread(fd, buf, 8, 0));
	show("%s", buf);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY);
	TRUTH(again >= 0);
	CALL(lseek(again, 0, SEEK_END));
	CALL(write(again, "x", 1));
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	map[0] = 'J';
	CALL(pread(again, buf, 5, 0));
	show("%s", buf);
	CALL(linkat(fd, "", AT_FDCWD, "/tmp/memfd_link", AT_EMPTY_PATH));
	CALL(close(fd));
	show("%.5s", map);
}

int main(void)
{
	names();
	flags();
	contents();
	return 0;
}
