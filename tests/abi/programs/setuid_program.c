/* Programs with the bits S_ISUID and S_ISGID. */
#include "abi.h"
#include <sys/auxv.h>
#include <sys/prctl.h>

static void run(const char *name)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		char *args[] = { "again", "show", NULL }, *env[] = { NULL };

		execve(name, args, env);
		show("%s: %s", name, error_name(errno));
		_exit(1);
	}
	waitpid(pid, &status, 0);
}

static void copy(const char *to, int uid, int gid, int mode)
{
	char buf[65536];
	int from = open("/proc/self/exe", O_RDONLY), fd = open(to, O_CREAT | O_WRONLY, 0755);
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0)
		write(fd, buf, (size_t)n);
	close(from);
	close(fd);
	chown(to, (uid_t)uid, (gid_t)gid);
	chmod(to, (mode_t)mode);
}

static void show_ids(void)
{
	uid_t r, e, s;
	gid_t rg, eg, sg;

	getresuid(&r, &e, &s);
	getresgid(&rg, &eg, &sg);
	show("uid %d %d %d gid %d %d %d secure %lu dumpable-or-not %d", (int)r, (int)e, (int)s, (int)rg, (int)eg, (int)sg,
	     getauxval(AT_SECURE), prctl(PR_GET_DUMPABLE) == 1);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		show_ids();
		return 0;
	}
	chmod(".", 0777);
	copy("plain", 0, 0, 0755);
	copy("root", 0, 0, 04755);
	copy("user", 7, 8, 04755);
	copy("group", 7, 8, 02755);
	copy("both", 7, 8, 06755);
	copy("group_without_x", 7, 8, 02705);
	copy("private", 7, 8, 0700);
	symlink("root", "link");
	int fd = open("script", O_CREAT | O_WRONLY, 0755);

	write(fd, "#!./plain\n", 10);
	close(fd);
	chown("script", 7, 8);
	chmod("script", 04755);
	for (int pass = 0; pass < 2; pass++) {
		show(pass ? "as user 1000" : "as root");
		run("./plain");
		run("./root");
		run("./user");
		run("./group");
		run("./both");
		run("./group_without_x");
		run("./private");
		run("./link");
		run("./script");
		if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
			return 1;
	}
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	show("no new privileges");
	run("./root");
	run("./both");
	return 0;
}
