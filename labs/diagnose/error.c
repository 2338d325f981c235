/*
 * A post office: each of six senders sends parcels. A parcel is weighed, gets a label, and is loaded. Each of these
 * may fail, and then the write to `run` must fail.
 */
#include "workers.h"

#define HEAVIEST 30

struct parcel {
	int weight;
	unsigned tries;
};
/* SHUFFLE LINES */
static struct parcel ash = { .weight = 12 };
static struct parcel birch = { .weight = 31 };
static struct parcel cedar = { .weight = 30 };
static struct parcel elm = { .weight = 7 };
static struct parcel fir = { .weight = 19 };
static struct parcel oak = { .weight = 25 };
/* END SHUFFLE */

static noinline int weigh(struct parcel *parcel)
{
	return parcel->weight > HEAVIEST ? -EOVERFLOW : 0;
}

/* The printer needs a second try now and then. */
static noinline int print_label(struct parcel *parcel)
{
	return parcel->tries++ % 4 == 2 ? -EAGAIN : 0;
}

/* -ENOENT: no ribbon left. A parcel can do without. */
static noinline int tie_ribbon(struct parcel *parcel)
{
	return parcel->tries++ % 3 == 1 ? -ENOENT : 0;
}

static noinline int load(struct parcel *parcel)
{
	return parcel->weight ? 0 : -EINVAL;
}

/* SHUFFLE */
static noinline int send_ash(void)
{
	int error = weigh(&ash);

	if (!error)
		error = print_label(&ash);
	if (error == -EAGAIN)
		error = print_label(&ash);
	return error ? error : load(&ash);
}

/* NEXT */
static noinline int send_birch(void)
{
	int error = load(&birch);

	if (!error) {
		int error = weigh(&birch); /* FAULT */

		if (!error)
			error = print_label(&birch);
	}
	return error; /* FAULT */
}

/* NEXT */
static noinline int send_cedar(void)
{
	int error;

	do {
		error = print_label(&cedar);
	} while (error == -EAGAIN);
	if (!error)
		error = weigh(&cedar);
	return error;
}

/* NEXT */
static noinline int send_elm(void)
{
	int error = weigh(&elm);

	if (error)
		return error;
	error = tie_ribbon(&elm);
	return error == -ENOENT ? 0 : error;
}

/* NEXT */
static noinline int send_fir(void)
{
	int first = load(&fir), second = weigh(&fir);

	tie_ribbon(&fir);
	return first ? first : second;
}

/* NEXT */
static noinline int send_oak(void)
{
	int error = weigh(&oak);

	if (!error)
		for (int i = 0; i < 2 && (error = print_label(&oak)); i++)
			;
	return error;
}

/* END SHUFFLE */
static struct worker workers[] = {
	/* SHUFFLE LINES */
	{ .name = "ada", .work = send_ash },
	{ .name = "bob", .work = send_birch },
	{ .name = "cid", .work = send_cedar },
	{ .name = "dan", .work = send_elm },
	{ .name = "eve", .work = send_fir },
	{ .name = "flo", .work = send_oak },
	/* END SHUFFLE */
};
MODULE_WITH_WORKERS(workers);
