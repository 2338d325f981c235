/*
 * The checks of a DEBUG build at each allocation and free of a slab object.
 *
 * A freed object is filled with poison, and is not reused at once: it waits in the quarantine of
 * its cache until some other objects were freed. So an old pointer meets poison, and not the next
 * owner's data. What is written there is found when the object leaves the quarantine.
 *
 *	kmalloc -> used -> kfree -> quarantine -> freelist -> kmalloc
 *	              guard, rest       poison            poison
 */
#include "kernel/mm/slab_internal.h"

#include "arch/unwind/stacktrace.h"
#include "kernel/atomic.h"
#include "kernel/current.h"
#include "kernel/lib/string.h"
#include "kernel/printk/printk.h"

#define SLAB_GUARD  0xbbbbbbbbbbbbbbbbULL
#define SLAB_FREE   0x66726565U
#define SLAB_USED   0x75736564U
#define POISON_USED 0x5a /* fills a new object */
#define SLAB_PAD    0xcc /* fills the rest of an object that is larger than the request */

void (*slab_report_hook)(pid_t pid);

static void note_user(struct slab_user *who, const void *user)
{
	unsigned long entries[16];
	unsigned n = stack_trace_save(entries, ARRAY_SIZE(entries), 1), first = 0;

	while (first < n && entries[first] != (unsigned long)user)
		first++;
	if (first == n) {
		entries[0] = (unsigned long)user;
		first = 0;
		n = 1;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(who->stack); i++)
		who->stack[i] = first + i < n ? entries[first + i] : 0;
	who->pid = current_pid();
}

static void show_user(const char *what, const struct slab_user *who)
{
	pr_err("%s by task %d:\n", what, who->pid);
	for (unsigned i = 0; i < ARRAY_SIZE(who->stack) && who->stack[i]; i++)
		pr_err(" %pS\n", (void *)who->stack[i]);
}

/* bad: the first byte that is wrong, or NULL. */
static void report(const struct kmem_cache *cache, const void *object, const char *what,
		   const void *bad)
{
	const struct slab_track *track = slab_track(cache, object);
	pid_t pid = track->state == SLAB_USED ? track->allocated.pid : track->freed.pid;

	pr_err("BUG %s: %s: object %px (size %u)\n", cache->name, what, object, track->size);
	if (bad)
		pr_err("The first wrong byte is at +%ld: 0x%02x\n",
		       (long)((const char *)bad - (const char *)object), *(const u8 *)bad);
	show_user("Allocated", &track->allocated);
	if (track->state != SLAB_USED)
		show_user("Freed", &track->freed);
	dump_stack();
	if (!slab_report_hook)
		return;
	slab_report_hook(pid);
	if (current_pid() != pid)
		slab_report_hook(current_pid());
}

void slab_debug_init(const struct kmem_cache *cache, void *object)
{
	struct slab_track *track = slab_track(cache, object);

	memset(object, POISON_FREE, ALIGN(cache->object_size, 8));
	*track = (struct slab_track){ .guard = SLAB_GUARD, .state = SLAB_FREE };
}

/* The first byte of a free object that is not as it was left, or NULL. */
static const void *find_write(const struct kmem_cache *cache, const void *object)
{
	const struct slab_track *track = slab_track(cache, object);
	const void *bad = memchr_inv(object, POISON_FREE, ALIGN(cache->object_size, 8));

	if (bad)
		return bad;
	if (track->guard != SLAB_GUARD)
		return &track->guard;
	return track->state != SLAB_FREE ? &track->state : NULL;
}

void slab_debug_alloc(const struct kmem_cache *cache, void *object, size_t size, const void *user)
{
	struct slab_track *track = slab_track(cache, object);
	size_t bytes = ALIGN(cache->object_size, 8);
	const void *bad;

	if (!object)
		return;
	bad = find_write(cache, object);
	if (bad)
		report(cache, object, "modified after free", bad);
	memset(object, POISON_USED, size);
	memset((char *)object + size, SLAB_PAD, bytes - size);
	*track = (struct slab_track){ .guard = SLAB_GUARD, .size = (u32)size, .state = SLAB_USED };
	note_user(&track->allocated, user);
}

/* The places of the quarantine that are used: at least four, and at most 64 KiB of objects. */
static unsigned quarantine_size(const struct kmem_cache *cache)
{
	return min(max(65536U / cache->size, 4U), (unsigned)ARRAY_SIZE(cache->quarantine));
}

unsigned slab_debug_quarantined(const struct kmem_cache *cache)
{
	unsigned count = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(cache->quarantine); i++)
		count += READ_ONCE(cache->quarantine[i]) != NULL;
	return count;
}

/*
 * Puts a freed object into the quarantine, and returns the one that was there longest. NULL: none
 * was, or it was modified meanwhile. Then it is safer not to use it again.
 */
static void *quarantine(struct kmem_cache *cache, void *object)
{
	unsigned place = (unsigned)atomic_inc_return(&cache->quarantined) % quarantine_size(cache);
	const void *bad;

	object = xchg(&cache->quarantine[place], object);
	bad = object ? find_write(cache, object) : NULL;
	if (!bad)
		return object;
	report(cache, object, "modified after free", bad);
	return NULL;
}

void slab_debug_flush(struct kmem_cache *cache)
{
	for (unsigned i = 0; i < quarantine_size(cache); i++) {
		void *object = quarantine(cache, NULL);

		if (object)
			slab_free_object(cache->id, object);
	}
}

bool slab_debug_free(struct kmem_cache *cache, void **freed, const void *user)
{
	void *object = *freed;
	const struct page *page = virt_to_page(object);
	const struct page *slab =
		mem_map + ALIGN_DOWN((unsigned long)(page - mem_map), BIT(cache->order));
	struct slab_track *track = slab_track(cache, object);
	size_t bytes = ALIGN(cache->object_size, 8), offset;
	const void *bad;

	if (page->slab != cache->id) {
		pr_err("BUG %s: freed into the wrong cache: object %px is of %s\n", cache->name,
		       object, page->slab ? slab_cache(page->slab)->name : "none");
		dump_stack();
		return false;
	}
	offset = (size_t)((char *)object - (char *)page_address(slab));
	if (offset % cache->size || offset / cache->size >= cache->objects) {
		pr_err("BUG %s: free of %px, which is no object's start\n", cache->name, object);
		dump_stack();
		return false;
	}
	if (track->state == SLAB_FREE) {
		report(cache, object, "double free", NULL);
		return false;
	}
	bad = memchr_inv((char *)object + track->size, SLAB_PAD, bytes - track->size);
	if (!bad && track->guard != SLAB_GUARD)
		bad = &track->guard;
	if (bad || track->state != SLAB_USED) {
		report(cache, object, "written beyond its end", bad);
		return false; /* its neighbour may be damaged, too: it is safer not to use the
				 object again */
	}
	memset(object, POISON_FREE, bytes);
	track->state = SLAB_FREE;
	note_user(&track->freed, user);
	*freed = quarantine(cache, object);
	return *freed != NULL;
}

size_t slab_debug_size(const struct kmem_cache *cache, const void *object)
{
	return slab_track(cache, object)->size;
}
