/*
 * ftrace_location() with so many records that one sees how it searches: it may look at few pages of them only.
 *
 * lab01_lookup says what is wrong in one sentence, and ends with status 1. The linker ignores what records.c calls outside
 * of the search.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "trace/ftrace/records.c"

#define PAGES    1024U
#define RECORDS  (PAGES * (unsigned)RECORDS_PER_PAGE)
#define FEW      24U /* pages. Halving needs 11, and some ways to halve look at a neighbour each time. */
#define DISTANCE 16U /* from one site to the next */

static struct dyn_ftrace *memory;
static volatile unsigned looked_at; /* pages, since the last search() began */

static void broken(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	puts("");
	fflush(stdout);
	_Exit(1);
}

/* The first look at a page of records. */
static void look(int signal, siginfo_t *info, void *context)
{
	char *page = (char *)ALIGN_DOWN((unsigned long)info->si_addr, PAGE_SIZE);

	(void)signal, (void)context;
	if (page < (char *)memory || page >= (char *)(memory + RECORDS))
		broken("a read at %p, where no record is", info->si_addr);
	looked_at++;
	mprotect(page, PAGE_SIZE, PROT_READ | PROT_WRITE);
}

static unsigned long site(unsigned n)
{
	return KERNEL_IMAGE_BASE + 0x1000 + n * (unsigned long)DISTANCE;
}

static void search(unsigned long ip, const struct dyn_ftrace *expected, const char *what, unsigned n)
{
	struct dyn_ftrace *found;

	looked_at = 0;
	mprotect(memory, RECORDS * sizeof(*memory), PROT_NONE);
	found = ftrace_location(ip);
	if (found != expected && !expected)
		broken("record %td for %s record %u of %u", found - memory, what, n, nr_records);
	if (found != expected)
		broken("no record for %s record %u of %u", what, n, nr_records);
	if (looked_at > FEW)
		broken("a search that looks at %u of %u pages of records: halving the range needs 11", looked_at, nr_pages);
}

static void search_all(unsigned count)
{
	nr_records = count;
	nr_pages = DIV_ROUND_UP(count, RECORDS_PER_PAGE);
	for (unsigned n = 0; n < count; n += count > 4 && n + 1013 < count - 1 ? 1013 : 1) {
		search(site(n), &memory[n], "the site of", n + 1);
		search(site(n) + 1, NULL, "an address behind", n + 1);
		search(site(n) - (1UL << 32), NULL, "an address 4 GiB below", n + 1);
		search((u32)site(n), NULL, "the lower half of the address of", n + 1);
	}
	search(site(0) - 1, NULL, "an address in front of", 1);
	search(site(count), NULL, "an address far behind", count);
}

int main(void)
{
	static struct dyn_ftrace *page_of[PAGES];
	struct sigaction action = { .sa_sigaction = look, .sa_flags = SA_SIGINFO };

	memory = mmap(NULL, RECORDS * sizeof(*memory), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pages = page_of;
	for (unsigned n = 0; n < RECORDS; n++)
		memory[n].offset = (u32)(site(n) - KERNEL_IMAGE_BASE);
	for (unsigned n = 0; n < PAGES; n++)
		page_of[n] = memory + n * RECORDS_PER_PAGE;
	sigaction(SIGSEGV, &action, NULL);
	for (unsigned count = 1; count <= 4; count++)
		search_all(count);
	search_all(RECORDS);
	return 0;
}
