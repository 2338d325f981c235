/* openat2 with its limits, and O_TMPFILE. */
#include "abi.h"

#include <sys/stat.h>
#include <sys/syscall.h>

struct oh {
	unsigned long f, m, r;
};

static long oat2(int d, const char *p, unsigned long f, unsigned long m, unsigned long r)
{
	struct oh h = { f, m, r };

	return syscall(437, d, p, &h, sizeof(h));
}

int main(void)
{
	struct stat st;
	int fd;

	OK(close(open("f", O_RDWR | O_CREAT, 0644)));
	OK(symlink("f", "s"));
	CALL(oat2(-100, "../", O_RDONLY, 0, 0x08));
	CALL(oat2(-100, "/etc", O_RDONLY, 0, 0x08));
	CALL(oat2(-100, "s", O_RDONLY, 0, 0x04));
	CALL(oat2(-100, "f", O_RDONLY, 0644, 0));
	CALL(oat2(-100, "f", O_RDONLY, 0, 0x100));
	CALL(oat2(-100, "/f", O_RDONLY, 0, 0x10));
	CALL(oat2(-100, "d2", 0x80000000, 0, 0));
	CALL(fd = open(".", O_TMPFILE | O_RDWR, 0600));
	CALL(fstat(fd, &st));
	show("nlink %ld", (long)st.st_nlink);
	CALL(linkat(fd, "", -100, "tmpf", AT_EMPTY_PATH));
	CALL(stat("tmpf", &st));
	CALL(open(".", O_TMPFILE | O_RDONLY, 0600));
	CALL(open("f", O_TMPFILE | O_RDWR, 0600));
	return 0;
}
