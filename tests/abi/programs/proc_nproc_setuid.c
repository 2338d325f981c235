/* RLIMIT_NPROC: setuid(2) to a user with too many processes succeeds; exec(2) fails then, until there are fewer. */
#include "abi.h"

#include <sys/prctl.h>

#define USER 12347

static int gate[2];

/* PF_NPROC_EXCEEDED in /proc/self/stat. */
static bool exceeded(void)
{
	char text[1024] = "", state;
	int fd = open("/proc/self/stat", O_RDONLY), n[5];
	unsigned flags = 0;

	read(fd, text, sizeof(text) - 1);
	close(fd);
	sscanf(strrchr(text, ')') + 1, " %c %d %d %d %d %d %u", &state, n, n + 1, n + 2, n + 3, n + 4, &flags);
	return flags & 0x1000;
}

/* Processes of the user that live until the gate opens. */
static void others(int n)
{
	int ready[2];
	char c;

	pipe(gate);
	pipe(ready);
	for (int i = 0; i < n; i++) {
		if (fork())
			continue;
		setuid(USER);
		close(gate[1]);
		write(ready[1], "x", 1);
		read(gate[0], &c, 1);
		_exit(0);
	}
	for (int i = 0; i < n; i++)
		read(ready[0], &c, 1);
	close(ready[0]);
	close(ready[1]);
}

/* The others have ended, but for those that are not children of this process. */
static void end_others(void)
{
	close(gate[1]);
	while (wait(NULL) > 0)
		;
}

static void limit(rlim_t n)
{
	setrlimit(RLIMIT_NPROC, &(struct rlimit){ n, 10 });
}

static void run(const char *path)
{
	char *const nothing[] = { NULL, NULL };

	report("execve", execve(path, nothing + 1, nothing));
}

static void show_flag(const char *when)
{
	show("%s: %s", when, exceeded() ? "exceeded" : "not exceeded");
}

/* As many as the limit allows are not too many: the caller itself is not counted yet. */
static void at_the_limit(void)
{
	others(2);
	limit(2);
	CALL(setuid(USER));
	show_flag("after setuid");
	run("missing");
}

static void past_the_limit(void)
{
	others(3);
	limit(2);
	CALL(setuid(USER));
	show_flag("after setuid");
	run("missing");
	run(NULL);
	run("");
	show_flag("after execs");
	CALL(fork());
	show_flag("after a fork that fails");
	end_others();
	show_flag("after the others");
	run("missing");
	show_flag("after an exec that passes, and fails");
	limit(0);
	run("missing");
}

static void higher_limit(void)
{
	others(3);
	limit(2);
	CALL(setresuid(USER, -1, -1));
	show_flag("after setresuid");
	run("missing");
	limit(4);
	run("missing");
	limit(2);
	run("missing");
}

/* A fork within the limit clears the parent's flag; the child has the old one. */
static void fork_within(void)
{
	int status;
	pid_t pid;

	others(3);
	limit(2);
	CALL(setreuid(USER, -1));
	show_flag("after setreuid");
	limit(5);
	pid = fork();
	if (!pid) {
		show_flag("child");
		limit(2);
		run("missing");
		limit(5);
		run("missing");
		show_flag("child after exec");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	show_flag("parent");
	limit(2);
	run("missing");
}

static void back_to_root(void)
{
	others(3);
	limit(2);
	CALL(setresuid(USER, 0, 0));
	show_flag("after setresuid");
	run("missing");
	CALL(setresuid(-1, USER, 0));
	show_flag("after another effective user");
	CALL(setresuid(0, 0, 0));
	show_flag("after root");
	run("missing");
}

/* Root has no limit; capabilities do not help a user. */
static void root(void)
{
	limit(0);
	CALL(setresuid(0, 0, 0));
	show_flag("root");
	run("missing");
}

static void stays_the_same_user(void)
{
	others(3);
	limit(10);
	CALL(setresuid(USER, 0, 0));
	limit(2);
	CALL(setresuid(USER, USER, USER));
	show_flag("without another real user");
	run("missing");
}

static void in_turn(const char *name, void (*fn)(void))
{
	in_child(name, fn);
	while (wait(NULL) > 0)
		;
}
#define IN_TURN(fn) in_turn(#fn, fn)

int main(void)
{
	/* The processes of one part end before the next part begins. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	IN_TURN(at_the_limit);
	IN_TURN(past_the_limit);
	IN_TURN(higher_limit);
	IN_TURN(fork_within);
	IN_TURN(back_to_root);
	IN_TURN(root);
	IN_TURN(stays_the_same_user);
	return 0;
}
