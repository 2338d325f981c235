/* The objects that are allocated: trace/kmemleak/kmemleak.h. */
#include "trace/kmemleak/kmemleak.h"

#include "arch/unwind/stacktrace.h"
#include "kernel/bug.h"
#include "kernel/lib/string.h"
#include "kernel/mm/kmem_events.h"
#include "kernel/time/ktime.h"

DEFINE_SPINLOCK(kmemleak_lock);

static struct rb_root objects; /* [kmemleak_lock] */
static LIST_HEAD(pool);        /* [kmemleak_lock] unused ones */
static LIST_HEAD(pool_pages);  /* [kmemleak_lock] the pages in which all of them are */

struct pool_page {
	struct list_head list;
	struct kmemleak_object objects[];
};
#define OBJECTS_PER_PAGE ((PAGE_SIZE - sizeof(struct pool_page)) / sizeof(struct kmemleak_object))

struct kmemleak_object *kmemleak_find(unsigned long addr)
{
	struct rb_node *node = objects.rb_node;
	struct kmemleak_object *found = NULL;

	lockdep_assert_held(&kmemleak_lock);
	while (node) {
		struct kmemleak_object *object = rb_entry(node, struct kmemleak_object, node);

		if (object->start + object->size > addr) {
			found = object;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/* kmemleak_lock held. */
static void insert(struct kmemleak_object *object)
{
	struct rb_node **link = &objects.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		if (object->start < rb_entry(parent, struct kmemleak_object, node)->start)
			link = &parent->rb_left;
		else
			link = &parent->rb_right;
	}
	rb_link_node(&object->node, parent, link);
	rb_insert_color(&object->node, &objects);
}

/* Removes an object from the tree, and from the scan that has reached it. kmemleak_lock held. */
static void discard(struct kmemleak_object *object)
{
	rb_erase(&object->node, &objects);
	list_del(&object->gray);
	list_add(&object->gray, &pool);
}

/*
 * An unused object. NULL: memory is short. Then the new slab object is not tracked, and counts as a
 * root. The pages are not from a slab, so nothing here is tracked itself.
 */
static struct kmemleak_object *take(void)
{
	struct kmemleak_object *object = NULL;
	struct pool_page *page = NULL;
	unsigned long flags;

	spin_lock_irqsave(&kmemleak_lock, flags);
	while (list_empty(&pool)) {
		spin_unlock_irqrestore(&kmemleak_lock, flags);
		page = get_free_pages(GFP_NOWAIT | __GFP_NOWARN, 0);
		if (!page)
			return NULL;
		spin_lock_irqsave(&kmemleak_lock, flags);
		list_add(&page->list, &pool_pages);
		for (unsigned i = 0; i < OBJECTS_PER_PAGE; i++)
			list_add(&page->objects[i].gray, &pool);
	}
	object = list_first_entry(&pool, struct kmemleak_object, gray);
	list_del_init(&object->gray);
	spin_unlock_irqrestore(&kmemleak_lock, flags);
	return object;
}

static noinline void allocated(const void *ptr, size_t size)
{
	struct kmemleak_object *object = ptr ? take() : NULL, *old;
	unsigned long flags;

	if (!object)
		return;
	object->start = (unsigned long)ptr;
	object->size = (u32)size;
	object->pid = current->pid;
	memcpy(object->comm, current->comm, sizeof(object->comm));
	object->time = ktime_get();
	object->reached = 0;
	object->free = object->leak = object->cleared = false;
	/* Begins with the function that the owner has called. */
	object->depth = (u8)stack_trace_save(object->stack, KMEMLEAK_STACK, 4);
	spin_lock_irqsave(&kmemleak_lock, flags);
	/* Slots that were free. Their slab may have become one of another size. */
	while ((old = kmemleak_find(object->start)) && old->start < object->start + size)
		discard(old);
	insert(object);
	spin_unlock_irqrestore(&kmemleak_lock, flags);
}

/* Keeps the place of a freed object, so that the old pointers in it keep nothing alive. */
static void freed(const void *ptr)
{
	struct kmemleak_object *object;
	unsigned long flags;

	if (!ptr)
		return;
	spin_lock_irqsave(&kmemleak_lock, flags);
	object = kmemleak_find((unsigned long)ptr);
	if (object && object->start == (unsigned long)ptr) {
		object->free = true;
		object->leak = false;
		list_del_init(&object->gray);
	}
	spin_unlock_irqrestore(&kmemleak_lock, flags);
}

static void probe_kmalloc(void *data __unused, unsigned long call_site __unused, const void *ptr,
			  size_t bytes_req, size_t bytes_alloc __unused, gfp_t gfp __unused)
{
	allocated(ptr, bytes_req);
}

static void probe_cache_alloc(void *data __unused, unsigned long call_site __unused,
			      const void *ptr, const char *name __unused, size_t bytes_req,
			      size_t bytes_alloc __unused, gfp_t gfp __unused)
{
	allocated(ptr, bytes_req);
}

static void probe_kfree(void *data __unused, unsigned long call_site __unused, const void *ptr)
{
	freed(ptr);
}

static void probe_cache_free(void *data __unused, unsigned long call_site __unused, const void *ptr,
			     const char *name __unused)
{
	freed(ptr);
}

void kmemleak_untrack(void)
{
	(void)unregister_trace_kmalloc(probe_kmalloc, NULL);
	(void)unregister_trace_kmem_cache_alloc(probe_cache_alloc, NULL);
	(void)unregister_trace_kfree(probe_kfree, NULL);
	(void)unregister_trace_kmem_cache_free(probe_cache_free, NULL);
}

/* Frees first: an object whose free is missed would stay in the tree. */
int kmemleak_track(void)
{
	int err = register_trace_kfree(probe_kfree, NULL);

	if (!err)
		err = register_trace_kmem_cache_free(probe_cache_free, NULL);
	if (!err)
		err = register_trace_kmalloc(probe_kmalloc, NULL);
	if (!err)
		err = register_trace_kmem_cache_alloc(probe_cache_alloc, NULL);
	if (err)
		kmemleak_untrack();
	return err;
}

void kmemleak_forget(void)
{
	struct pool_page *page, *next;
	unsigned long flags;
	LIST_HEAD(pages);

	spin_lock_irqsave(&kmemleak_lock, flags);
	objects = RB_ROOT;
	INIT_LIST_HEAD(&pool);
	list_splice_tail_init(&pool_pages, &pages);
	spin_unlock_irqrestore(&kmemleak_lock, flags);
	list_for_each_entry_safe (page, next, &pages, list)
		free_pages_addr(page, 0);
}
