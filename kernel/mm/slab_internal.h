/* Definitions for slab.c, and for its checks in slab_debug.c. */
#pragma once

#include "arch/unwind/stacktrace.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/internal.h"
#include "kernel/mm/slab.h"

#define SLAB_MAX_CACHES 128

/* Legend: [C] constant, [L] lock. */
struct kmem_cache {
	u32 object_size;          /* [C] bytes for the user */
	u32 slot_size;            /* [C] distance from one object to the next, in bytes */
	u32 objects;              /* [C] in a slab */
	u32 batch;                /* [C] objects that move at once between a CPU and the slabs */
	u16 id;                   /* [C] its number: SLAB_ID_STEP times its index in slab_caches */
	u8 order;                 /* [C] of a slab */
	char name[24];            /* [C] */
	spinlock_t lock;          /* L; interrupts off */
	struct list_head partial; /* [L] slabs with a free object; empty slabs at the end */
	u32 empty_slabs;          /* [L] of the partial slabs */
	u64 slabs;                /* [L] all */
	u64 taken;                /* [L] objects that CPUs or users have */
};

extern struct kmem_cache
	*slab_caches[SLAB_MAX_CACHES]; /* [slab_caches_lock] to write; index 0 is unused */

static __always_inline struct kmem_cache *slab_cache(unsigned long id)
{
	return slab_caches[id / SLAB_ID_STEP];
}

#ifdef CONFIG_DEBUG
/* Follows each object. The size of an object is rounded up to 8. */
struct slab_track {
	u64 guard;  /* another value than SLAB_GUARD: code has written beyond the object */
	void *next; /* free: the next object of its list; the object itself is filled with poison */
	u32 size;   /* of the request; the rest of the object is filled with SLAB_PAD */
	u32 state;  /* SLAB_FREE or SLAB_USED */
	const void *user; /* the last caller that allocated or freed the object */
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

/* Prepares an object of a new slab. */
void slab_debug_init(const struct kmem_cache *cache, void *object);
/*
 * Checks that a free object is unmodified, and prepares it for a request of size bytes. NULL is
 * fine.
 */
void slab_debug_alloc(const struct kmem_cache *cache, void *object, size_t size, const void *user);
/* Checks an object that is freed, and reports errors. True: it may go on a freelist. */
bool slab_debug_free(const struct kmem_cache *cache, void *object, const void *user);
size_t slab_debug_size(const struct kmem_cache *cache, const void *object);
/* The caller of the function that uses this macro. */
#define SLAB_USER _RET_IP_
#else
#define SLAB_DEBUG_BYTES 0
#define SLAB_USER        NULL

/* The first word of a free object is the link of its list. */
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
