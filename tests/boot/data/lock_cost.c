/*
 * What a lock costs while another process has many: prints how many times longer 200 calls take with them than without, in tenths, on another file and
 * on the same file.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define MANY  10000
#define CALLS 200

static int call(int fd, int cmd, short type, long start)
{
	struct flock l = { .l_type = type, .l_start = start, .l_len = 1 };

	return fcntl(fd, cmd, &l);
}

static long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000L + ts.tv_nsec;
}

static long cost(int fd)
{
	long begin = now();

	for (int i = 0; i < CALLS; i++) {
		call(fd, F_SETLK, F_RDLCK, MANY + 2 * i);
		call(fd, F_SETLK, F_UNLCK, MANY + 2 * i);
	}
	return now() - begin;
}

int main(void)
{
	int has = open("has", O_RDWR | O_CREAT, 0644), other = open("other", O_RDWR | O_CREAT, 0644);
	long other_before, has_before;
	int ends[2];

	cost(other);
	cost(has);
	other_before = cost(other);
	has_before = cost(has);
	pipe(ends);
	if (!fork()) {
		for (int i = 0; i < MANY; i++)
			call(has, F_SETLK, F_RDLCK, 3 * i);
		write(ends[1], "", 1);
		pause();
	}
	read(ends[0], &(char){ 0 }, 1);
	printf("another file: %ld\n", 10 * cost(other) / other_before);
	printf("the same file: %ld\n", 10 * cost(has) / has_before);
	return 0;
}
