/* What becomes of a user's counters when their task runs a program that the user may not look into. */
#include "perf.h"

#include <sys/prctl.h>
#include <sys/stat.h>

/* A copy of this program. */
static void copy_to(const char *path, mode_t mode)
{
	char buffer[65536];
	int from = open("/proc/self/exe", O_RDONLY), to = open(path, O_CREAT | O_WRONLY, 0700);
	ssize_t size;

	while ((size = read(from, buffer, sizeof(buffer))) > 0)
		write(to, buffer, (size_t)size);
	close(from);
	close(to);
	chmod(path, mode);
}

/*
 * A child that waits for a byte in `go`, becomes the program, and says in `there` how far it is. It sleeps when this
 * returns, so events miss the faults of its start.
 */
static pid_t waiting_child(const char *program, int go[2], int there[2])
{
	char byte;
	pid_t pid;

	pipe(go);
	pipe(there);
	pid = fork();
	if (!pid) {
		dup2(go[0], 0);
		dup2(there[1], 1);
		read(0, &byte, 1);
		execl(program, program, "touch", NULL);
		_exit(99);
	}
	until_asleep(pid, pid);
	return pid;
}

/* Its child waits, becomes the program, which touches 50 pages and waits again. */
static void watched(const char *what, const char *program)
{
	int go[2], there[2], fd, member;
	long before, after;
	char byte;
	pid_t pid;

	pid = waiting_child(program, go, there);
	fd = EVENT_ON(pid, -1, -1, 0, .inherit = 1, .exclude_kernel = 1);
	member = EVENT_ON(pid, -1, fd, 0, .inherit = 1, .exclude_kernel = 1);
	before = count_of(fd);
	write(go[1], "x", 1);
	read(there[0], &byte, 1);
	after = count_of(fd);
	show("%s: %s", what, after - before >= 50 ? "counted" : "not counted");
	said("enable", ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	write(go[1], "x", 1);
	read(there[0], &byte, 1);
	show("after that: %s, member %s", count_of(fd) - after >= 50 ? "counted" : "not counted",
	     count_of(member) - after >= 50 ? "counted" : "not counted");
	TRY_ON("a new event", pid, -1, -1, 0, .exclude_kernel = 1);
	TRY_ON("a member of it", pid, -1, fd, 0, .inherit = 1, .exclude_kernel = 1);
	kill(pid, SIGKILL);
	close(go[1]);
	waitpid(pid, NULL, 0);
	show("at the end: as before it %s", count_of(fd) >= after ? "yes" : "no");
	close(fd);
	close(member);
	close(go[0]);
	close(there[0]);
	close(there[1]);
}

/* Exec takes a leader away. Its member, which samples, is on its own when the leader is closed. */
static void member_of_a_leader_that_left(const char *program)
{
	int go[2], there[2], leader, member;
	long before;
	char byte;
	pid_t pid;

	pid = waiting_child(program, go, there);
	leader = EVENT_ON(pid, -1, -1, 0, .remove_on_exec = 1, .exclude_kernel = 1);
	member = EVENT_ON(pid, -1, leader, 0, .config = PERF_COUNT_SW_TASK_CLOCK, .sample_period = 1000000,
			  .exclude_kernel = 1);
	write(go[1], "x", 1);
	read(there[0], &byte, 1);
	before = count_of(member);
	close(leader);
	write(go[1], "x", 1);
	read(there[0], &byte, 1);
	show("the member of a leader that left: %s", count_of(member) > before ? "counts on" : "stands still");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(member);
	for (int i = 0; i < 2; i++) {
		close(go[i]);
		close(there[i]);
	}
}

static void all(void)
{
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* setuid(2) has cleared it */
	watched("the same program", "/tmp/abi/same");
	watched("a program that it cannot read", "/tmp/abi/unreadable");
	watched("a program of root's with set-uid", "/tmp/abi/setuid");
	watched("a program of the group's with set-gid", "/tmp/abi/setgid");
	member_of_a_leader_that_left("/tmp/abi/same");
}

int main(int argc, char **argv)
{
	char byte;

	if (argc > 1) {
		for (int i = 0; i < 2; i++) {
			touch(fresh_pages(50), 50);
			write(1, "x", 1);
			read(0, &byte, 1);
		}
		return 0;
	}
	set_sysctl("perf_event_paranoid", 2);
	chmod("/tmp/abi", 0755);
	copy_to("same", 0755);
	copy_to("unreadable", 0711);
	copy_to("setuid", 04755);
	copy_to("setgid", 02755);
	as_user(all);
	return 0;
}
