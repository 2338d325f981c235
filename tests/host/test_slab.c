/*
 * Slab caches and kmalloc.
 * sources: kernel/mm/memblock.c kernel/mm/page_alloc.c kernel/mm/slab.c kernel/mm/slab_caches.c kernel/mm/kmalloc.c kernel/mm/util.c kernel/mm/kasprintf.c
 * sources: kernel/lib/vsprintf*.c kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include "test.h"

#include "mm_host.h"

static int boot(void **state)
{
	(void)state;
	host_boot();
	return 0;
}

static void test_random_objects_keep_their_contents_and_all_come_back(void **state)
{
	static struct {
		u8 *p;
		size_t size;
		u8 fill;
	} objects[1000];
	u64 before = slab_objects_in_use();

	(void)state;
	srand(6);
	for (unsigned step = 0; step < 200000; step++) {
		unsigned i = (unsigned)rand() % ARRAY_SIZE(objects);
		size_t size;

		if (objects[i].p) {
			for (size_t j = 0; j < objects[i].size; j++)
				assert_int_equal(objects[i].p[j], objects[i].fill);
			kfree(objects[i].p);
			objects[i].p = NULL;
			continue;
		}
		size = 1 + (size_t)rand() % (rand() % 50 ? 300 : 20000);
		objects[i].p = kmalloc(size, GFP_KERNEL);
		assert_non_null(objects[i].p);
		assert_true(ksize(objects[i].p) >= size);
		assert_true(IS_ALIGNED((unsigned long)objects[i].p, 8));
		objects[i].size = size;
		objects[i].fill = (u8)step;
		memset(objects[i].p, objects[i].fill, size);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(objects); i++)
		kfree(objects[i].p);
	assert_int_equal(slab_objects_in_use(), before);
	assert_int_equal(host_warnings, 0);
	assert_false(host_irqs_off);
}

static void test_every_size_fits_and_powers_of_two_are_aligned(void **state)
{
	(void)state;
	for (size_t size = 1; size <= 70000; size += size < 9000 ? 1 : 4096) {
		void *p = kmalloc(size, GFP_KERNEL);

		assert_true(ksize(p) >= size);
		if (size <= 8192)
			assert_true(ksize(p) <= max(2 * size, (size_t)8));
		if (!(size & (size - 1)))
			assert_true(IS_ALIGNED((unsigned long)p - host_page_offset,
					       max(size, (size_t)8)));
		kfree(p);
	}
	assert_null(kmalloc(0, GFP_KERNEL));
	assert_null(kmalloc(KMALLOC_MAX_SIZE + 1, GFP_KERNEL));
	assert_null(kmalloc(SIZE_MAX, GFP_KERNEL));
	assert_null(kcalloc(SIZE_MAX / 2, 3, GFP_KERNEL));
	kfree(NULL);
	assert_int_equal(host_warnings, 0);
}

static void test_zeroed_objects_are_zero(void **state)
{
	static const size_t sizes[] = { 1, 64, 100, 8192, 8193, 40000 };

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		u8 *p = kmalloc(sizes[s], GFP_KERNEL);

		memset(p, 0xff, sizes[s]);
		kfree(p);
		p = kzalloc(sizes[s], GFP_KERNEL);
		for (size_t i = 0; i < sizes[s]; i++)
			assert_int_equal(p[i], 0);
		kfree(p);
	}
}

static void test_memory_of_empty_slabs_goes_back_to_the_pages(void **state)
{
	static void *objects[5000];
	unsigned long before, used;

	(void)state;
	kfree(kmalloc(512, GFP_KERNEL));
	before = slab_pages();
	for (unsigned i = 0; i < ARRAY_SIZE(objects); i++)
		objects[i] = kmalloc(512, GFP_KERNEL);
	used = slab_pages() - before;
	assert_true(used >= 5000 / 8 - 16);
	for (unsigned i = 0; i < ARRAY_SIZE(objects); i++)
		kfree(objects[i]);
	assert_true(slab_pages() <= before + 20); /* the CPU keeps some objects */
}

