/*
 * epoll files that watch epoll files.
 *
 * A wake-up at a file is passed on upwards, along each path of watching epoll files, with
 * interrupts off. So there are no rings (ELOOP), chains are short (ELOOP), and from a file only so
 * many paths lead up (EINVAL). A program could make a million paths of a hundred descriptors
 * otherwise. The limits are those of Linux. A walk visits each epoll file once, so its cost has a
 * limit as well.
 */
#include "fs/fdevents/eventpoll_internal.h"

#include "kernel/sched/sched.h"

#define EPOLL_MAX_NESTS 4

DEFINE_MUTEX(epoll_files_mutex);
DEFINE_SPINLOCK(epoll_files_lock);
static u64 this_walk; /* counts the walks; epoll_files_mutex */

/* Begins a visit of ep. False: this walk was here already, so ep->depth is known. E held. */
static bool visit(struct eventpoll *ep)
{
	if (ep->walk == this_walk)
		return false;
	ep->walk = this_walk;
	ep->depth = 0;
	return true;
}

/*
 * How many epoll files stand below ep in the longest chain; more than EPOLL_MAX_NESTS if one of
 * them is `top`, or if there are so many. E held.
 */
static unsigned depth_below(struct eventpoll *ep, const struct eventpoll *top, unsigned above)
{
	struct rb_node *node;

	if (ep == top || above > EPOLL_MAX_NESTS)
		return EPOLL_MAX_NESTS + 1;
	if (!visit(ep))
		return ep->depth;
	mutex_lock(&ep->mutex);
	for (node = rb_first_cached(&ep->items); node && ep->depth <= EPOLL_MAX_NESTS;
	     node = rb_next(node)) {
		struct eventpoll *inner = file_eventpoll(item_of(node)->file);

		if (inner)
			ep->depth = max(ep->depth, 1 + depth_below(inner, top, above + 1));
	}
	mutex_unlock(&ep->mutex);
	cond_resched();
	return ep->depth;
}

/* How many epoll files stand above ep. E held. */
static unsigned depth_above(struct eventpoll *ep)
{
	const struct epitem *item;

	if (!visit(ep))
		return ep->depth;
	for (item = ep->file->f_ep; item; item = item->next_of_file)
		ep->depth = max(ep->depth, 1 + depth_above(item->ep));
	return ep->depth;
}

/* Whether ep may watch inner: it makes no ring and no long chain. E held. */
bool ep_may_nest(struct eventpoll *ep, struct eventpoll *inner)
{
	unsigned below;

	this_walk++;
	below = depth_below(inner, ep, 0);
	if (below >= EPOLL_MAX_NESTS)
		return false;
	this_walk++;
	return depth_above(ep) + 1 + below <= EPOLL_MAX_NESTS;
}

/* The number of paths that may lead up from a file, by the number of epoll files between. */
static const unsigned path_limits[EPOLL_MAX_NESTS + 1] = { 1000, 500, 100, 50, 10 };

/*
 * Counts the paths that lead up from a file that `items` watch. False: there are too many. Paths
 * without an epoll file in between have no limit here, as in Linux: there is one for each watch,
 * and max_user_watches limits those. The count stops as soon as it is too high. E and F held.
 */
static bool count_paths(const struct epitem *items, unsigned between, unsigned *counts)
{
	if (between > EPOLL_MAX_NESTS)
		return false;
	for (; items; items = items->next_of_file) {
		const struct epitem *above = items->ep->file->f_ep;

		if (above ? !count_paths(above, between + 1, counts)
			  : between && ++counts[between] > path_limits[between])
			return false;
	}
	return true;
}

/* Whether few enough paths lead up from the file. One count a walk is enough. E held. */
static bool may_have_paths(struct file *file)
{
	unsigned counts[EPOLL_MAX_NESTS + 1] = { 0 };
	bool may = true;

	spin_lock(&epoll_files_lock);
	if (file->f_ep && file->f_ep->counted != this_walk) {
		file->f_ep->counted = this_walk;
		may = count_paths(file->f_ep, 0, counts);
	}
	spin_unlock(&epoll_files_lock);
	return may;
}

/*
 * The same for all files below ep, which have got more paths. Their items keep them alive. E held.
 */
static bool may_have_paths_below(struct eventpoll *ep)
{
	struct rb_node *node;
	bool may = true;

	if (!visit(ep))
		return true;
	mutex_lock(&ep->mutex);
	for (node = rb_first_cached(&ep->items); node && may; node = rb_next(node)) {
		struct file *file = item_of(node)->file;
		struct eventpoll *inner = file_eventpoll(file);

		may = inner ? may_have_paths_below(inner) : may_have_paths(file);
		cond_resched();
	}
	mutex_unlock(&ep->mutex);
	return may;
}

/* ep has just begun to watch the file. E held. */
bool ep_few_paths(struct file *file)
{
	struct eventpoll *inner = file_eventpoll(file);

	this_walk++;
	return inner ? may_have_paths_below(inner) : may_have_paths(file);
}
