/*
 * Self-tests of slab caches and kmalloc: other CPUs free the objects, interrupts, no free memory.
 */
#include "kernel/mm/slab.h"
#include "kernel/lib/string.h"
#include "selftest/lib/memory.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"

#define ROUNDS 1500U
#define PLACES 64U

/* The beginning of an object. The rest is filled with numbers from the seed. */
struct object {
	u32 size;
	u32 seed;
	u8 bytes[];
};

struct exchange {
	struct object *places[PLACES]; /* [A] objects that any thread may take and free */
	atomic_t damaged, failed;
};

static struct object *new_object(u32 *random)
{
	u32 size = sizeof(struct object) +
		   test_random(random) % (test_random(random) % 32 ? 400 : 12000);
	struct object *object = kmalloc(size, GFP_KERNEL);

	if (object) {
		object->size = size;
		object->seed = test_random(random);
		memory_fill(object->bytes, size - sizeof(*object), object->seed);
	}
	return object;
}

static void check_and_free(struct exchange *e, struct object *object)
{
	if (!object)
		return;
	if (!memory_intact(object->bytes, object->size - sizeof(*object), object->seed))
		atomic_inc(&e->damaged);
	kfree(object);
}

/* Puts new objects in random places, and frees the old objects there, mostly of other CPUs. */
static void exchange_objects(void *arg, unsigned index)
{
	struct exchange *e = arg;
	u32 random = index + 1;

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct object *object = new_object(&random);

		if (!object)
			atomic_inc(&e->failed);
		check_and_free(e, xchg(&e->places[test_random(&random) % PLACES], object));
	}
}

SELFTEST(slab, objects_freed_on_other_cpus_stay_intact_and_come_back)
{
	u64 objects = memory_objects(), bytes = memory_accounted();
	struct exchange *e = kzalloc(sizeof(*e), GFP_KERNEL);

	ASSERT(e);
	EXPECT(run_threads(num_online_cpus() + 2, EACH_CPU, exchange_objects, e));
	for (unsigned i = 0; i < PLACES; i++)
		check_and_free(e, e->places[i]);
	EXPECT_EQ(atomic_read(&e->damaged), 0);
	EXPECT_EQ(atomic_read(&e->failed), 0);
	kfree(e);
	memory_expect_objects(test, objects);
	memory_expect_accounted(test, bytes);
}

static void kmalloc_in_interrupt(void *arg)
{
	struct exchange *e = arg;
	struct object *objects[6];

	for (unsigned i = 0; i < ARRAY_SIZE(objects); i++) {
		u32 size = sizeof(struct object) + i * 40;

		objects[i] = kmalloc(size, GFP_ATOMIC);
		if (!objects[i]) {
			atomic_inc(&e->failed);
			continue;
		}
		objects[i]->size = size;
		objects[i]->seed = i;
		memory_fill(objects[i]->bytes, i * 40, i);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(objects); i++)
		check_and_free(e, objects[i]);
}

SELFTEST(slab, interrupts_allocate_in_the_middle_of_allocations)
{
	struct exchange *e = kzalloc(sizeof(*e), GFP_KERNEL);
	u64 objects = memory_objects();
	struct test_group group;

	ASSERT(e);
	EXPECT(test_group_start(&group, num_online_cpus(), EACH_CPU, exchange_objects, e));
	for (unsigned i = 0; i < 100; i++)
		on_each_cpu(kmalloc_in_interrupt, e, true);
	test_group_wait(&group);
	for (unsigned i = 0; i < PLACES; i++)
		check_and_free(e, e->places[i]);
	EXPECT_EQ(atomic_read(&e->damaged), 0);
	EXPECT_EQ(atomic_read(&e->failed), 0);
	memory_expect_objects(test, objects);
	kfree(e);
}

SELFTEST(slab, every_size_is_aligned_and_large_enough)
{
	for (size_t size = 1; size <= 20000; size += size < 300 ? 1 : 97) {
		void *p = kmalloc(size, GFP_KERNEL);

		ASSERT(p);
		EXPECT(ksize(p) >= size);
		EXPECT(IS_ALIGNED((unsigned long)p, 8));
		memset(p, 0xee, size);
		kfree(p);
	}
	for (size_t size = 8; size <= 4096; size *= 2) {
		void *p = kmalloc(size, GFP_KERNEL);

		ASSERT(p);
		EXPECT(IS_ALIGNED((unsigned long)p, size));
		kfree(p);
	}
	EXPECT(!kmalloc(0, GFP_KERNEL));
	EXPECT(!kmalloc(KMALLOC_MAX_SIZE + 1, GFP_KERNEL));
	EXPECT(!kcalloc(SIZE_MAX / 8, 16, GFP_KERNEL));
}

SELFTEST(slab, zeroed_objects_are_zero)
{
	for (size_t size = 1; size < 20000; size = size * 3 + 1) {
		u8 *p = kmalloc(size, GFP_KERNEL);

		ASSERT(p);
		memset(p, 0xff, size);
		kfree(p);
		p = kzalloc(size, GFP_KERNEL);
		ASSERT(p);
		for (size_t i = 0; i < size; i++)
			ASSERT(!p[i]);
		kfree(p);
	}
}

SELFTEST(slab, a_destroyed_cache_gives_all_its_memory_back)
{
	u64 objects = memory_objects(), bytes = memory_accounted();
	struct kmem_cache *cache = kmem_cache_create("selftest", 200, 64);
	void *list = NULL;

	ASSERT(cache);
	for (unsigned i = 0; i < 1000; i++) {
		void **p = kmem_cache_alloc(cache, GFP_KERNEL);

		ASSERT(p);
		EXPECT(IS_ALIGNED((unsigned long)p, 64));
		*p = list;
		list = p;
	}
	while (list) {
		void *next = *(void **)list;

		kmem_cache_free(cache, list);
		list = next;
	}
	kmem_cache_destroy(cache);
	memory_expect_objects(test, objects);
	memory_expect_accounted(test, bytes);
}

/* Allocates objects of one size, as a list, until memory is short. Returns their number. */
static u64 take_objects(void **list, size_t size)
{
	u64 n = 0;
	void **p;

	while ((p = kmalloc(size, GFP_KERNEL | __GFP_NOWARN))) {
		*p = *list;
		*list = p;
		n++;
	}
	return n;
}

SELFTEST(slab, running_out_is_null_and_all_comes_back)
{
	u64 objects = memory_objects(), bytes = memory_accounted();
	void *list = NULL, *p;

	ASSERT(run_on_nth_cpu(0)); /* the other CPUs have free objects in their lists */
	/* Large ones first: there would be millions of small ones. */
	EXPECT(take_objects(&list, KMALLOC_MAX_SIZE) > 0);
	take_objects(&list, 64 * 1024);
	take_objects(&list, 8192);
	EXPECT(take_objects(&list, 64) > 0);
	EXPECT(!kmalloc(64, GFP_KERNEL | __GFP_NOWARN));
	EXPECT(!kzalloc(64 * 1024, GFP_KERNEL | __GFP_NOWARN));
	p = kmalloc(64, GFP_ATOMIC);
	EXPECT(p);
	kfree(p);
	while (list) {
		void *next = *(void **)list;

		kfree(list);
		list = next;
	}
	run_on_any_cpu();
	memory_expect_objects(test, objects);
	memory_expect_accounted(test, bytes);
}
