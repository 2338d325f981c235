/*
 * A news desk: each of six writers makes notes, each in a piece of memory, which is given back.
 */
#include "kernel/mm/slab.h"
#include "workers.h"

#define BYTES 200
#define KEPT  8

/* Writes note number n. Not each day has news: then it returns false. */
static noinline bool write_note(char *note, unsigned n)
{
	note[0] = 'a' + n % 26;
	return n % 5 != 4;
}

static noinline void throw_away(char *note)
{
	kfree(note);
}

/* SHUFFLE */
static noinline int serve_ash(void)
{
	static unsigned number;
	char *note = kmalloc(BYTES, GFP_KERNEL);

	if (!note)
		return -ENOMEM;
	write_note(note, number++);
	kfree(note);
	return 0;
}

/* NEXT */
static noinline int serve_birch(void)
{
	static unsigned number;
	char *note = kmalloc(BYTES, GFP_KERNEL); /* FAULT */

	if (!note)
		return -ENOMEM;
	if (!write_note(note, number++))
		return 0; /* FAULT */
	throw_away(note);
	return 0;
}

/* NEXT */
static noinline int serve_cedar(void)
{
	static unsigned number;
	char *note = kmalloc(BYTES, GFP_KERNEL);
	bool news;

	if (!note)
		return -ENOMEM;
	news = write_note(note, number++);
	throw_away(note);
	if (!news)
		return 0;
	return note ? 0 : -EINVAL;
}

/* NEXT */
static noinline int serve_elm(void)
{
	static char *newest;
	static unsigned number;
	char *note = kmalloc(BYTES, GFP_KERNEL);

	if (!note)
		return -ENOMEM;
	if (!write_note(note, number++))
		swap(note, newest);
	kfree(note);
	return 0;
}

/* NEXT */
static noinline int serve_fir(void)
{
	static char *kept[KEPT];
	static unsigned number;
	char *note = kmalloc(BYTES, GFP_KERNEL);

	if (!note)
		return -ENOMEM;
	write_note(note, number);
	swap(kept[number++ % KEPT], note);
	kfree(note);
	return 0;
}

/* NEXT */
static noinline int serve_oak(void)
{
	static unsigned number;
	char *note = kmalloc(BYTES, GFP_KERNEL);

	if (!note)
		return -ENOMEM;
	if (!write_note(note, number++)) {
		throw_away(note);
		return 0;
	}
	kfree(note);
	return 0;
}

/* END SHUFFLE */
static struct worker workers[] = {
	/* SHUFFLE LINES */
	{ .name = "ada", .work = serve_ash },
	{ .name = "bob", .work = serve_birch },
	{ .name = "cid", .work = serve_cedar },
	{ .name = "dan", .work = serve_elm },
	{ .name = "eve", .work = serve_fir },
	{ .name = "flo", .work = serve_oak },
	/* END SHUFFLE */
};
MODULE_WITH_WORKERS(workers);
