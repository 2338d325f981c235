/*
 * bind(2) beside renames: the socket gets the node that bind has made, and no other. A directory of
 * the name and a link to a foreign directory change places; the foreign directory has a socket with
 * the same last name, which keeps its letters. The way to the directory is long: if bind went it twice,
 * it would often come to the foreign directory the second time.
 */
#include "unix.h"

#define ROUNDS rounds(5000)

static void exchange_again_and_again(void)
{
	for (;;)
		syscall(SYS_renameat2, AT_FDCWD, "mine/d", AT_FDCWD, "mine/link", 2);
}

/* Returns whether a letter that was sent to path has come to fd. */
static bool reaches(int from, const char *path, int fd)
{
	char c;

	return sendto_path(from, "x", path) == 1 && recv(fd, &c, 1, MSG_DONTWAIT) == 1;
}

int main(void)
{
	int theirs = socket(AF_UNIX, SOCK_DGRAM, 0), from = socket(AF_UNIX, SOCK_DGRAM, 0), dir;
	int made = 0, busy = 0, lost = 0, strayed = 0;
	char node[40], way[4000] = "";
	pid_t pid;

	mkdir("theirs", 0755);
	mkdir("mine", 0755);
	mkdir("mine/d", 0755);
	symlink("../theirs", "mine/link");
	while (strlen(way) < sizeof(way) - 10)
		strcat(way, "./");
	strcat(way, "mine");
	symlink(way, "far");
	dir = open("mine/d", O_PATH | O_DIRECTORY);
	snprintf(node, sizeof(node), "/proc/self/fd/%d/s", dir);
	CALL(bind_path(theirs, "theirs/s"));
	TRUTH(reaches(from, "theirs/s", theirs));

	pid = fork();
	if (!pid)
		exchange_again_and_again();
	for (int i = 0; i < ROUNDS; i++) {
		int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

		if (!bind_path(fd, "far/d/s")) {
			made++;
			lost += !reaches(from, node, fd);
			strayed += !reaches(from, "theirs/s", theirs);
			unlinkat(dir, "s", 0);
		} else {
			busy += errno == EADDRINUSE;
		}
		close(fd);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);

	TRUTH(made > 0);
	TRUTH(made + busy == ROUNDS);
	show("sockets that their node did not lead to: %d, foreign letters lost: %d", lost, strayed);
	TRUTH(reaches(from, "theirs/s", theirs));
	return 0;
}
