/*
 * A library: each of six readers looks for books in a hall of its own.
 */
#include "kernel/time/ktime.h"
#include "workers.h"

#define STEP_US 20 /* to one shelf */

static noinline void walk(unsigned steps)
{
	udelay(STEP_US * steps);
}

static noinline void put_in_order(unsigned shelves)
{
	udelay(STEP_US * shelves);
}

/* SHUFFLE */
static noinline int look_ash(void)
{
	walk(1);
	return 0;
}

/* NEXT */
static noinline int look_birch(void)
{
	static unsigned books;

	walk(1);
	if (++books % 100 == 0)
		put_in_order(12); /* FAULT */
	return 0;
}

/* NEXT */
static noinline int look_cedar(void)
{
	static unsigned books;

	walk(1);
	if (++books % 100 == 0)
		put_in_order(0);
	return 0;
}

/* NEXT */
static noinline int look_elm(void)
{
	static bool ordered;

	if (!ordered)
		put_in_order(12);
	ordered = true;
	walk(1);
	return 0;
}

/* NEXT */
static noinline int look_fir(void)
{
	walk(2);
	put_in_order(1);
	return 0;
}

/* NEXT */
static noinline int look_oak(void)
{
	static unsigned books;

	walk(++books % 10 == 0 ? 3 : 1);
	return 0;
}

/* END SHUFFLE */
static struct worker workers[] = {
	/* SHUFFLE LINES */
	{ .name = "ada", .work = look_ash },
	{ .name = "bob", .work = look_birch },
	{ .name = "cid", .work = look_cedar },
	{ .name = "dan", .work = look_elm },
	{ .name = "eve", .work = look_fir },
	{ .name = "flo", .work = look_oak },
	/* END SHUFFLE */
};
MODULE_WITH_WORKERS(workers);
