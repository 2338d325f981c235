/*
 * Locks on files. See locks.h.
 *
 * An inode has its own locks: a context, which the first lock makes and which lives as long as the
 * inode. In it each owner has two trees, one for ranges that it reads and one for ranges that it
 * writes. The ranges of one owner never overlap, so a tree in the order of their starts answers
 * "the first range from here on" in a logarithm of their number.
 *
 * What one user may cost another: nothing limits how many locks a process has (RLIMIT_LOCKS has no
 * effect, as on Linux), and a file that all may read, all may lock. So the context has a mutex and
 * no spinlock: however many locks there are, preemption and interrupts stay on. A call on another
 * file does not meet them at all. The time of a call on the same file grows with the number of
 * owners (open files or processes, which have limits), not with the number of ranges. A call that
 * removes ranges also takes time for each of them. Waiters are tasks, which have a limit, too. The
 * end of a lock wakes its waiters one at a time, without a common spinlock. An owner counts its
 * ranges, for the OOM killer: file_memory().
 */
#include "fs/locks/locks.h"

#include "fs/file/file.h"
#include "kernel/init.h"
#include "kernel/lib/hash.h"
#include "kernel/lib/rbtree.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/wait.h"

/* Legend: [M] lock_context.mutex; [B] blocked_mutex, which comes after it. */

struct lock_context {
	struct mutex mutex;
	struct list_head owners[2]; /* [M] of lock_owner.list; [1]: of flock(2) */
	struct list_head waiters;   /* [M] of lock_waiter.list */
};

/* An owner that has a lock on the file. The list has them in the order of their first locks. */
struct lock_owner {
	struct list_head list;    /* [M] */
	void *owner;              /* [C] */
	int pid;                  /* [C] */
	atomic_t *count;          /* [C] the owner's ranges on all files */
	struct rb_root ranges[2]; /* [M] F_RDLCK, F_WRLCK: of file_lock.node */
};

struct file_lock {
	struct rb_node node;
	loff_t start, end; /* [M] the first and the last byte */
};
BUILD_BUG_ON(sizeof(struct file_lock) > FILE_LOCK_COST);

/* A task that sleeps in locks_set(). On its stack. */
struct lock_waiter {
	struct list_head list; /* [M] */
	const struct lock_request *want;
	void *blocker;            /* [M and B to write, one to read] the owner for which it waits */
	struct list_head blocked; /* [B] in blocked_hash, while it waits for blocker */
	wait_queue_head_t queue;  /* this task only */
};

/* What locks_set() may need, allocated before it takes the mutex. */
struct lock_memory {
	struct file_lock *new, *rest;
	struct lock_owner *owner;
};

/*
 * The processes that wait for others, on any file, by owner: to find a circle of them. A mutex,
 * because the chains are as long as users make them.
 */
#define BLOCKED_HASH_BITS 7
#define MAX_DEADLK_STEPS  10 /* Linux's: a longer circle is not found */
static DEFINE_MUTEX(blocked_mutex);
static struct list_head blocked_hash[1 << BLOCKED_HASH_BITS]; /* [B] */

/* ---- ranges of one owner ---- */

static struct file_lock *to_lock(struct rb_node *node)
{
	return node ? rb_entry(node, struct file_lock, node) : NULL;
}

/* The first range that ends at `from` or later; NULL: none. */
static struct file_lock *first_from(const struct rb_root *root, loff_t from)
{
	struct rb_node *node = root->rb_node;
	struct file_lock *found = NULL;

