/* MAP_FIXED replaces, MAP_FIXED_NOREPLACE refuses, and addresses that no mapping can have. */
#include "abi.h"

#define FIXED_NOREPLACE 0x100000

static const char *map(char *at, size_t n, int flags)
{
	static char text[40];
	char *p;

	errno = 0;
	p = mmap(at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	if (p == MAP_FAILED)
		return error_name(errno);
	snprintf(text, sizeof(text), "%s", p == at ? "there" : "elsewhere");
	return text;
}

int main(void)
{
	char *base = mmap(NULL, 5 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(base, 'x', 5 * 4096);
	show("hint on used memory: %s", map(base, 4096, 0));
	show("fixed in the middle: %s", map(base + 4096, 4096, MAP_FIXED));
	show("%c %d %c", base[0], base[4096], base[8192]);
	show("no replace, used: %s", map(base + 8192, 4096, FIXED_NOREPLACE));
	munmap(base + 8192, 4096);
	show("no replace, free: %s", map(base + 8192, 4096, FIXED_NOREPLACE));
	show("no replace, half used: %s", map(base, 10 * 4096, FIXED_NOREPLACE));
	show("fixed, odd: %s", map(base + 100, 4096, MAP_FIXED));
	show("fixed, 0: %s", map(NULL, 4096, MAP_FIXED));
	show("fixed, kernel: %s", map((char *)0xffff800000000000, 4096, MAP_FIXED));
	show("overflow: %s", map(NULL, ~0UL - 100, 0));
	CALL(munmap(base + 100, 4096));
	CALL(munmap(base, 0));
	CALL(munmap(base + 4096, 4096));
	CALL(munmap(base + 4096, 4096));
	CALL(mprotect(base, 3 * 4096, PROT_READ));
	CALL(mprotect(base, 0, PROT_READ));
	CALL(syscall(SYS_mprotect, base + 1, 4096L, PROT_READ));
	CALL(mprotect(base, 4096, 0x100));
	return 0;
}
