/* rename(2) is atomic: nobody finds the new name missing when one file replaces another, or when two change places. */
#include "abi.h"

#define ROUNDS rounds(60000)

static void count(const char *what, const char *name, void (*move)(void), mode_t type)
{
	int missing = 0, wrong = 0;
	pid_t pid = fork();

	if (!pid)
		for (;;)
			move();
	for (int i = 0; i < ROUNDS; i++) {
		struct stat st;

		if (stat(name, &st))
			missing++;
		else if (type && (st.st_mode & S_IFMT) != type)
			wrong++;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	show("%s: missing: %d, wrong: %d", what, missing, wrong);
}

static void replace(void)
{
	close(open("new", O_CREAT | O_WRONLY, 0644));
	rename("new", "name");
}

static void exchange(void)
{
	syscall(SYS_renameat2, AT_FDCWD, "one", AT_FDCWD, "d/two", 2L);
}

static void leave_whiteout(void)
{
	close(open("upper", O_CREAT | O_WRONLY, 0644));
	syscall(SYS_renameat2, AT_FDCWD, "upper", AT_FDCWD, "lower", 4L);
}

int main(void)
{
	close(open("name", O_CREAT, 0644));
	close(open("one", O_CREAT, 0644));
	mkdir("d", 0755);
	mkdir("d/two", 0755);
	count("a file replaces another", "name", replace, S_IFREG);
	count("a file and a directory change places, the first name", "one", exchange, 0);
	count("a file and a directory change places, the second name", "d/two", exchange, 0);
	leave_whiteout();
	count("a whiteout is left", "upper", leave_whiteout, 0);
	return 0;
}
