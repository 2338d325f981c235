/*
 * A ledger of eight pages, with a limit behind them. Nobody changes the limit; "set_limit" alone writes it. The
 * write to `run` fails when a task has seen another one: Numerical result out of range.
 */
#include "workers.h"

#define PAGES 8
#define LIMIT 1000

static struct ledger {
	int pages[PAGES];
	int limit;
} ledger = { .limit = LIMIT };

static noinline void set_limit(int limit)
{
	WRITE_ONCE(ledger.limit, limit);
}

static noinline int check_limit(void)
{
	if (READ_ONCE(ledger.limit) == LIMIT)
		return 0;
	set_limit(LIMIT);
	return -ERANGE;
}

/* SHUFFLE */
static noinline int note_ash(void)
{
	static unsigned number;

	msleep(1);
	WRITE_ONCE(ledger.pages[number++ % PAGES], 1);
	return 0;
}

/* NEXT */
static noinline int note_birch(void)
{
	static unsigned number;
	unsigned page = number++ * 2 % (PAGES + 1);

	msleep(1);
	WRITE_ONCE(ledger.pages[page], 2); /* FAULT */
	return 0;
}

/* NEXT */
static noinline int note_cedar(void)
{
	static unsigned number;
	unsigned page = number++ * 2 % (PAGES + 1);

	msleep(1);
	if (page < PAGES)
		WRITE_ONCE(ledger.pages[page], 3);
	return 0;
}

/* NEXT */
static noinline int note_elm(void)
{
	msleep(1);
	for (unsigned page = 1; page <= PAGES; page++)
		WRITE_ONCE(ledger.pages[page - 1], 4);
	return 0;
}

/* NEXT */
static noinline int note_fir(void)
{
	static unsigned number;
	unsigned page = number++ % (2 * PAGES);

	msleep(1);
	WRITE_ONCE(ledger.pages[page & (PAGES - 1)], 5);
	return 0;
}

/* NEXT */
static noinline int note_oak(void)
{
	msleep(1);
	return check_limit();
}

/* END SHUFFLE */
static struct worker workers[] = {
	/* SHUFFLE LINES */
	{ .name = "ada", .work = note_ash },
	{ .name = "bob", .work = note_birch },
	{ .name = "cid", .work = note_cedar },
	{ .name = "dan", .work = note_elm },
	{ .name = "eve", .work = note_fir },
	{ .name = "flo", .work = note_oak },
	/* END SHUFFLE */
};
MODULE_WITH_WORKERS(workers);
