/* umask(2) and the modes that open, mkdir, mkfifo and mknod give. */
#include "abi.h"

static void made(const char *name)
{
	struct stat st;

	show("%s: %o", name, lstat(name, &st) ? 0 : st.st_mode);
}

static void child(void)
{
	show("inherited %o", umask(0));
}

int main(void)
{
	show("%o %o %o", umask(0), umask(07777), umask(027));
	close(open("file", O_CREAT | O_WRONLY, 07777));
	made("file");
	mkdir("dir", 07777);
	made("dir");
	mkfifo("fifo", 0666);
	made("fifo");
	mknod("node", S_IFREG | 04777, 0);
	made("node");
	symlink("file", "link");
	made("link");
	CHILD(child);
	umask(0777);
	close(open("none", O_CREAT | O_WRONLY, 0666));
	made("none");
	CALL(chmod("none", 0666));
	made("none");
	CALL(chmod("none", 0177777));
	made("none");
	CALL(open("file", O_CREAT | O_WRONLY, 0) >= 0);
	made("file");
	return 0;
}
