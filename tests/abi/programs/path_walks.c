/* How names are followed: slashes, dots, links in the middle and at the end, lengths, loops. */
#include "abi.h"

#define OPEN(name, flags)                                                  \
	do {                                                               \
		int fd = (int)report_ok("open(" #name ", " #flags ")", open(name, flags, 0644)); \
		if (fd >= 0)                                               \
			close(fd);                                         \
	} while (0)

int main(void)
{
	static char path[5000];
	char buf[300], name[300];
	struct stat st;

	mkdir("d", 0755);
	mkdir("d/e", 0755);
	close(open("f", O_CREAT, 0644));
	close(open("d/f", O_CREAT, 0644));
	symlink("d", "dir");
	symlink("f", "file");
	symlink("none", "dangling");
	symlink("d/", "slash");
	symlink("self", "self");
	symlink("two", "one");
	symlink("one", "two");
	CALL(symlink("", "empty"));

	OPEN("f/", O_RDONLY);
	OPEN("f/.", O_RDONLY);
	OPEN("f/..", O_RDONLY);
	OPEN("file/", O_RDONLY);
	OPEN("d//e///", O_RDONLY);
	OPEN("./d/./e/../f", O_RDONLY);
	OPEN("dir/f", O_RDONLY);
	OPEN("dir/../f", O_RDONLY);
	OPEN("slash/f", O_RDONLY);
	OPEN("slash", O_RDONLY | O_NOFOLLOW);
	OPEN("dir/", O_RDONLY | O_NOFOLLOW);
	OPEN("dir", O_RDONLY | O_NOFOLLOW);
	OPEN("dir", O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	OPEN("dangling", O_RDONLY);
	OPEN("dangling/", O_RDONLY | O_CREAT);
	OPEN("dangling", O_RDWR | O_CREAT | O_EXCL);
	OPEN("dangling", O_RDWR | O_CREAT);
	CALL(access("none", F_OK));
	OPEN("self", O_RDONLY);
	OPEN("one", O_RDONLY);
	OPEN("one", O_RDONLY | O_NOFOLLOW);
	OPEN("one/x", O_RDONLY);
	OPEN("", O_RDONLY);
	OPEN("new/", O_RDWR | O_CREAT);
	OPEN("none2/new", O_RDWR | O_CREAT);
	OPEN("../../../../../../../../proc/version", O_RDONLY);
	OPEN("//proc//version", O_RDONLY);

	CALL(mkdir("made/", 0755));
	CALL(mkdir("made/.", 0755));
	CALL(mkdir("made/..", 0755));
	CALL(mkdir("dangling2/", 0755));
	CALL(mkdir("dir/", 0755));
	CALL(mkdir("/", 0755));
	CALL(rmdir("made/."));
	CALL(rmdir("made/.."));
	CALL(rmdir("."));
	CALL(rmdir("/"));
	CALL(rmdir("dir"));
	CALL(rmdir("dir/"));
	CALL(rmdir("made/"));
	CALL(unlink("f/"));
	CALL(unlink("d"));
	CALL(unlink("d/"));
	CALL(unlink("."));
	CALL(unlink("dir/"));
	CALL(symlink("x", "f/"));
	CALL(symlink("x", "newlink/"));
	CALL(link("f", "hard/"));
	CALL(link("f/", "hard"));
	CALL(link("dir/f", "hard"));
	CALL(mknod("node/", S_IFREG | 0600, 0));

	/* Lengths. */
	memset(name, 'n', 255);
	name[255] = '\0';
	CALL(mkdir(name, 0700));
	name[255] = 'n';
	name[256] = '\0';
	CALL(mkdir(name, 0700));
	CALL(lstat(name, &st));
	for (int i = 0; i < 4094; i += 2)
		memcpy(path + i, "./", 2);
	strcpy(path + 4094, "f");
	CALL(access(path, F_OK));
	strcpy(path + 4094, ".f");
	CALL(access(path, F_OK));

	/* A chain of links. */
	symlink("f", "l0");
	for (int i = 1; i <= 45; i++) {
		sprintf(name, "l%d", i);
		sprintf(buf, "l%d", i - 1);
		symlink(buf, name);
	}
	CALL(access("l39", F_OK));
	CALL(access("l40", F_OK));

	/* readlink. */
	CALL(syscall(SYS_readlink, "dir", buf, 0));
	CALL(readlink("slash", buf, 1));
	CALL(readlink("slash", buf, 100));
	CALL(readlink("f", buf, 100));
	CALL(readlink("dir/", buf, 100));
	CALL(readlink("dir/.", buf, 100));
	CALL(readlink("none2", buf, 100));
	CALL(readlink("f/x", buf, 100));
	memset(path, 'p', 4096);
	path[4096] = '\0';
	CALL(symlink(path, "toolong"));
	path[4095] = '\0';
	CALL(symlink(path, "long"));
	CALL(readlink("long", path, sizeof(path)));
	return 0;
}
