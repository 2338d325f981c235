/* Files of /proc/PID that were opened before the process executes a set-user-ID program show and change nothing of it. */
#include "abi.h"

#include <sys/prctl.h>

#define FIRST_FD 20

static const char *const files[] = { "mem", "environ", "auxv", "maps", "smaps", "smaps_rollup", "pagemap", "stack", "syscall", "personality", "io" };
#define NR_FILES (sizeof(files) / sizeof(files[0]))

static char message[64] = "the message of the program"; /* in the set-user-ID program, too */

static void copy_self(const char *to, uid_t uid, gid_t gid, mode_t mode)
{
	char buffer[65536];
	ssize_t n;
	int in = open("/proc/self/exe", O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		write(out, buffer, (size_t)n);
	fchown(out, uid, gid);
	fchmod(out, mode);
	close(in);
	close(out);
}

static void open_all(const char *dir)
{
	for (unsigned i = 0; i < NR_FILES; i++) {
		char path[64];
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		fd = open(path, i ? O_RDONLY : O_RDWR);
		if (fd < 0) {
			show("  %s: open %s", files[i], error_name(errno));
			close(FIRST_FD + (int)i);
		} else {
			dup2(fd, FIRST_FD + (int)i);
			close(fd);
		}
	}
}

static void read_all(unsigned number, void *address)
{
	char text[4096];

	for (unsigned i = 0; i < number; i++) {
		int fd = FIRST_FD + (int)i;
		ssize_t n;

		lseek(fd, i ? 0 : (off_t)(unsigned long)address, SEEK_SET);
		n = read(fd, text, i ? sizeof(text) : 1);
		show("  %s: read %s", files[i], n < 0 ? error_name(errno) : n ? "something" : "nothing");
	}
	lseek(FIRST_FD, (off_t)(unsigned long)address, SEEK_SET);
	ssize_t n = write(FIRST_FD, "overwritten", 11);
	show("  mem: write %s", n < 0 ? error_name(errno) : n ? "something" : "nothing");
}

/* CVE-2012-0056: fd 2 is the process' own memory, and the program complains. */
static int complain(void)
{
	show("the program runs as user %d", (int)geteuid());
	lseek(2, (off_t)(unsigned long)message, SEEK_SET);
	CALL(write(2, "exploit: no such user", 22));
	show("its message: %s", message);
	read_all(7, message); /* the others show a process what it is */
	show("its message: %s", message);
	return 0;
}

static void own_files(void)
{
	setresgid(1000, 1000, 1000);
	setresuid(1000, 1000, 1000);
	prctl(PR_SET_DUMPABLE, 1);
	open_all("/proc/self");
	dup2(FIRST_FD, 2);
	execl("./setuid", "./setuid", "complain", NULL);
	show("%s", error_name(errno));
}

/* The same program again, without new privileges: the old memory has gone nevertheless. */
static void own_files_plain(void)
{
	setresgid(1000, 1000, 1000);
	setresuid(1000, 1000, 1000);
	prctl(PR_SET_DUMPABLE, 1);
	open_all("/proc/self");
	dup2(FIRST_FD, 2);
	execl("./plain", "./plain", "complain", NULL);
	show("%s", error_name(errno));
}

static void child_with(const char *program)
{
	int ready[2], go[2];
	char dir[32], byte;
	pid_t pid;

	pipe(ready);
	pipe(go);
	pid = fork();
	if (!pid) {
		dup2(ready[1], 3);
		write(3, "", 1);
		read(go[0], &byte, 1);
		execl(program, program, "wait", NULL);
		_exit(1);
	}
	read(ready[0], &byte, 1);
	snprintf(dir, sizeof(dir), "/proc/%d", pid);
	open_all(dir);
	write(go[1], "", 1);
	read(ready[0], &byte, 1);
	until_asleep(pid, pid);
	show("opened before %s:", program);
	read_all(NR_FILES, message);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	show("after its end:");
	read_all(NR_FILES, message);
	for (unsigned i = 0; i < NR_FILES; i++)
		close(FIRST_FD + (int)i);
}

static void files_of_child(void)
{
	setresgid(1000, 1000, 1000);
	setresuid(1000, 1000, 1000);
	prctl(PR_SET_DUMPABLE, 1);
	child_with("./setuid");
	child_with("./unreadable");
}

static void files_of_child_by_root(void)
{
	child_with("./setuid");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "complain"))
		return complain();
	if (argc > 1) {
		write(3, "", 1);
		for (;;)
			pause();
	}
	chmod(".", 0755);
	copy_self("plain", 0, 0, 0755);
	copy_self("setuid", 0, 0, 04755);
	copy_self("unreadable", 0, 0, 0711);
	CHILD(own_files);
	CHILD(own_files_plain);
	CHILD(files_of_child);
	CHILD(files_of_child_by_root);
	return 0;
}
