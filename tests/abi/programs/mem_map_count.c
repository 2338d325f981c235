/* vm.max_map_count and RLIMIT_AS bound what mremap(2) adds, also with an old length of 0 and MREMAP_DONTUNMAP; and a mapping of 10 TB. */
#include "user_limits.h"

#define PAGE 4096UL
#define TB   (1UL << 40)

static char *shared, *other, *areas;

/* An area for each page of a range, because neighbours have other rights. Until one fails. */
static int fill(void)
{
	int n = 0;

	areas = mmap(NULL, 400 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	munmap(areas, 400 * PAGE);
	while (n < 200 && mmap(areas + n * PAGE, PAGE, n % 2 ? PROT_READ : PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
		n++;
	return n;
}

static long move(size_t old_len, int flags, void *to)
{
	return mremap(shared, old_len, PAGE, MREMAP_MAYMOVE | flags, to) == MAP_FAILED ? -1 : 0;
}

static void count(void)
{
	int n, free = 0;

	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	other = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	n = fill();
	TRUTH(n > 20 && n < 200);
	CALL(move(0, 0, NULL));
	CALL(move(PAGE, MREMAP_FIXED, other));
	CALL(access(other, F_OK) == -1 && errno == EFAULT);
	/* One area less, again and again, until it works. */
	while (move(0, 0, NULL) && free < 20)
		munmap(areas + (n - ++free) * PAGE, PAGE);
	show("works after %d", free);
	CALL(move(0, 0, NULL));
	while (move(PAGE, MREMAP_FIXED, other) && free < 40)
		munmap(areas + (n - ++free) * PAGE, PAGE);
	show("MREMAP_FIXED works after %d", free);
}

static void address_space(void)
{
	struct rlimit limit = { 64UL << 20, 64UL << 20 };
	int n = 0;
	char *private = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	setrlimit(RLIMIT_AS, &limit);
	while (n < 1000 && mremap(private, 1 << 20, 1 << 20, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0) != MAP_FAILED)
		n++;
	show("MREMAP_DONTUNMAP ends: %d %s", n < 64, error_name(errno));
	limit.rlim_cur = limit.rlim_max = 0;
	setrlimit(RLIMIT_DATA, &limit);
	CALL(mremap(private, 1 << 20, 1 << 20, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0) == MAP_FAILED);
}

static void locked(void)
{
	struct rlimit limit = { 128 << 10, 128 << 10 };
	char *p = mmap(NULL, 64 << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *q;

	setrlimit(RLIMIT_MEMLOCK, &limit);
	CALL(mlock(p, 64 << 10));
	q = mremap(p, 64 << 10, 64 << 10, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0);
	TRUTH(q != MAP_FAILED);
	CALL(mlock(p, 64 << 10));
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CALL(mlock(p, PAGE));
}

static void huge(void)
{
	volatile char *p;

	TRUTH(mmap(NULL, 10 * TB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	TRUTH(mmap(NULL, 10 * TB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	for (int i = 0; i < 8; i++) {
		p = mmap(NULL, 10 * TB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED) {
			show("%d: %s", i, error_name(errno));
			break;
		}
		p[0] = 1;
		p[i * TB + 5 * PAGE] = 2;
		p[10 * TB - 1] = (char)i;
		if (!fork()) {
			show("%d %d %d %d", p[0], p[i * TB + 5 * PAGE], p[10 * TB - 1], p[3 * TB]);
			p[0] = 7;
			_exit(0);
		}
		wait(NULL);
		show("%d", p[0]);
	}
}

int main(void)
{
	long most = sysctl_get("vm/max_map_count");

	show("%ld", most);
	CALL(sysctl_set("vm/max_map_count", -1));
	CALL(sysctl_set("vm/max_map_count", 100));
	as_user(1000, count);
	CALL(sysctl_set("vm/max_map_count", most));
	show("RLIMIT_AS");
	as_user(1000, address_space);
	show("RLIMIT_MEMLOCK");
	as_user(1000, locked);
	show("10 TB");
	as_user(1000, huge);
	return 0;
}
