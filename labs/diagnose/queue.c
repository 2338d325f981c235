/*
 * The mailroom: each of six readers takes letters from a lane of its own. When a lane is empty, the
 * reader orders a letter, and a clerk (a kworker) posts it.
 */
#include "kernel/workqueue/workqueue.h"
#include "workers.h"

#define PATIENCE_NS 400000000UL /* a reader that nobody wakes looks by itself */

struct lane {
	wait_queue_head_t readers;
	struct work_struct order;
	atomic_t letters;
};

static void post_letter(struct work_struct *order);

#define LANE(name)                                                                                 \
	static struct lane name = {                                                                \
		.readers = __WAIT_QUEUE_HEAD_INITIALIZER(name.readers),                            \
		.order = __WORK_INITIALIZER(name.order, post_letter),                              \
	}
/* SHUFFLE LINES */
LANE(ash);
LANE(birch);
LANE(cedar);
LANE(elm);
LANE(fir);
LANE(oak);
/* END SHUFFLE */

/* The clerk. */
static noinline void post_letter(struct work_struct *order)
{
	struct lane *lane = container_of(order, struct lane, order);

	atomic_inc(&lane->letters);
	wake_up(&lane->readers);
}

/* Returns when the clerk has carried out the order. */
static noinline void order_letter(struct lane *lane)
{
	schedule_work(&lane->order);
	flush_work(&lane->order);
}

/* SHUFFLE */
static noinline int take_ash(void)
{
	schedule_work(&ash.order);
	wait_event(ash.readers, atomic_read(&ash.letters));
	atomic_dec(&ash.letters);
	return 0;
}

/* NEXT */
static noinline int take_birch(void)
{
	DEFINE_WAIT(wait);

	if (!atomic_read(&birch.letters)) {
		order_letter(&birch);
		prepare_to_wait(&birch.readers, &wait, TASK_UNINTERRUPTIBLE); /* FAULT */
		schedule_timeout(PATIENCE_NS); /* FAULT */
		finish_wait(&birch.readers, &wait);
	}
	atomic_dec(&birch.letters);
	return 0;
}

/* NEXT */
static noinline int take_cedar(void)
{
	DEFINE_WAIT(wait);

	if (!atomic_read(&cedar.letters)) {
		order_letter(&cedar);
		prepare_to_wait(&cedar.readers, &wait, TASK_UNINTERRUPTIBLE);
		if (!atomic_read(&cedar.letters))
			schedule_timeout(PATIENCE_NS);
		finish_wait(&cedar.readers, &wait);
	}
	atomic_dec(&cedar.letters);
	return 0;
}

/* NEXT */
static noinline int take_elm(void)
{
	while (!atomic_read(&elm.letters))
		order_letter(&elm);
	atomic_dec(&elm.letters);
	return 0;
}

/* NEXT */
static noinline int take_fir(void)
{
	DEFINE_WAIT(wait);

	/* Queued before the order: the post of the letter ends the sleep. */
	prepare_to_wait(&fir.readers, &wait, TASK_UNINTERRUPTIBLE);
	schedule_work(&fir.order);
	schedule_timeout(PATIENCE_NS);
	finish_wait(&fir.readers, &wait);
	atomic_dec(&fir.letters);
	return 0;
}

/* NEXT */
static noinline int take_oak(void)
{
	DEFINE_WAIT(wait);

	/* A pause: nothing is ordered yet. */
	prepare_to_wait(&oak.readers, &wait, TASK_UNINTERRUPTIBLE);
	schedule_timeout(PATIENCE_NS / 100);
	finish_wait(&oak.readers, &wait);
	order_letter(&oak);
	atomic_dec(&oak.letters);
	return 0;
}

/* END SHUFFLE */
static struct worker workers[] = {
	/* SHUFFLE LINES */
	{ .name = "ada", .work = take_ash },
	{ .name = "bob", .work = take_birch },
	{ .name = "cid", .work = take_cedar },
	{ .name = "dan", .work = take_elm },
	{ .name = "eve", .work = take_fir },
	{ .name = "flo", .work = take_oak },
	/* END SHUFFLE */
};
MODULE_WITH_WORKERS(workers);
