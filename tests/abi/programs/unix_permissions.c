/* Who may connect: write permission for the file, search permission on the way; the permissions of a new file. */
#include "unix.h"

static void nobody(void)
{
	int c = socket(AF_UNIX, SOCK_STREAM, 0), d = socket(AF_UNIX, SOCK_DGRAM, 0);

	setgid(65534);
	setuid(65534);
	CALL(connect_path(c, "open"));
	c = socket(AF_UNIX, SOCK_STREAM, 0);
	CALL(connect_path(c, "closed"));
	CALL(connect_path(c, "dir/inside"));
	CALL(connect_path(c, "link"));
	CALL(sendto_path(d, "x", "dgram"));
	CALL(bind_path(d, "dir/new"));
	CALL(bind_path(d, "new"));
}

static int listener(const char *path, mode_t mode)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	bind_path(fd, path);
	listen(fd, 5);
	chmod(path, mode);
	return fd;
}

/* fchmod(2) of the socket counts for the file that bind makes later. */
static void closed_from_the_start(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct stat st;

	umask(0);
	CALL(fchmod(fd, 0640));
	CALL(bind_path(fd, "chmod"));
	CALL(stat("chmod", &st));
	show("mode %o", st.st_mode);
	CALL(fchmod(fd, 0666));
	CALL(stat("chmod", &st));
	show("mode %o", st.st_mode);
}

int main(void)
{
	int d = socket(AF_UNIX, SOCK_DGRAM, 0);

	mkdir("dir", 0755);
	listener("open", 0222);
	listener("closed", 0755);
	listener("dir/inside", 0777);
	chmod("dir", 0700);
	symlink("open", "link");
	bind_path(d, "dgram");
	chmod("dgram", 0600);
	CHILD(nobody);
	CALL(connect_path(socket(AF_UNIX, SOCK_STREAM, 0), "closed"));
	CALL(rename("open", "renamed"));
	CALL(connect_path(socket(AF_UNIX, SOCK_STREAM, 0), "renamed"));
	CALL(link("renamed", "hard"));
	CALL(connect_path(socket(AF_UNIX, SOCK_STREAM, 0), "hard"));
	closed_from_the_start();
	return 0;
}
