/*
 * A store with six shelves. Each of six porters moves boxes from one shelf to another, and locks both. A
 * porter with one lock waits for the second one: so there is an order in which shelves are locked.
 */
#include "kernel/sched/mutex.h"
#include "workers.h"

#define WALK_MS 10 /* from shelf to shelf */

struct shelf {
	struct mutex lock;
	int boxes; /* [lock] */
};
#define SHELF(name) static struct shelf name = { .lock = __MUTEX_INITIALIZER(name.lock) }
/* SHUFFLE LINES */
SHELF(ash);
SHELF(birch);
SHELF(cedar);
SHELF(elm);
SHELF(fir);
SHELF(oak);
/* END SHUFFLE */

static noinline void carry(struct shelf *from, struct shelf *to)
{
	from->boxes--;
	to->boxes++;
}

/* SHUFFLE */
static noinline int move_ash(void)
{
	mutex_lock(&ash.lock);
	msleep(WALK_MS);
	mutex_lock(&birch.lock);
	carry(&ash, &birch);
	mutex_unlock(&birch.lock);
	mutex_unlock(&ash.lock);
	return 0;
}

/* NEXT */
static noinline int move_birch(void)
{
	mutex_lock(&birch.lock);
	msleep(WALK_MS);
	mutex_lock(&cedar.lock);
	carry(&birch, &cedar);
	mutex_unlock(&cedar.lock);
	mutex_unlock(&birch.lock);
	return 0;
}

/* NEXT */
static noinline int move_cedar(void)
{
	int boxes;

	mutex_lock(&elm.lock);
	boxes = elm.boxes;
	mutex_unlock(&elm.lock);
	msleep(WALK_MS);
	mutex_lock(&cedar.lock);
	cedar.boxes -= boxes;
	mutex_unlock(&cedar.lock);
	return 0;
}

/* NEXT */
static noinline int move_elm(void)
{
	mutex_lock(&oak.lock);
	msleep(WALK_MS);
	if (mutex_trylock(&elm.lock)) {
		carry(&oak, &elm);
		mutex_unlock(&elm.lock);
	}
	mutex_unlock(&oak.lock);
	return 0;
}

/* NEXT */
static noinline int move_fir(void)
{
	mutex_lock(&fir.lock); /* FAULT */
	msleep(WALK_MS);
	mutex_lock(&cedar.lock); /* FAULT */
	carry(&fir, &cedar);
	mutex_unlock(&cedar.lock);
	mutex_unlock(&fir.lock);
	return 0;
}

/* NEXT */
static noinline int move_oak(void)
{
	mutex_lock(&ash.lock);
	mutex_lock(&cedar.lock);
	msleep(WALK_MS);
	mutex_lock(&fir.lock);
	carry(&cedar, &fir);
	mutex_unlock(&fir.lock);
	mutex_unlock(&cedar.lock);
	mutex_unlock(&ash.lock);
	return 0;
}

/* END SHUFFLE */
static struct worker workers[] = {
	/* SHUFFLE LINES */
	{ .name = "ada", .work = move_ash },
	{ .name = "bob", .work = move_birch },
	{ .name = "cid", .work = move_cedar },
	{ .name = "dan", .work = move_elm },
	{ .name = "eve", .work = move_fir },
	{ .name = "flo", .work = move_oak },
	/* END SHUFFLE */
};
MODULE_WITH_WORKERS(workers);
