/* RLIMIT_NPROC: never more processes than it allows, also when several call fork(2) at once. */
#include "abi.h"

#include <sched.h>

#define LIMIT   12
#define CALLERS 4
#define ROUNDS  30

static struct {
	volatile int round, made, tried, done;
} *shared;

/* Makes as many children as it may, all at the same time as the other callers. */
static void call_fork(int release)
{
	char c;

	for (int round = 1; round <= ROUNDS; round++) {
		pid_t children[LIMIT];
		int n = 0;

		while (shared->round != round)
			sched_yield();
		while (n < LIMIT && (children[n] = fork()) >= 0) {
			if (!children[n]) {
				read(release, &c, 1);
				_exit(0);
			}
			n++;
		}
		__sync_fetch_and_add(&shared->made, n);
		__sync_fetch_and_add(&shared->tried, 1);
		while (shared->tried < CALLERS)
			sched_yield();
		for (int i = 0; i < n; i++) {
			kill(children[i], SIGKILL);
			waitpid(children[i], NULL, 0);
		}
		__sync_fetch_and_add(&shared->done, 1);
	}
	_exit(0);
}

int main(void)
{
	struct rlimit limit = { LIMIT + CALLERS + 1, LIMIT + CALLERS + 1 };
	int release[2], wrong = 0;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pipe(release);
	CALL(setresuid(7654, 7654, 7654));
	CALL(setrlimit(RLIMIT_NPROC, &limit));
	for (int i = 0; i < CALLERS; i++)
		if (!fork())
			call_fork(release[0]);
	for (int round = 1; round <= ROUNDS; round++) {
		shared->made = shared->tried = shared->done = 0;
		shared->round = round;
		while (shared->done < CALLERS)
			usleep(1000);
		wrong += shared->made > LIMIT;
	}
	while (wait(NULL) > 0)
		;
	show("rounds with too many processes: %d", wrong);
	return 0;
}
