/* execve(2) by several threads at once: one of them wins, and the process goes on as its program. */
#include "abi.h"

#include <pthread.h>

#define ROUNDS  40
#define THREADS 4

static pthread_barrier_t all_there;

static void *execs(void *unused)
{
	pthread_barrier_wait(&all_there);
	execl("/proc/self/exe", "again", "won", NULL);
	return unused;
}

int main(int argc, char **argv)
{
	int ended[2] = { 0 };

	if (argc > 1)
		return 5;
	for (int i = 0; i < ROUNDS; i++) {
		int status = 0;
		pid_t pid = fork();

		if (!pid) {
			pthread_t t;

			pthread_barrier_init(&all_there, NULL, THREADS);
			for (int n = 1; n < THREADS; n++)
				pthread_create(&t, NULL, execs, NULL);
			execs(NULL);
			for (;;)
				pause();
		}
		waitpid(pid, &status, 0);
		ended[WIFEXITED(status) && WEXITSTATUS(status) == 5]++;
	}
	show("as the new program: %d, otherwise: %d", ended[1], ended[0]);
	return 0;
}
