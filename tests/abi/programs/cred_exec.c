/* Set-user-ID and set-group-ID programs: the numbers after exec, AT_SECURE, no_new_privs, keepcaps, dumpable. */
#include "abi.h"

#include <sys/auxv.h>
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

static void run(const char *name, const char *program, uid_t uid, int no_new)
{
	pid_t pid = fork();

	if (!pid) {
		setresgid(uid, uid, uid);
		setresuid(uid, uid, uid);
		prctl(PR_SET_KEEPCAPS, 1);
		prctl(PR_SET_PDEATHSIG, SIGUSR1);
		if (no_new)
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		execl(program, program, name, NULL);
		show("%s: %s", name, error_name(errno));
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		uid_t r, e, s;
		gid_t rg, eg, sg;
		int death = -1;

		getresuid(&r, &e, &s);
		getresgid(&rg, &eg, &sg);
		prctl(PR_GET_PDEATHSIG, &death);
		show("%s: user %d %d %d group %d %d %d secure %lu dumpable %d keepcaps %d death %d nnp %d", argv[1], (int)r, (int)e, (int)s,
		     (int)rg, (int)eg, (int)sg, getauxval(AT_SECURE), prctl(PR_GET_DUMPABLE), prctl(PR_GET_KEEPCAPS), death,
		     prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
		return 0;
	}
	chmod(".", 0755);
	copy_self("plain", 0, 0, 0755);
	copy_self("setuid", 1001, 0, 04755);
	copy_self("setuid_root", 0, 0, 04755);
	copy_self("setgid", 0, 1002, 02755);
	copy_self("setgid_not_executable", 0, 1002, 02745);
	copy_self("both", 1001, 1002, 06755);
	run("plain", "./plain", 1000, 0);
	run("setuid", "./setuid", 1000, 0);
	run("setuid of oneself", "./setuid", 1001, 0);
	run("setuid root", "./setuid_root", 1000, 0);
	run("setgid", "./setgid", 1000, 0);
	run("setgid without x", "./setgid_not_executable", 1000, 0);
	run("both", "./both", 1000, 0);
	run("both, by root", "./both", 0, 0);
	run("no new privileges", "./both", 1000, 1);
	return 0;
}
