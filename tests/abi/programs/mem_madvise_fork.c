/* madvise(2) and fork(2): MADV_DONTFORK, MADV_WIPEONFORK and back. */
#include "abi.h"

#include <setjmp.h>

#define PAGE 4096UL

static char *p;
static sigjmp_buf back;

static void on_fault(int signal)
{
	siglongjmp(back, signal);
}

static void look(void)
{
	int signal;

	for (int i = 0; i < 4; i++) {
		signal = sigsetjmp(back, 1);
		if (signal)
			show("page %d: signal %d", i, signal);
		else
			show("page %d: %d", i, ((volatile char *)p)[(unsigned long)i * PAGE]);
	}
}

static void grandchild(void)
{
	CHILD(look);
}

int main(void)
{
	char *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(p, 'a', 4 * PAGE);
	signal(SIGSEGV, on_fault);
	CALL(madvise(p + PAGE, PAGE, MADV_DONTFORK));
	CALL(madvise(p + 2 * PAGE, PAGE, 18 /* MADV_WIPEONFORK */));
	CALL(madvise(shared, PAGE, 18));
	CHILD(look);
	CHILD(grandchild);
	look();
	CALL(madvise(p + PAGE, PAGE, MADV_DOFORK));
	CALL(madvise(p, 4 * PAGE, 19 /* MADV_KEEPONFORK */));
	CHILD(look);
	return 0;
}
