/* A file without a name: its data, links, locks, size, mapping, and the end of it. */
#include "abi.h"

int main(void)
{
	char b[20] = { 0 }, link[100] = { 0 };
	struct stat st;
	int fd, other;
	char *map;

	OK(fd = open("f", O_RDWR | O_CREAT, 0644));
	CALL(write(fd, "content", 7));
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CALL(unlink("f"));
	CALL(access("f", F_OK));
	fstat(fd, &st);
	show("links %ld size %ld", (long)st.st_nlink, (long)st.st_size);
	CALL(pread(fd, b, 19, 0));
	show("%s %.7s", b, map);
	CALL(pwrite(fd, "C", 1, 0));
	show("%.7s", map);
	readlink("/proc/self/fd/3", link, 99);
	TRUTH(strstr(link, "f (deleted)") != NULL);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	OK(other = open(link, O_RDONLY));
	CALL(read(other, b, 7));
	show("%s", b);
	CALL(linkat(AT_FDCWD, link, AT_FDCWD, "back", AT_SYMLINK_FOLLOW));
	OK(close(open("f", O_RDWR | O_CREAT | O_EXCL, 0600)));
	stat("f", &st);
	show("the new one: size %ld", (long)st.st_size);
	CALL(ftruncate(fd, 3));
	close(fd);
	close(other);
	show("%.3s %d", map, map[3]);
	map[0] = 'Z';
	show("%.3s", map);
	return 0;
}
