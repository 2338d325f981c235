/* open(2): O_TMPFILE, and giving such a file a name. */
#include "abi.h"

int main(void)
{
	char path[64], b[10] = { 0 };
	struct stat st;
	int fd, other;

	OK(fd = open(".", O_TMPFILE | O_RDWR, 0640));
	fstat(fd, &st);
	show("mode %o links %ld size %ld", st.st_mode, (long)st.st_nlink, (long)st.st_size);
	CALL(write(fd, "secret", 6));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CALL(linkat(AT_FDCWD, path, AT_FDCWD, "name", AT_SYMLINK_FOLLOW));
	fstat(fd, &st);
	show("links %ld", (long)st.st_nlink);
	OK(other = open("name", O_RDONLY));
	CALL(read(other, b, 9));
	show("%s", b);
	CALL(linkat(AT_FDCWD, path, AT_FDCWD, "name", AT_SYMLINK_FOLLOW));
	CALL(linkat(AT_FDCWD, path, AT_FDCWD, "second", AT_SYMLINK_FOLLOW));
	CALL(linkat(fd, "", AT_FDCWD, "third", AT_EMPTY_PATH));
	fstat(fd, &st);
	show("links %ld", (long)st.st_nlink);
	OK(fd = open(".", O_TMPFILE | O_WRONLY | O_EXCL, 0600));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CALL(linkat(AT_FDCWD, path, AT_FDCWD, "excl", AT_SYMLINK_FOLLOW));
	CALL(open(".", O_TMPFILE | O_RDONLY, 0600));
	CALL(open("name", O_TMPFILE | O_RDWR, 0600));
	CALL(open("missing", O_TMPFILE | O_RDWR, 0600));
	CALL(open("/proc", O_TMPFILE | O_RDWR, 0600));
	return 0;
}
