/*
 * A program for the kernel under test: what reads and names cost, in nanoseconds. With -icount these are instructions.
 *
 *	lab15_cost reads FILE SIZE      reads the file in pieces: cost of the first read and of all, number, bytes, hash of the text
 *	lab15_cost places FILE          reads the file at 200 places, and its beginning with 400 descriptors: errors
 *	lab15_cost names FORMAT N       finds N files, whose names printf() makes of their number: cost, errors
 *	lab15_cost folders FORMAT N     the same, with each file in a directory of its own
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void reads(const char *path, size_t size)
{
	uint64_t hash = 14695981039346656037ULL, first = 0, all = 0, bytes = 0, before, cost;
	char *buf = malloc(size);
	int fd = open(path, O_RDONLY);
	unsigned number = 0;
	ssize_t got;

	memset(buf, 1, size); /* so that no read meets a page that is not there */
	for (;;) {
		before = now();
		got = read(fd, buf, size);
		cost = now() - before;
		if (got <= 0)
			break;
		if (!number++)
			first = cost;
		all += cost;
		bytes += (uint64_t)got;
		for (ssize_t i = 0; i < got; i++)
			hash = (hash ^ (unsigned char)buf[i]) * 1099511628211ULL;
	}
	printf("first %llu all %llu number %u bytes %llu hash %llu\n", (unsigned long long)first, (unsigned long long)all, number,
	       (unsigned long long)bytes, (unsigned long long)hash);
}

static void places(const char *path)
{
	static char text[4 << 20];
	char piece[300];
	size_t size = 0;
	int fd = open(path, O_RDONLY), wrong = 0;
	ssize_t got;

	while ((got = read(fd, text + size, sizeof(text) - size)) > 0)
		size += (size_t)got;
	for (unsigned i = 0; i < 200 && size; i++) {
		size_t at = i * 7919 * 131 % size, want = size - at < sizeof(piece) ? size - at : sizeof(piece);

		if (i % 50 == 0)
			at = 0;
		got = i % 2 ? pread(fd, piece, want, (off_t)at) : (lseek(fd, (off_t)at, SEEK_SET), read(fd, piece, want));
		wrong += got <= 0 || memcmp(piece, text + at, (size_t)got) != 0;
	}
	for (unsigned i = 0; i < 400; i++) {
		fd = open(path, O_RDONLY);
		wrong += fd < 0 || read(fd, piece, 1) != 1 || piece[0] != text[0];
	}
	printf("wrong %d bytes %zu\n", wrong, size);
}

static void make(const char *path)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);

	if (fd < 0) {
		printf("%s: %s\n", path, strerror(errno));
		exit(1);
	}
	close(fd);
}

/* The path of file number i, and the length of the part that is its directory. */
static int path_of(char path[128], const char *format, bool in_folders, int i)
{
	int folder = in_folders ? sprintf(path, "%08d/", i) : 0;

	snprintf(path + folder, 100, format, i, i, i);
	return folder;
}

static void find(const char *format, bool in_folders, int n)
{
	char path[128];
	struct stat found;
	uint64_t before;
	int wrong = 0;

	mkdir("/tmp/cost", 0700);
	if (chdir("/tmp/cost"))
		exit(1);
	for (int i = 0; i < n; i++) {
		int folder = path_of(path, format, in_folders, i);

		if (folder) {
			path[folder - 1] = 0;
			mkdir(path, 0700);
			path[folder - 1] = '/';
		}
		make(path);
	}
	before = now();
	for (int i = 0; i < n; i++) {
		path_of(path, format, in_folders, i);
		wrong += stat(path, &found) != 0;
	}
	printf("cost %llu ", (unsigned long long)(now() - before));
	path_of(path, format, in_folders, n);
	wrong += stat(path, &found) == 0;
	printf("wrong %d\n", wrong);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "reads"))
		reads(argv[2], strtoul(argv[3], NULL, 0));
	else if (argc == 3 && !strcmp(argv[1], "places"))
		places(argv[2]);
	else if (argc == 4 && !strcmp(argv[1], "names"))
		find(argv[2], false, atoi(argv[3]));
	else if (argc == 4 && !strcmp(argv[1], "folders"))
		find(argv[2], true, atoi(argv[3]));
	else
		return 2;
	return 0;
}
