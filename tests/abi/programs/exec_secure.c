/* What a set-user-ID program does not take over: personality, stack limit, pdeath signal; what it hides; and files that get no privileges. */
#include "abi.h"

#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>

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

static int show_state(const char *what)
{
	struct rlimit stack;
	int death = -1;

	getrlimit(RLIMIT_STACK, &stack);
	prctl(PR_GET_PDEATHSIG, &death);
	show("%s: user %d group %d secure %lu dumpable %d personality %x death %d stack %s", what, (int)geteuid(), (int)getegid(),
	     getauxval(AT_SECURE), prctl(PR_GET_DUMPABLE), (unsigned)personality(0xffffffff), death,
	     stack.rlim_cur == RLIM_INFINITY ? "unlimited" : stack.rlim_cur == 8 << 20 ? "8 MiB" : "other");
	return 0;
}

static void run_as(const char *program, const char *what, uid_t uid, uid_t euid)
{
	pid_t pid = fork();

	if (!pid) {
		struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

		setrlimit(RLIMIT_STACK, &unlimited);
		setresgid(uid, uid, uid);
		setresuid(uid, euid, euid);
		personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC | ADDR_COMPAT_LAYOUT | MMAP_PAGE_ZERO | STICKY_TIMEOUTS);
		prctl(PR_SET_PDEATHSIG, SIGUSR1);
		execl(program, program, what, NULL);
		show("%s: %s", what, error_name(errno));
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static void script(const char *name, const char *line, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	write(fd, line, strlen(line));
	fchown(fd, 1001, 1001);
	fchmod(fd, mode);
	close(fd);
}

/* Where the variable and the stack lie in two runs of a program, without randomisation by the caller. */
static int same_places(const char *program)
{
	unsigned long place[2][2] = { { 0 } };

	for (int i = 0; i < 2; i++) {
		int ends[2];
		pid_t pid;

		pipe(ends);
		pid = fork();
		if (!pid) {
			setresgid(1000, 1000, 1000);
			setresuid(1000, 1000, 1000);
			personality(ADDR_NO_RANDOMIZE);
			dup2(ends[1], 3);
			execl(program, program, "places", "places", NULL);
			_exit(1);
		}
		close(ends[1]);
		read(ends[0], place[i], sizeof(place[i]));
		close(ends[0]);
		waitpid(pid, NULL, 0);
	}
	return (place[0][0] == place[1][0]) + 2 * (place[0][1] == place[1][1]);
}

static int tell_places(void)
{
	unsigned long place[2] = { (unsigned long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), (unsigned long)place };

	write(3, place, sizeof(place));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "places"))
		return tell_places();
	if (argc > 1) /* the interpreter of a script gets the name of the script */
		return show_state(argv[1]);
	chmod(".", 0755);
	copy_self("plain", 0, 0, 0755);
	copy_self("setuid", 1001, 1001, 04755);
	copy_self("setgid", 0, 1001, 02755);
	copy_self("unreadable", 0, 0, 0711);
	copy_self("unreadable_own", 1000, 0, 0311);
	script("script", "#!./plain\n", 06755);
	script("script_of_setuid", "#!./setuid\n", 0755);
	script("script_unreadable", "#!./unreadable\n", 0755);
	run_as("./plain", "plain", 1000, 1000);
	run_as("./plain", "plain, effective user 1001", 1000, 1001);
	run_as("./plain", "plain, effective root", 1000, 0);
	run_as("./setuid", "set-user-ID", 1000, 1000);
	run_as("./setuid", "set-user-ID of oneself", 1001, 1001);
	run_as("./setuid", "set-user-ID by root", 0, 0);
	run_as("./setgid", "set-group-ID", 1000, 1000);
	run_as("./unreadable", "unreadable", 1000, 1000);
	run_as("./unreadable", "unreadable, by root", 0, 0);
	run_as("./unreadable_own", "unreadable, of oneself", 1000, 1000);
	run_as("./script", "script", 1000, 1000);
	run_as("./script_of_setuid", "script of a set-user-ID program", 1000, 1000);
	run_as("./script_unreadable", "script of an unreadable program", 1000, 1000);
	show("plain: same places %d", same_places("./plain"));
	show("set-user-ID: same places %d", same_places("./setuid"));
	mkdir("nosuid", 0755);
	CALL(mount("none", "nosuid", "tmpfs", MS_NOSUID, "mode=755"));
	copy_self("nosuid/setuid", 1001, 1001, 06755);
	run_as("nosuid/setuid", "on a file system without set-user-ID", 1000, 1000);
	CALL(mount("none", "nosuid", "tmpfs", MS_REMOUNT, "mode=755"));
	run_as("nosuid/setuid", "after a remount", 1000, 1000);
	CALL(umount("nosuid"));
	return 0;
}
