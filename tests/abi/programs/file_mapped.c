/* A mapping of a file shows what is written to it, and the other way round. */
#include "abi.h"

#include <sys/mman.h>
#include <sys/stat.h>

int main(void)
{
	char b[100] = { 0 };
	struct stat st;

	{
		int g = open("m", O_RDWR | O_CREAT, 0644);
		ftruncate(g, 8192);
		char *m = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, g, 0);
		char *q = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, g, 0);
		m[5000] = 'x';
		CALL(pread(g, b, 1, 5000));
		show("%c", b[0]);
		q[0] = 'p';
		CALL(pread(g, b, 1, 0));
		show("%d", b[0]);
		pwrite(g, "w", 1, 1);
		show("%c%c", m[1], q[4096 + 5000 - 4096]);
		int r = open("m", O_RDONLY);
		CALL(mmap(0, 4096, PROT_WRITE, MAP_SHARED, r, 0) == MAP_FAILED ? -1 : 0);
		CALL(mprotect(q, 8192, PROT_READ));
		CALL(ftruncate(g, 0));
		stat("m", &st);
		show("%ld", (long)st.st_blocks);
	}
	return 0;
}
