/* /proc/PID/{uid_map,gid_map,projid_map,setgroups,cgroup} in the first user namespace: contents, who may write what. */
#include "abi.h"

static void content(const char *name)
{
	char path[64], text[200] = { 0 };
	struct stat st;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/%s", name);
	fd = open(path, O_RDONLY);
	n = read(fd, text, sizeof(text) - 1);
	fstat(fd, &st);
	show("%s: mode %o, %zd bytes: %s", name, st.st_mode, n, text);
	close(fd);
}

static void put(const char *name, const char *text)
{
	char path[64];
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0) {
		show("%s: open: %s", name, error_name(errno));
		return;
	}
	n = write(fd, text, strlen(text));
	show("%s: write '%s': %zd %s", name, text, n, n < 0 ? error_name(errno) : "");
	if (n > 0)
		show("again: %s", write(fd, text, strlen(text)) < 0 ? error_name(errno) : "written");
	close(fd);
}

static void all(void)
{
	put("uid_map", "0 0 1");
	put("gid_map", "");
	put("gid_map", "x");
	put("projid_map", "0 0 4294967295");
	put("setgroups", "allow");
	put("setgroups", "allow\n ");
	put("setgroups", "deny");
	put("setgroups", "deny\n");
	put("setgroups", "denyx");
	put("setgroups", "no");
	put("setgroups", "allow   ");
	put("setgroups", "");
}

int main(void)
{
	content("uid_map");
	content("gid_map");
	content("projid_map");
	content("setgroups");
	all();
	show("# as a user");
	setresuid(1000, 1000, 1000);
	all();
	return 0;
}
