/*
 * Measures the context switch on Linux: two processes on one CPU pass one byte back and forth through
 * two pipes. Prints the instructions per switch (each round is two switches), as the TSC counts them
 * under -icount shift=0. A static program. Runs under shared/tools/linux-ref --icount --cpus 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define WARM_UP 1000
#define ROUNDS	20000

static int there[2], back[2];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void child(void)
{
	char byte;

	for (int i = 0; i < WARM_UP + ROUNDS; i++)
		if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
			_exit(1);
	_exit(0);
}

static void rounds(int count)
{
	char byte = 'x';

	for (int i = 0; i < count; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			die("pipe");
}

int main(void)
{
	unsigned long long start, end;
	int status;
	pid_t pid;

	if (pipe(there) || pipe(back))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		child();
	rounds(WARM_UP);
	start = __rdtsc();
	rounds(ROUNDS);
	end = __rdtsc();
	if (waitpid(pid, &status, 0) != pid || status)
		die("child");
	printf("pipe %llu\n", (end - start) / (2 * ROUNDS));
	return 0;
}
