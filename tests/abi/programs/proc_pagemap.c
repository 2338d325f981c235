/* proc(5): /proc/PID/pagemap and smaps of pages that are touched, shared with a child, of a file, and locked. */
#include "abi.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define PAGE 4096UL
#define PAGES 4

static uint64_t entry(const void *at)
{
	uint64_t value = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	pread(fd, &value, sizeof(value), (long)at / (long)PAGE * 8);
	close(fd);
	return value;
}

static void show_pages(const char *name, const char *map)
{
	for (unsigned i = 0; i < PAGES; i++) {
		uint64_t e = entry(map + i * PAGE);

		show("%s %u: present %d file %d exclusive %d frame %s", name, i, (int)(e >> 63), (int)(e >> 61 & 1),
		     (int)(e >> 56 & 1), e & ((1ULL << 55) - 1) ? "yes" : "no");
	}
}

/* Some lines of smaps for the area at map. */
static void show_area(const char *map)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	char line[512];
	bool found = false;

	while (fgets(line, sizeof(line), file)) {
		unsigned long start, end;

		if (sscanf(line, "%lx-%lx ", &start, &end) == 2 && strchr(line, '-') < line + 17)
			found = start <= (unsigned long)map && (unsigned long)map < end;
		else if (found && (!strncmp(line, "Size", 4) || !strncmp(line, "Rss", 3) || !strncmp(line, "Pss:", 4) ||
				   !strncmp(line, "Anon", 4) || !strncmp(line, "Locked", 6) ||
				   !strncmp(line, "Private_Dirty", 13) || !strncmp(line, "Shared_Dirty", 12)))
			show("  %.*s", (int)strcspn(line, "\n"), line);
	}
	fclose(file);
}

static void anonymous(void)
{
	char *map = mmap(NULL, (PAGES + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), c;
	int p[2], ready[2], status;
	pid_t pid;

	map += PAGE; /* so that no other area is joined to it */
	mprotect(map, PAGES * PAGE, PROT_READ | PROT_WRITE);
	show_pages("new", map);
	map[0] = 1;
	map[PAGE] = 1;
	show_pages("written", map);
	show_area(map);
	pipe(p);
	pipe(ready);
	pid = fork();
	if (!pid) {
		close(p[1]);
		map[0] = 2; /* its own copy */
		write(ready[1], "r", 1);
		read(p[0], &c, 1);
		_exit(0);
	}
	close(p[0]);
	read(ready[0], &c, 1);
	show("  child's page %d", entry(map + PAGE) >> 56 & 1 ? 1 : 0);
	show_area(map + PAGE);
	close(p[1]);
	waitpid(pid, &status, 0);
	mlock(map, 2 * PAGE);
	show_area(map);
}

static void shared_file(void)
{
	int fd = memfd_create("f", 0);
	char *map;

	ftruncate(fd, PAGES * (long)PAGE);
	map = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	map[2 * PAGE] = 1;
	show_pages("file", map);
	show_area(map);
}

int main(void)
{
	uint64_t value;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	anonymous();
	shared_file();
	CALL(pread(fd, &value, 7, 0));
	CALL(pread(fd, &value, 8, 4));
	CALL(pread(fd, &value, 8, 0));
	CALL(open("/proc/self/pagemap", O_RDWR) >= 0);
	return 0;
}
