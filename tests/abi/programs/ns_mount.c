/* A namespace's file that is mounted on a file: its place, its lines in the lists of mounts, setns(2) with it. */
#include "abi.h"
#include <sched.h>
#include <sys/mount.h>

static void lines(const char *list)
{
	char line[512], *rest;
	FILE *f = fopen(list, "r");

	while (fgets(line, sizeof(line), f))
		if (strstr(line, "nsfs")) {
			line[strcspn(line, "\n")] = 0;
			/* Without the IDs of the mounts, and the number of the namespace. */
			rest = strstr(list, "info") ? strstr(line, "net:[") : line;
			if (rest && !strncmp(rest, "net:[", 5) && rest[-1] == ' ')
				show("%s: net:[] %s", list, strchr(rest, ']') + 2);
			else
				show("%s: %s", list, rest ? rest : line);
		}
	fclose(f);
}

int main(void)
{
	char text[256] = { 0 }, cwd[200], path[256];
	struct stat a, b;
	int fd;

	close(open("net", O_CREAT | O_WRONLY, 0644));
	CALL(mount("/proc/self/ns/net", "net", NULL, MS_BIND, NULL));
	stat("net", &a);
	stat("/proc/self/ns/net", &b);
	TRUTH(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	lines("/proc/self/mounts");
	lines("/proc/self/mountinfo");
	fd = open("net", O_RDONLY);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	readlink(path, text, sizeof(text) - 1);
	show("opened: %s", strncmp(text, getcwd(cwd, sizeof(cwd)), strlen(cwd)) ? text : text + strlen(cwd));
	CALL(setns(fd, CLONE_NEWNET));
	CALL(setns(fd, CLONE_NEWUTS));
	CALL(umount("net"));
	close(fd);
	CALL(umount("net"));
	stat("net", &a);
	TRUTH(a.st_ino != b.st_ino && a.st_dev != b.st_dev);
	CALL(mount("/proc/self/ns/net", ".", NULL, MS_BIND, NULL));
	return 0;
}