static void test_a_cache_has_its_size_and_alignment_and_can_be_destroyed(void **state)
{
	struct kmem_cache *cache = kmem_cache_create("test", 72, 64);
	unsigned long pages = slab_pages();
	void *objects[100];

	(void)state;
	assert_non_null(cache);
	for (unsigned i = 0; i < ARRAY_SIZE(objects); i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		assert_true(IS_ALIGNED((unsigned long)objects[i], 64));
		memset(objects[i], (int)i, 72);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(objects); i++) {
		assert_int_equal(((u8 *)objects[i])[0], i);
		assert_int_equal(((u8 *)objects[i])[71], i);
	}
	for (unsigned i = 1; i < ARRAY_SIZE(objects); i++)
		kmem_cache_free(cache, objects[i]);
	host_messages[0] = '\0';
	kmem_cache_destroy(cache);
	assert_non_null(strstr(host_messages, "test: 1 objects are still in use"));
	kmem_cache_free(cache, objects[0]);
	kmem_cache_destroy(cache);
	assert_int_equal(slab_pages(), pages);
	assert_null(kmem_cache_create("large", 8193, 0));
	assert_null(kmem_cache_create("odd", 8, 24));
}

static void test_no_more_caches_than_there_are_numbers(void **state)
{
	struct kmem_cache *caches[200];
	unsigned n = 0;

	(void)state;
	while (n < ARRAY_SIZE(caches) && (caches[n] = kmem_cache_create("many", 32, 0)))
		n++;
	assert_true(n > 100 && n < 128);
	while (n)
		kmem_cache_destroy(caches[--n]);
	caches[0] = kmem_cache_create("again", 32, 0);
	assert_non_null(caches[0]);
	kmem_cache_destroy(caches[0]);
}

static void test_running_out_gives_null_and_all_comes_back(void **state)
{
	u64 before = slab_objects_in_use(), n = 0;
	void **list = NULL, **object;

	(void)state;
	while ((object = kmalloc(256, GFP_KERNEL | __GFP_NOWARN))) {
		*object = list;
		list = object;
		n++;
	}
	assert_true(n > 50UL * 1024 * 1024 / 256);
	assert_null(kmalloc(100000, GFP_KERNEL | __GFP_NOWARN));
	while ((object = list)) {
		list = *object;
		kfree(object);
	}
	assert_int_equal(slab_objects_in_use(), before);
	object = kmalloc(100000, GFP_KERNEL);
	assert_non_null(object);
	kfree(object);
}

static void test_copies(void **state)
{
	char *s = kstrdup("hello", GFP_KERNEL), *t = kstrndup("hello", 3, GFP_KERNEL);
	char *f = kasprintf(GFP_KERNEL, "%s-%d", s, 42);

	(void)state;
	assert_string_equal(s, "hello");
	assert_string_equal(t, "hel");
	assert_string_equal(f, "hello-42");
	assert_null(kstrdup(NULL, GFP_KERNEL));
	s = krealloc(s, 5000, GFP_KERNEL);
	assert_string_equal(s, "hello");
	assert_null(krealloc(s, 0, GFP_KERNEL));
	s = krealloc(NULL, 10, GFP_KERNEL);
	assert_non_null(s);
	kfree(s);
	kfree(t);
	kfree(f);
}

static void test_a_wrong_kfree_is_reported_and_changes_nothing(void **state)
{
	void *large = kmalloc(20000, GFP_KERNEL);
	unsigned warnings = host_warnings;
	int local;

	(void)state;
	kfree(&local);
	assert_int_equal(host_warnings, warnings + 1);
	kfree((char *)large + 4096);
	assert_int_equal(host_warnings, warnings + 2);
	kfree(large);
	kfree(large);
	assert_int_equal(host_warnings, warnings + 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_objects_keep_their_contents_and_all_come_back),
		cmocka_unit_test(test_every_size_fits_and_powers_of_two_are_aligned),
		cmocka_unit_test(test_zeroed_objects_are_zero),
		cmocka_unit_test(test_memory_of_empty_slabs_goes_back_to_the_pages),
		cmocka_unit_test(test_a_cache_has_its_size_and_alignment_and_can_be_destroyed),
		cmocka_unit_test(test_no_more_caches_than_there_are_numbers),
		cmocka_unit_test(test_running_out_gives_null_and_all_comes_back),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_a_wrong_kfree_is_reported_and_changes_nothing),
	};

	return cmocka_run_group_tests_name("slab", tests, boot, NULL);
}
