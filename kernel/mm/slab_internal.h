/* The inside of a slab cache, for slab.c and its checks in slab_debug.c. */
#pragma once

#include "arch/stacktrace.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/internal.h"

#define SLAB_MAX_CACHES 128

/* Legend: [C] constant, [L] lock. */
struct kmem_cache {
	u32 object_size; /* [C] bytes that are the user's */
	u32 slot_size;   /* [C] bytes from one object to the next */
	u32 objects;     /* [C] in a slab */
	u32 batch;       /* [C] objects that move at a time between a front and the slabs */
	u16 id;          /* [C] its number, SLAB_ID_STEP times its place in slab_caches */
	u8 order;        /* [C] of a slab */
	char name[24];   /* [C] */
	spinlock_t lock; /* L; interrupts off */
	struct list_head partial; /* [L] slabs with a free object, empty ones at the end */
	u32 empty_slabs;          /* [L] of those */
	u64 slabs;                /* [L] all */
	u64 taken;                /* [L] objects in fronts and with users */
};

extern struct kmem_cache *slab_caches[SLAB_MAX_CACHES]; /* [slab_caches_lock] to write; 0 is none */

/* Numbers go in steps of this, the size of a front: so they are offsets into the array of fronts.
 */
#define SLAB_ID_STEP 16

static __always_inline struct kmem_cache *slab_cache(unsigned id)
{
	return slab_caches[id / SLAB_ID_STEP];
}

#ifdef CONFIG_DEBUG
/* Behind each object, its size rounded up to 8. */
struct slab_track {
	u64 guard;        /* SLAB_GUARD, or the object has been overrun */
	void *next;       /* free: the link of the list it is in; the object itself is all poison */
	u32 size;         /* what was asked for: from there to the guard lies SLAB_PAD */
	u32 state;        /* SLAB_FREE or SLAB_USED */
	const void *user; /* who allocated or freed it last */
};
#define SLAB_DEBUG_BYTES sizeof(struct slab_track)

static inline struct slab_track *slab_track(const struct kmem_cache *cache, const void *object)
{
	return (struct slab_track *)((char *)object + ALIGN(cache->object_size, 8));
}

static inline void **slab_link(const struct kmem_cache *cache, void *object)
{
	return &slab_track(cache, object)->next;
}

/* An object of a new slab. */
void slab_debug_init(const struct kmem_cache *cache, void *object);
/* An object given out for size bytes: nobody wrote to it while it was free. NULL is fine. */
void slab_debug_alloc(const struct kmem_cache *cache, void *object, size_t size, const void *user);
/* An object that comes back: true if it may go on a freelist. Reports what is wrong. */
bool slab_debug_free(const struct kmem_cache *cache, void *object, const void *user);
size_t slab_debug_size(const struct kmem_cache *cache, const void *object);
/* Whom the function that this stands in works for. */
#define SLAB_USER _RET_IP_
#else
#define SLAB_DEBUG_BYTES 0
#define SLAB_USER        NULL

/* A free object's first word links it into the list that it is in. */
static __always_inline void **slab_link(const struct kmem_cache *cache __unused, void *object)
{
	return object;
}

static inline void slab_debug_init(const struct kmem_cache *cache __unused, void *object __unused)
{
}

static __always_inline void slab_debug_alloc(const struct kmem_cache *cache __unused,
					     void *object __unused, size_t size __unused,
					     const void *user __unused)
{
}

static __always_inline bool slab_debug_free(const struct kmem_cache *cache __unused,
					    void *object __unused, const void *user __unused)
{
	return true;
}

static inline size_t slab_debug_size(const struct kmem_cache *cache, const void *object __unused)
{
	return cache->object_size;
}
#endif
