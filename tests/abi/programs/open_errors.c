/* The errors of open(2). */
#include "abi.h"

int main(void)
{
	char name[300];

	CALL(open("absent", O_RDONLY));
	CALL(open("", O_RDONLY));
	CALL(open(NULL, O_RDONLY));
	CALL(open((char *)1, O_RDONLY));
	CALL(mkdir("d", 0755));
	CALL(open("d", O_WRONLY));
	CALL(open("d", O_RDWR));
	CALL(open("d", O_RDONLY | O_CREAT, 0600));
	CALL(close(open("d", O_RDONLY)));
	CALL(close(open("f", O_WRONLY | O_CREAT | O_EXCL, 0600)));
	CALL(open("f", O_WRONLY | O_CREAT | O_EXCL, 0600));
	CALL(open("f/x", O_RDONLY));
	CALL(open("f/", O_RDONLY));
	CALL(open("f", O_RDONLY | O_DIRECTORY));
	CALL(open("absent/x", O_WRONLY | O_CREAT, 0600));
	CALL(symlink("loop", "loop"));
	CALL(open("loop", O_RDONLY));
	CALL(symlink("f", "s"));
	CALL(open("s", O_RDONLY | O_NOFOLLOW));
	CALL(symlink("nowhere", "dangling"));
	CALL(open("dangling", O_RDONLY));
	CALL(open("dangling", O_WRONLY | O_CREAT | O_EXCL, 0600));
	CALL(close(open("dangling", O_WRONLY | O_CREAT, 0600)));
	CALL(access("nowhere", F_OK));
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	CALL(open(name, O_RDONLY));
	name[255] = 0;
	CALL(open(name, O_RDONLY));
	CALL(open("f", O_RDONLY | O_ACCMODE));
	return 0;
}
