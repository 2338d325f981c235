/* umask(2): what it takes from the mode of each call that makes something, and what it leaves. */
#include "abi.h"
#include <sys/socket.h>
#include <sys/un.h>

static void mode_of(const char *name)
{
	struct stat st;

	if (lstat(name, &st))
		show("  %s: %s", name, error_name(errno));
	else
		show("  %s: %o", name, st.st_mode);
	if (S_ISDIR(st.st_mode))
		rmdir(name);
	else
		unlink(name);
}

static void child(void)
{
	CALL(umask(0));
	CALL(umask(0111));
}

static void all(mode_t mask)
{
	struct sockaddr_un name = { AF_UNIX, "socket" };
	struct stat st;
	int fd;

	umask(mask);
	show("umask %o", mask);
	close(open("f", O_CREAT, 0777));
	mode_of("f");
	close(open("f", O_CREAT, 07777));
	mode_of("f");
	close(creat("f", 0666));
	mode_of("f");
	mkdir("d", 0777);
	mode_of("d");
	mkdir("d", 07777);
	mode_of("d");
	mknod("n", S_IFREG | 0777, 0);
	mode_of("n");
	mkfifo("p", 0777);
	mode_of("p");
	symlink("x", "l");
	mode_of("l");
	bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, sizeof(name));
	mode_of("socket");
	fd = open(".", O_TMPFILE | O_RDWR, 0777);
	fstat(fd, &st);
	show("  O_TMPFILE: %o", st.st_mode);
	close(open("f", O_CREAT, 0));
	chmod("f", 0777);
	mode_of("f");
	fd = (int)syscall(SYS_memfd_create, "m", 0);
	fstat(fd, &st);
	show("  memfd: %o", st.st_mode);
}

int main(void)
{
	CALL(umask(07777));
	CALL(umask(022));
	all(0);
	all(022);
	all(077);
	all(0777);
	CHILD(child);
	CALL(umask(0));
	return 0;
}
