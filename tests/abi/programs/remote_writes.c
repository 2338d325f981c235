/* process_vm_writev(2) into a page that fork() has made common, while the program writes to it, too: no write is lost. */
#include "abi.h"

#include <pthread.h>
#include <sys/uio.h>

#define FORKS rounds(400)

static volatile long *words;
static volatile bool over;

static void *fork_and_write(void *unused)
{
	for (long i = 1; i <= FORKS; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		words[1] = i;
	}
	over = true;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	long lost = 0;

	words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&thread, NULL, fork_and_write, NULL);
	for (long i = 1; !over; i++) {
		struct iovec local = { &i, sizeof(i) }, remote = { (void *)&words[2], sizeof(i) };

		process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
		lost += words[2] != i;
	}
	pthread_join(thread, NULL);
	show("%ld lost", lost);
	TRUTH(words[1] == FORKS);
	return 0;
}
