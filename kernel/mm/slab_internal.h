/* What slab.c, kmalloc.c, slab_caches.c and slab_debug.c share. */
#pragma once

#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/internal.h"
#include "kernel/mm/slab.h"

#define SLAB_MAX_CACHES 128

/* Legend: [C] constant, [L] lock. */
struct kmem_cache {
	u32 object_size;          /* [C] bytes for the user */
	u32 size;                 /* [C] distance from one object to the next, in bytes */
	u32 objects;              /* [C] in a slab */
	u32 batch;                /* [C] objects that move at once between a CPU and the slabs */
	u16 id;                   /* [C] its number: SLAB_ID_STEP times its index in slab_caches */
	u8 order;                 /* [C] of a slab */
	const char *name;         /* [C] */
	spinlock_t lock;          /* L; interrupts off */
	struct list_head partial; /* [L] slabs with a free object; empty slabs at the end */
	u32 empty_slabs;          /* [L] of the partial slabs */
	u64 slabs;                /* [L] all */
	u64 taken;                /* [L] objects that CPUs or users have */
#ifdef CONFIG_DEBUG
	void *quarantine[32]; /* [A] objects that were freed last: not to be reused yet */
	atomic_t quarantined; /* [A] how many came: the next one takes the place of the oldest */
#endif
};

extern struct kmem_cache
	*slab_caches[SLAB_MAX_CACHES]; /* [slab_caches_lock] to write; index 0 is unused */

static __always_inline struct kmem_cache *slab_cache(unsigned long id)
{
	return slab_caches[id / SLAB_ID_STEP];
}

#ifdef CONFIG_DEBUG
/* Who did it. */
struct slab_user {
	unsigned long stack[6]; /* callers; 0 behind the last one */
	pid_t pid;
};

/* Follows each object. The size of an object is rounded up to 8. */
struct slab_track {
	u64 guard;  /* another value than SLAB_GUARD: code has written beyond the object */
	void *next; /* free: the next object of its list; the object itself is filled with poison */
	u32 size;   /* of the request; the rest of the object is filled with SLAB_PAD */
	u32 state;  /* SLAB_FREE or SLAB_USED */
	struct slab_user allocated, freed;
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
/*
 * Checks *object, which is freed, and reports errors. The object goes into the quarantine of its
 * cache. True: *object is now the one that has left the quarantine, and may go on a freelist.
 */
bool slab_debug_free(struct kmem_cache *cache, void **object, const void *user);
/* The objects in the quarantine of a cache. */
unsigned slab_debug_quarantined(const struct kmem_cache *cache);
/* Frees these objects. Nobody else uses the cache. */
void slab_debug_flush(struct kmem_cache *cache);
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

static __always_inline bool slab_debug_free(struct kmem_cache *cache __unused,
					    void **object __unused, const void *user __unused)
{
	return true;
}

static inline unsigned slab_debug_quarantined(const struct kmem_cache *cache __unused)
{
	return 0;
}

static inline void slab_debug_flush(struct kmem_cache *cache __unused)
{
}

static inline size_t slab_debug_size(const struct kmem_cache *cache, const void *object __unused)
{
	return cache->object_size;
}
#endif

/* The free objects of one cache on one CPU. */
struct cpu_slab {
	void *objects;
	int room; /* frees until it is drained */
	int high; /* the value of room when the list is empty */
};

/* So a cache's number is an offset into the per-CPU array. */
BUILD_BUG_ON(sizeof(struct cpu_slab) != SLAB_ID_STEP);

DECLARE_PER_CPU(struct cpu_slab, cpu_slabs[SLAB_MAX_CACHES]);
/* The struct of the cache with that number in the section, for this_cpu_ and per_cpu operations. */
#define CPU_SLAB(id) (*(struct cpu_slab *)((unsigned long)cpu_slabs + (id)))
/* CPU_SLAB(id).room. Written like this, the compiler needs no register for the sum. */
#define CPU_SLAB_ROOM(id) (*(int *)((unsigned long)&cpu_slabs[0].room + (id)))

/* ---- slab.c ---- */

/*
 * Gives n objects of a CPU's list back to their slabs, and empty slabs to the page allocator.
 * Interrupts off.
 */
void drain_cpu_slab(struct kmem_cache *cache, struct cpu_slab *cpu_slab, unsigned n);
/* Gives a slab that is in no list to the page allocator. */
void free_slab(struct kmem_cache *cache, struct page *slab);

/*
 * The slow paths of the two functions that follow. Interrupts are off; they restore flags. They are
 * separate functions, and finish the work, so that the fast paths need not save registers.
 */
void *slab_alloc_slow(unsigned long id, gfp_t gfp, unsigned long flags);
void slab_free_slow(unsigned id, unsigned long flags);

/* Takes one object from this CPU's list of the cache with that number. */
static __always_inline void *slab_alloc_object(unsigned long id, gfp_t gfp)
{
	unsigned long flags;
	void *object;

	local_irq_save(flags);
	object = this_cpu_read(CPU_SLAB(id).objects);
	if (unlikely(!object))
		return slab_alloc_slow(id, gfp, flags);
	this_cpu_write(CPU_SLAB(id).objects, *slab_link(slab_cache(id), object));
	this_cpu_inc(CPU_SLAB_ROOM(id));
	local_irq_restore(flags);
	return object;
}

static __always_inline void slab_free_object(unsigned id, void *object)
{
	unsigned long flags;

	local_irq_save(flags);
	*slab_link(slab_cache(id), object) = this_cpu_read(CPU_SLAB(id).objects);
	this_cpu_write(CPU_SLAB(id).objects, object);
	if (unlikely(this_cpu_dec_negative(CPU_SLAB_ROOM(id))))
		slab_free_slow(id, flags);
	else
		local_irq_restore(flags);
}

/* ---- slab_caches.c ---- */

/* Computes the fields of a cache, which keeps name, and gives it a number. False: not possible. */
bool slab_init_cache(struct kmem_cache *cache, const char *name, size_t size, size_t align);

/* ---- kmalloc.c ---- */

/* The caches of kmalloc(), which get the numbers from 1 on. */
void kmalloc_init(void);
