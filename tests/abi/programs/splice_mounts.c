/* splice(2) and sendfile(2) from files of /proc. */
#include "abi.h"
#include <sys/sendfile.h>

static void from(const char *name)
{
	int fd = open(name, O_RDONLY), p[2], out = memfd_create("out", 0);
	char byte[2];
	long n;

	if (fd < 0) {
		show("%s: %s", name, error_name(errno));
		return;
	}
	pipe(p);
	errno = 0;
	n = splice(fd, NULL, p[1], NULL, 4096, 0);
	show("splice %s: %s", name, n > 0 ? "bytes" : n ? error_name(errno) : "0");
	if (n > 0)
		read(p[0], byte, 1);
	errno = 0;
	n = sendfile(out, fd, NULL, 4096);
	show("sendfile %s: %s", name, n > 0 ? "bytes" : n ? error_name(errno) : "0");
	close(fd), close(out), close(p[0]), close(p[1]);
}

int main(void)
{
	static const char *const names[] = { "/proc/self/mounts", "/proc/self/mountinfo", "/proc/mounts", "/proc/self/stat", "/proc/self/status",
					     "/proc/self/maps",	  "/proc/self/cmdline",	  "/proc/uptime", "/proc/meminfo",
					     "/proc/self/comm",	  "/proc/self/limits" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		from(names[i]);
	return 0;
}
