/*
 * The errors that a DEBUG build finds in the use of slab objects.
 * sources: kernel/mm/memblock.c kernel/mm/page_alloc.c kernel/mm/slab.c kernel/mm/slab_caches.c kernel/mm/kmalloc.c
 * sources: kernel/mm/slab_debug.c kernel/mm/util.c
 * sources: kernel/lib/vsprintf*.c kernel/lib/errname.c kernel/lib/string_helpers.c
 * flags: -DCONFIG_DEBUG
 */
#include "test.h"

#include "kernel/current.h"
#include "mm_host.h"

pid_t current_pid(void)
{
	return 42;
}

/* The host's stack is not of interest. */
unsigned stack_trace_save(unsigned long *entries, unsigned max, unsigned skip)
{
	(void)entries, (void)max, (void)skip;
	return 0;
}

void spin_lock_debug_acquire(spinlock_t *lock)
{
	(void)lock;
}

void spin_lock_debug_acquired(spinlock_t *lock)
{
	(void)lock;
}

void spin_lock_debug_release(spinlock_t *lock)
{
	(void)lock;
}

static int boot(void **state)
{
	(void)state;
	host_boot();
	return 0;
}

static int clear_messages(void **state)
{
	(void)state;
	host_messages[0] = '\0';
	return 0;
}

/* The report names the error, the cache and the object. */
static void expect_report(const char *cache, const char *what, const void *object)
{
	char address[32];

	snprintf(address, sizeof(address), "%px", object);
	assert_non_null(strstr(host_messages, cache));
	assert_non_null(strstr(host_messages, what));
	assert_non_null(strstr(host_messages, address));
}

static void test_right_use_is_not_reported(void **state)
{
	(void)state;
	for (size_t size = 1; size < 8000; size += 7) {
		u8 *p = kmalloc(size, GFP_KERNEL);

		assert_int_equal(p[0], 0x5a);
		memset(p, 1, size);
		assert_true(ksize(p) >= size);
		p = krealloc(p, size + 100, GFP_KERNEL);
		assert_int_equal(p[size - 1], 1);
		kfree(p);
	}
	assert_string_equal(host_messages, "");
}

static void test_freed_objects_are_poisoned(void **state)
{
	u8 *p = kmalloc(64, GFP_KERNEL);

	(void)state;
	memset(p, 1, 64);
	kfree(p);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(p[i], 0x6b);
}

static void test_double_free_is_reported_and_refused(void **state)
{
	void *p = kmalloc(100, GFP_KERNEL), *q, *r;

	(void)state;
	kfree(p);
	kfree(p);
	expect_report("kmalloc-128", "double free", p);
	q = kmalloc(100, GFP_KERNEL);
	r = kmalloc(100, GFP_KERNEL);
	assert_ptr_not_equal(q, r);
	kfree(q);
	kfree(r);
}

static void test_overrun_by_one_byte_is_reported(void **state)
{
	char *p = kmalloc(50, GFP_KERNEL);

	(void)state;
	p[50] = 0;
	kfree(p);
	expect_report("kmalloc-64", "written beyond its end", p);
}

static void test_overrun_of_a_full_object_is_reported(void **state)
{
	char *p = kmalloc(64, GFP_KERNEL);

	(void)state;
	p[64] = 0;
	kfree(p);
	expect_report("kmalloc-64", "written beyond its end", p);
}

/* The object waits while others are freed; then it is checked, and not used again. */
static void test_write_after_free_is_reported_when_the_quarantine_ends(void **state)
{
	char *p = kmalloc(32, GFP_KERNEL);
	unsigned reused = 0;

	(void)state;
	kfree(p);
	p[5] = 0;
	for (unsigned i = 0; i < 100; i++) {
		void *q = kmalloc(32, GFP_KERNEL);

		reused += q == p;
		kfree(q);
	}
	expect_report("kmalloc-32", "modified after free", p);
	assert_non_null(strstr(host_messages, "at +5: 0x00"));
	assert_non_null(strstr(host_messages, "Freed by task 42:"));
	assert_int_equal(reused, 0);
}

/* The owner of a list frees a member and looks at it once more: it sees poison, and no new owner's data. */
static void test_a_freed_object_is_not_reused_at_once(void **state)
{
	char *p = kmalloc(48, GFP_KERNEL);

	(void)state;
	kfree(p);
	for (unsigned i = 0; i < 4; i++) {
		char *q = kmalloc(48, GFP_KERNEL);

		assert_ptr_not_equal(q, p);
		kfree(q);
	}
	assert_int_equal(p[0], 0x6b);
	assert_string_equal(host_messages, "");
}

static void test_objects_in_quarantine_are_not_in_use(void **state)
{
	struct kmem_cache *cache = kmem_cache_create("inode", 64, 0);
	u64 before = slab_objects_in_use();

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		kmem_cache_free(cache, kmem_cache_alloc(cache, GFP_KERNEL));
	assert_int_equal(slab_objects_in_use(), before);
	kmem_cache_destroy(cache);
	assert_string_equal(host_messages, "");
}

static void test_free_into_the_wrong_cache_is_reported(void **state)
{
	struct kmem_cache *cache = kmem_cache_create("dentry", 128, 0);
	void *p = kmalloc(128, GFP_KERNEL);

	(void)state;
	kmem_cache_free(cache, p);
	expect_report("dentry", "wrong cache", p);
	assert_non_null(strstr(host_messages, "is of kmalloc-128"));
	host_messages[0] = '\0';
	kfree(p);
	assert_string_equal(host_messages, "");
	kmem_cache_destroy(cache);
}

static void test_free_of_an_inner_address_is_reported(void **state)
{
	char *p = kmalloc(128, GFP_KERNEL);

	(void)state;
	kfree(p + 8);
	expect_report("kmalloc-128", "no object's start", p + 8);
	host_messages[0] = '\0';
	kfree(p);
	assert_string_equal(host_messages, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_right_use_is_not_reported, clear_messages),
		cmocka_unit_test_setup(test_freed_objects_are_poisoned, clear_messages),
		cmocka_unit_test_setup(test_double_free_is_reported_and_refused, clear_messages),
		cmocka_unit_test_setup(test_overrun_by_one_byte_is_reported, clear_messages),
		cmocka_unit_test_setup(test_overrun_of_a_full_object_is_reported, clear_messages),
		cmocka_unit_test_setup(test_write_after_free_is_reported_when_the_quarantine_ends,
				       clear_messages),
		cmocka_unit_test_setup(test_a_freed_object_is_not_reused_at_once, clear_messages),
		cmocka_unit_test_setup(test_objects_in_quarantine_are_not_in_use, clear_messages),
		cmocka_unit_test_setup(test_free_into_the_wrong_cache_is_reported, clear_messages),
		cmocka_unit_test_setup(test_free_of_an_inner_address_is_reported, clear_messages),
	};

	return cmocka_run_group_tests_name("slab_debug", tests, boot, NULL);
}
