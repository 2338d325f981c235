/* How areas join and split, as /proc/self/maps shows them. */
#include "abi.h"

#define PAGE 4096UL
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static char *room;

/* The areas within the 16 pages of room: first page, pages, rights. */
static void areas(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], rights[8], text[256] = "";
	unsigned long begin, end, first = (unsigned long)room;

	while (fgets(line, sizeof(line), maps)) {
		sscanf(line, "%lx-%lx %7s", &begin, &end, rights);
		if (end <= first || begin >= first + 16 * PAGE)
			continue;
		begin = begin < first ? first : begin;
		end = end > first + 16 * PAGE ? first + 16 * PAGE : end;
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %lu+%lu%s", (begin - first) / PAGE, (end - begin) / PAGE, rights);
	}
	fclose(maps);
	show("%s:%s", name, text);
}

static char *map(unsigned long page, unsigned long pages, int prot, int flags, int fd, long offset)
{
	return mmap(room + page * PAGE, pages * PAGE, prot, flags | MAP_FIXED, fd, offset * (long)PAGE);
}

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0600);

	ftruncate(fd, 16 * PAGE);
	room = mmap(NULL, 18 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(room, 18 * PAGE);
	room += PAGE;
	map(4, 2, PROT_READ | PROT_WRITE, ANON, -1, 0);
	areas("one");
	map(6, 2, PROT_READ | PROT_WRITE, ANON, -1, 0);
	areas("joined above");
	map(2, 2, PROT_READ | PROT_WRITE, ANON, -1, 0);
	areas("joined below");
	map(10, 2, PROT_READ | PROT_WRITE, ANON, -1, 0);
	map(8, 2, PROT_READ | PROT_WRITE, ANON, -1, 0);
	areas("joined between");
	mprotect(room + 4 * PAGE, 2 * PAGE, PROT_READ);
	areas("split by mprotect");
	mprotect(room + 4 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE);
	areas("joined by mprotect");
	mprotect(room + 2 * PAGE, PAGE, PROT_NONE);
	areas("no rights");
	mprotect(room + 3 * PAGE, PAGE, PROT_NONE);
	areas("more of them");
	munmap(room + 6 * PAGE, 2 * PAGE);
	areas("hole");
	madvise(room + 8 * PAGE, PAGE, MADV_DONTFORK);
	areas("split by advice");
	madvise(room + 8 * PAGE, PAGE, MADV_DOFORK);
	areas("joined by advice");
	mlock(room + 9 * PAGE, PAGE);
	areas("split by mlock");
	munmap(room, 16 * PAGE);
	map(0, 2, PROT_READ, MAP_SHARED, fd, 0);
	map(2, 2, PROT_READ, MAP_SHARED, fd, 2);
	areas("file, offsets follow");
	map(4, 2, PROT_READ, MAP_SHARED, fd, 2);
	areas("file, offsets do not");
	map(6, 2, PROT_READ, MAP_PRIVATE, fd, 4);
	areas("file, private");
	map(8, 2, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	map(10, 2, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	areas("two shared ones");
	return 0;
}
