/* RLIMIT_NPROC: fork(2) of a user who has too many processes; root has no limit. */
#include "abi.h"

static int forks(int wanted)
{
	int made = 0, gate[2];
	pid_t pids[20];

	pipe(gate);
	for (; made < wanted; made++) {
		pids[made] = fork();
		if (!pids[made]) {
			char c;

			close(gate[1]);
			read(gate[0], &c, 1);
			_exit(0);
		}
		if (pids[made] < 0) {
			show("fork %d: %s", made, error_name(errno));
			break;
		}
	}
	close(gate[0]);
	close(gate[1]);
	for (int i = 0; i < made; i++)
		waitpid(pids[i], NULL, 0);
	return made;
}

static void limit(rlim_t n)
{
	setrlimit(RLIMIT_NPROC, &(struct rlimit){ n, n });
}

static void root(void)
{
	limit(2);
	show("root: %d", forks(10));
}

static void user(void)
{
	limit(5);
	setuid(12345);
	show("user: %d", forks(10));
	show("and again: %d", forks(3));
	CALL(setrlimit(RLIMIT_NPROC, &(struct rlimit){ 10, 10 }));
	CALL(setrlimit(RLIMIT_NPROC, &(struct rlimit){ 3, 5 }));
	show("soft limit: %d", forks(10));
}

static void other_user(void)
{
	limit(1);
	setuid(12346);
	show("another user, the limit is its own process: %d", forks(2));
}

int main(void)
{
	CHILD(root);
	CHILD(user);
	CHILD(other_user);
	return 0;
}
