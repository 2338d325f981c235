/* Paths: lengths, links to links, trailing slashes, dots, and names with odd bytes. */
#include "abi.h"

int main(void)
{
	static char name[300], path[5000];
	struct stat st;
	char link[20];

	memset(name, 'n', 255);
	CALL(mkdir(name, 0755) + 0);
	name[255] = 'n';
	CALL(mkdir(name, 0755) + 0);
	memset(path, '/', 4095);
	CALL(stat(path, &st));
	path[4095] = '/';
	CALL(stat(path, &st));
	for (int i = 0; i < 2045; i++)
		memcpy(path + 2 * i, "./", 3);
	CALL(stat(path, &st));
	symlink("l1", "l0");
	for (int i = 1; i < 45; i++) {
		char to[20];

		snprintf(link, sizeof(link), "l%d", i);
		snprintf(to, sizeof(to), "l%d", i + 1);
		symlink(to, link);
	}
	close(open("l45", O_CREAT | O_WRONLY, 0644));
	CALL(stat("l5", &st));
	CALL(stat("l4", &st));
	symlink("loop", "loop");
	CALL(stat("loop", &st));
	CALL(open("loop", O_RDONLY));
	CALL(open("loop", O_RDWR | O_CREAT, 0644));
	close(open("f", O_CREAT | O_WRONLY, 0644));
	mkdir("d", 0755);
	CALL(stat("f/", &st));
	CALL(stat("f/.", &st));
	CALL(stat("f/..", &st));
	CALL(stat("d//././", &st));
	CALL(stat("", &st));
	CALL(open("new/", O_CREAT | O_WRONLY, 0644));
	CALL(open("d/", O_CREAT | O_WRONLY, 0644));
	CALL(unlink("d/"));
	CALL(unlink("f/"));
	CALL(rmdir("d/."));
	CALL(rmdir("d/.."));
	CALL(rmdir("."));
	CALL(rmdir("/"));
	CALL(rmdir("f"));
	CALL(mkdir("."  , 0755));
	CALL(mkdir("/", 0755));
	CALL(unlink("."));
	CALL(symlink("x", "d/"));
	symlink("d", "ld");
	CALL(rmdir("ld"));
	CALL(rmdir("ld/"));
	CALL(mkdir("a\nb\xff", 0755));
	CALL(rmdir("a\nb\xff"));
	CALL(readlink("ld", link, 1));
	CALL(syscall(SYS_readlink, "ld", link, 0));
	CALL(readlink("f", link, 10));
	return 0;
}
