/* madvise(2): the answer to each value, for anonymous memory, a shared area and a file. */
#include "abi.h"

#define PAGE 4096UL

/* Linux has other answers here if it is built with huge pages, KSM or memory failures. */
static int depends_on_configuration(int advice)
{
	return advice == 12 || advice == 13 || advice == 14 || advice == 15 || advice == 25 || advice >= 100;
}

static void all_values(const char *name, char *p)
{
	for (int advice = -1; advice < 27; advice++) {
		int result;

		if (depends_on_configuration(advice))
			continue;
		errno = 0;
		result = madvise(p, PAGE, advice);
		show("%s %d: %d %s", name, advice, result, errno ? error_name(errno) : "");
	}
}

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0600), ro = open("f", O_RDONLY);

	ftruncate(fd, PAGE);
	all_values("private", mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	all_values("none", mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	all_values("file", mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	all_values("private file", mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, ro, 0));
	return 0;
}
