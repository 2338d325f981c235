/* /proc/PID/{loginuid,sessionid,oom_adj,oom_score_adj}: values, inheritance, who may write; chmod in /proc/PID; files of storage. */
#include "abi.h"

static const char *read_of(const char *path)
{
	static char text[4096];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	if (n < 0)
		return error_name(errno);
	text[n] = 0;
	return text;
}

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	show("%s > %s: %s", text, path, n < 0 ? error_name(errno) : n == (ssize_t)strlen(text) ? "all" : "a part");
	close(fd);
}

static int first_session;

static void login_of_child(void)
{
	show("child: %s", read_of("/proc/self/loginuid"));
	TRUTH(atoi(read_of("/proc/self/sessionid")) == first_session);
	show("its parent: %s", read_of("/proc/1/loginuid"));
	write_to("/proc/1/loginuid", "5");
	write_to("/proc/self/loginuid", "8");
	setuid(1000);
	show("as a user: %s", read_of("/proc/self/loginuid"));
	write_to("/proc/thread-self/loginuid", "9");
}

static void modes(const char *path)
{
	show("chmod %s: %s", path, chmod(path, 0600) < 0 ? error_name(errno) : "0");
}

static void show_oom(void)
{
	char adj[64];

	snprintf(adj, sizeof(adj), "%s", read_of("/proc/self/oom_adj"));
	adj[strcspn(adj, "\n")] = 0;
	show("oom_adj %s, oom_score_adj %d", adj, atoi(read_of("/proc/self/oom_score_adj")));
}

int main(void)
{
	static const char *const adj[] = { "15", "-17", "0", "8", "-1", "16", "-18", "x", "" };
	static const char *const score[] = { "1000", "999", "500", "-500", "-1000", "59", "-58", "0" };
	int fd;

	show("# the login");
	show("%s %s", read_of("/proc/self/loginuid"), read_of("/proc/self/sessionid"));
	write_to("/proc/self/loginuid", "7");
	show("%s", read_of("/proc/self/loginuid"));
	first_session = atoi(read_of("/proc/self/sessionid"));
	TRUTH(first_session > 0);
	CHILD(login_of_child);
	show("afterwards: %s", read_of("/proc/self/loginuid"));
	write_to("/proc/self/loginuid", "7x");
	write_to("/proc/self/loginuid", "-1");
	write_to("/proc/self/loginuid", "99999999999999");
	fd = open("/proc/self/loginuid", O_WRONLY);
	lseek(fd, 1, SEEK_SET);
	CALL(write(fd, "5", 1));
	close(fd);
	write_to("/proc/self/loginuid", "4294967295");
	show("%s %s", read_of("/proc/self/loginuid"), read_of("/proc/self/sessionid"));
	write_to("/proc/self/sessionid", "1");

	show("# oom_adj");
	for (unsigned i = 0; i < sizeof(adj) / sizeof(*adj); i++) {
		write_to("/proc/self/oom_adj", adj[i]);
		show_oom();
	}
	for (unsigned i = 0; i < sizeof(score) / sizeof(*score); i++) {
		write_to("/proc/self/oom_score_adj", score[i]);
		show_oom();
	}

	show("# chmod");
	modes("/proc/self/stat");
	modes("/proc/self/maps");
	modes("/proc/self");
	modes("/proc/self/fd");
	modes("/proc/self/task");
	modes("/proc/self/comm");
	modes("/proc/self/oom_adj");
	fd = open("/proc/self/stat", O_RDONLY);
	CALL(fchmod(fd, 0600));

	show("# no swap, no disk");
	show("%s", read_of("/proc/swaps"));
	return 0;
}