	while (node) {
		struct file_lock *lock = to_lock(node);

		if (lock->end >= from) {
			found = lock;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

static struct file_lock *first_overlap(const struct rb_root *root, loff_t start, loff_t end)
{
	struct file_lock *lock = first_from(root, start);

	return lock && lock->start <= end ? lock : NULL;
}

static void insert(struct lock_owner *o, short type, struct file_lock *lock, loff_t start,
		   loff_t end)
{
	struct rb_root *root = &o->ranges[type];
	struct rb_node **link = &root->rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = start < to_lock(parent)->start ? &parent->rb_left : &parent->rb_right;
	}
	lock->start = start;
	lock->end = end;
	rb_link_node(&lock->node, parent, link);
	rb_insert_color(&lock->node, root);
	atomic_inc(o->count);
}

static void remove(struct lock_owner *o, short type, struct file_lock *lock)
{
	rb_erase(&lock->node, &o->ranges[type]);
	atomic_dec(o->count);
	kfree(lock);
}

/* Removes [start, end] from the ranges. Uses *rest if a range falls into two. True: had some. */
static bool cut_out(struct lock_owner *o, short type, loff_t start, loff_t end,
		    struct file_lock **rest)
{
	struct file_lock *lock;
	bool any = false;

	while ((lock = first_overlap(&o->ranges[type], start, end))) {
		any = true;
		if (lock->start < start && lock->end > end) {
			insert(o, type, *rest, end + 1, lock->end);
			*rest = NULL;
			lock->end = start - 1;
		} else if (lock->start < start) {
			lock->end = start - 1;
		} else if (lock->end > end) {
			lock->start = end + 1;
		} else {
			remove(o, type, lock);
		}
	}
	return any;
}

/* Adds [start, end], joined with the ranges that it overlaps or touches. */
static void join(struct lock_owner *o, short type, loff_t start, loff_t end, struct file_lock **new)
{
	loff_t before = start ? start - 1 : 0, behind = end == OFFSET_MAX ? end : end + 1;
	struct file_lock *lock;

	while ((lock = first_overlap(&o->ranges[type], before, behind))) {
		start = min(start, lock->start);
		end = max(end, lock->end);
		remove(o, type, lock);
	}
	insert(o, type, *new, start, end);
	*new = NULL;
}

/* ---- owners of a file ---- */

static struct lock_context *get_context(struct inode *inode)
{
	struct lock_context *ctx = smp_load_acquire(&inode->i_flctx), *new, *old;

	if (ctx)
		return ctx;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return NULL;
	mutex_init(&new->mutex);
	INIT_LIST_HEAD(&new->owners[0]);
	INIT_LIST_HEAD(&new->owners[1]);
	INIT_LIST_HEAD(&new->waiters);
	old = cmpxchg(&inode->i_flctx, NULL, new);
	if (old)
		kfree(new);
	return old ? old : new;
}

static struct lock_owner *find_owner(struct lock_context *ctx, bool flock, const void *owner)
{
	struct lock_owner *o;

	list_for_each_entry (o, &ctx->owners[flock], list)
		if (o->owner == owner)
			return o;
	return NULL;
}

static bool has_no_lock(const struct lock_owner *o)
{
	return RB_EMPTY_ROOT(&o->ranges[F_RDLCK]) && RB_EMPTY_ROOT(&o->ranges[F_WRLCK]);
}

/* The first lock of o that is in the way of want; its type. NULL: none. */
static struct file_lock *conflict_with(const struct lock_owner *o, const struct lock_request *want,
				       short *type)
{
	struct file_lock *read = NULL, *write;

	write = first_overlap(&o->ranges[F_WRLCK], want->start, want->end);
	if (want->type == F_WRLCK)
		read = first_overlap(&o->ranges[F_RDLCK], want->start, want->end);
	*type = write && (!read || write->start < read->start) ? F_WRLCK : F_RDLCK;
	return *type == F_WRLCK ? write : read;
}

/* The owner of the first lock in the way of want, *lock, of the type *type; or NULL. */
static struct lock_owner *find_conflict(struct lock_context *ctx, const struct lock_request *want,
					struct file_lock **lock, short *type)
{
	struct lock_owner *o;

	list_for_each_entry (o, &ctx->owners[want->flock], list)
		if (o->owner != want->owner && (*lock = conflict_with(o, want, type)))
			return o;
	return NULL;
}

bool locks_find_conflict(struct lock_request *want)
{
	struct lock_context *ctx = smp_load_acquire(&want->inode->i_flctx);
	struct lock_owner *o;
	struct file_lock *lock;
	short type;

	if (!ctx)
		return false;
	mutex_lock(&ctx->mutex);
	o = find_conflict(ctx, want, &lock, &type);
	if (o) {
		want->type = type;
		want->pid = o->pid;
		want->start = lock->start;
		want->end = lock->end;
	}
	mutex_unlock(&ctx->mutex);
	return o;
}

/* ---- waiting ---- */

static struct list_head *blocked_bucket(const void *owner)
{
	return &blocked_hash[hash_ptr(owner, BLOCKED_HASH_BITS)];
}

/* The owner for which a task of owner waits. NULL: none waits. blocked_mutex is held. */
static void *blocker_of(const void *owner)
{
	struct lock_waiter *waiter;

	list_for_each_entry (waiter, blocked_bucket(owner), blocked)
		if (waiter->want->owner == owner)
			return waiter->blocker;
	return NULL;
}

/* Would owner wait for itself if it waited for blocker? blocked_mutex is held. */
static bool is_deadlock(const void *owner, const void *blocker)
{
	for (unsigned i = 0; i <= MAX_DEADLK_STEPS; i++) {
		blocker = blocker_of(blocker);
		if (!blocker)
			return false;
		if (blocker == owner)
			return true;
	}
	return false;
}

/*
 * Notes the owner for which the waiter waits: 0 or -EDEADLK. Two tasks that close a circle at the
 * same time must see each other, so question and note are one section. Asked for processes only, as
 * on Linux: several tasks may use an open file, and one of them may unlock what another one waits
 * for.
 */
static long block(struct lock_waiter *waiter, void *blocker)
{
	long err = 0;

	mutex_lock(&blocked_mutex);
	waiter->blocker = blocker;
	if (waiter->want->pid > 0) {
		if (is_deadlock(waiter->want->owner, blocker))
			err = -EDEADLK;
		else
			list_add(&waiter->blocked, blocked_bucket(waiter->want->owner));
	}
	mutex_unlock(&blocked_mutex);
	return err;
}

/* The waiter waits for nobody now. The context's mutex is held. */
static void unblock(struct lock_waiter *waiter)
{
	if (!waiter->blocker)
		return;
	mutex_lock(&blocked_mutex);
	list_del_init(&waiter->blocked);
	waiter->blocker = NULL;
	mutex_unlock(&blocked_mutex);
}

/* Wakes the tasks that wait for this owner: it has given up locks. The context's mutex is held. */
static void wake_waiters(struct lock_context *ctx, const void *owner)
{
	struct lock_waiter *waiter;

	list_for_each_entry (waiter, &ctx->waiters, list) {
		if (waiter->blocker != owner)
			continue;
		unblock(waiter);
		wake_up(&waiter->queue);
	}
}

/* Sleeps until the blocker gives up a lock. Releases the mutex while it sleeps. 0 or an errno. */
static long wait_for(struct lock_context *ctx, struct lock_waiter *waiter, void *blocker)
{
	DEFINE_WAIT(wait);
	long err = block(waiter, blocker);

	if (err)
		return err;
	list_add_tail(&waiter->list, &ctx->waiters);
	prepare_to_wait(&waiter->queue, &wait, TASK_INTERRUPTIBLE);
	mutex_unlock(&ctx->mutex);
	if (signal_pending(current))
		err = interrupted_error();
	else
		schedule();
	finish_wait(&waiter->queue, &wait);
	mutex_lock(&ctx->mutex);
	list_del(&waiter->list);
	unblock(waiter);
	return err;
}

/* Returns 0 when nothing is in the way of want, or a negative errno. */
static long wait_until_free(struct lock_context *ctx, const struct lock_request *want, bool wait)
{
	struct lock_waiter waiter = { .want = want };
	struct lock_owner *blocker;
	struct file_lock *lock;
	short type;
	long err = 0;

	INIT_LIST_HEAD(&waiter.blocked);
	init_waitqueue_head(&waiter.queue);
	while (!err && (blocker = find_conflict(ctx, want, &lock, &type)))
		err = wait ? wait_for(ctx, &waiter, blocker->owner) : -EAGAIN;
	return err;
}

/* ---- setting ---- */

static void free_memory(const struct lock_memory *memory)
{
	kfree(memory->new);
	kfree(memory->rest);
	kfree(memory->owner);
}

static bool get_memory(struct lock_memory *memory, const struct lock_request *want)
{
	bool sets = want->type != F_UNLCK;

	memory->rest = kmalloc(sizeof(*memory->rest), GFP_KERNEL);
	memory->new = sets ? kmalloc(sizeof(*memory->new), GFP_KERNEL) : NULL;
	memory->owner = sets ? kzalloc(sizeof(*memory->owner), GFP_KERNEL) : NULL;
	if (memory->rest && (!sets || (memory->new && memory->owner)))
		return true;
	free_memory(memory);
	return false;
}

/*
 * The counter of the ranges that the owner has, in it. It lives as long as it has locks: it removes
 * them before it is freed.
 */
static atomic_t *range_count(const struct lock_request *want)
{
	return want->pid > 0 ? &((struct files_struct *)want->owner)->nr_locks
			     : &((struct file *)want->owner)->f_nr_locks;
}

/* The owner's entry in the context; a new one for its first lock, NULL if it only removes. */
static struct lock_owner *get_owner(struct lock_context *ctx, const struct lock_request *want,
				    struct lock_memory *memory)
{
	struct lock_owner *o = find_owner(ctx, want->flock, want->owner);

	if (o || want->type == F_UNLCK)
		return o;
	o = memory->owner;
	memory->owner = NULL;
	o->owner = want->owner;
	o->pid = want->pid;
	o->count = range_count(want);
	list_add_tail(&o->list, &ctx->owners[want->flock]);
	return o;
}

/* Nothing is in the way. The context's mutex is held. */
static void set_range(struct lock_context *ctx, const struct lock_request *want,
		      struct lock_memory *memory)
{
	struct lock_owner *o = get_owner(ctx, want, memory);
	bool gives_up = false;

	if (!o)
		return;
	/* For others, a lock to read is less than one to write. */
	if (want->type != F_WRLCK)
		gives_up = cut_out(o, F_WRLCK, want->start, want->end, &memory->rest);
	if (want->type != F_RDLCK)
		gives_up |= cut_out(o, F_RDLCK, want->start, want->end, &memory->rest);
	if (want->type != F_UNLCK)
		join(o, want->type, want->start, want->end, &memory->new);
	if (gives_up && want->type != F_WRLCK)
		wake_waiters(ctx, want->owner);
	if (has_no_lock(o)) {
		list_del(&o->list);
		kfree(o);
	}
}

/* flock(2) converts in two steps: the old lock is gone even if the new one is refused. */
static void drop_flock(struct lock_context *ctx, const struct lock_request *want)
{
	struct lock_request none = *want;
	struct lock_memory memory = { .rest = NULL }; /* no whole file falls into two */
	struct lock_owner *o = find_owner(ctx, true, want->owner);

	if (!o || (want->type != F_UNLCK && !RB_EMPTY_ROOT(&o->ranges[want->type])))
		return;
	none.type = F_UNLCK;
	set_range(ctx, &none, &memory);
}

long locks_set(const struct lock_request *want, bool wait)
{
	struct lock_context *ctx = want->type == F_UNLCK ? smp_load_acquire(&want->inode->i_flctx)
							 : get_context(want->inode);
	struct lock_memory memory;
	long err = 0;

	if (!ctx)
		return want->type == F_UNLCK ? 0 : -ENOLCK;
	if (!get_memory(&memory, want))
		return -ENOLCK;
	mutex_lock(&ctx->mutex);
	if (want->flock)
		drop_flock(ctx, want);
	if (want->type != F_UNLCK)
		err = wait_until_free(ctx, want, wait);
	if (!err)
		set_range(ctx, want, &memory);
	mutex_unlock(&ctx->mutex);
	free_memory(&memory);
	return err;
}

/* ---- removal ---- */

/* Frees what nobody else sees any more: without the mutex, because there may be much. */
static void free_owner(struct lock_owner *o)
{
	for (short type = F_RDLCK; type <= F_WRLCK; type++)
		while (o->ranges[type].rb_node)
			remove(o, type, to_lock(o->ranges[type].rb_node));
	kfree(o);
}

static void remove_locks_of(struct lock_context *ctx, bool flock, void *owner)
{
	struct lock_owner *o;

	if (list_empty(&ctx->owners[flock]))
		return;
	mutex_lock(&ctx->mutex);
	o = find_owner(ctx, flock, owner);
	if (o) {
		list_del(&o->list);
		wake_waiters(ctx, owner);
	}
	mutex_unlock(&ctx->mutex);
	if (o)
		free_owner(o);
}

void __locks_remove_posix(struct file *file, void *owner)
{
	/* With O_PATH, only the name was open, and not the file. */
	if (file->f_mode & FMODE_PATH)
		return;
	remove_locks_of(READ_ONCE(file->f_inode->i_flctx), false, owner);
}

void __locks_remove_file(struct file *file)
{
	struct lock_context *ctx = READ_ONCE(file->f_inode->i_flctx);

	remove_locks_of(ctx, false, file);
	remove_locks_of(ctx, true, file);
}

static int locks_init(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(blocked_hash); i++)
		INIT_LIST_HEAD(&blocked_hash[i]);
	vfs_hooks.fcntl_lock = __fcntl_lock;
	vfs_hooks.locks_remove_posix = __locks_remove_posix;
	vfs_hooks.locks_remove_file = __locks_remove_file;
	return 0;
}
core_initcall(locks_init);
