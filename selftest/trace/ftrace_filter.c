/* Self-tests of filters: the functions in a set, and the memory that the set uses. */
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "selftest/lib/memory.h"
#include "trace/ftrace/internal.h"

static struct ftrace_ops ops = { .func = ftrace_stub };

static int filter(const char *word)
{
	return ftrace_set_filter(&ops, word, strlen(word), true);
}

static u32 slots_for(u32 count)
{
	u32 slots = 8;

	while (slots < 2 * count)
		slots *= 2;
	return slots;
}

SELFTEST(ftrace_filter, the_memory_of_a_set_depends_on_its_number_of_functions)
{
	const char *words[] = { "ftrace_target_add", "1", "ftrace_many_*", "*" };
	u64 objects = memory_objects(), memory;

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
		ASSERT(filter(words[i]) == 0);
		EXPECT_EQ(ops.filter_hash->mask + 1, slots_for(ops.filter_hash->count));
	}
	EXPECT_EQ(ops.filter_hash->count, ftrace_record_count());
	EXPECT(is_vmalloc_addr(ops.filter_hash));
	ftrace_free_filter(&ops);
	memory_expect_objects(test, objects);

	memory = memory_accounted();
	ASSERT(filter("ftrace_target_add") == 0);
	EXPECT(ksize(ops.filter_hash) <= 64);
	ftrace_free_filter(&ops);
	memory_expect_accounted(test, memory);
}

SELFTEST(ftrace_filter, a_set_grows_and_loses_nothing)
{
	struct ftrace_hash *hash = ftrace_hash_alloc(0);
	const u32 many = 5000;

	ASSERT(hash);
	for (u32 n = 1; n <= many; n++) {
		EXPECT_EQ(ftrace_hash_insert(&hash, 16 * n), 0);
		EXPECT_EQ(ftrace_hash_insert(&hash, 16 * n), 0); /* again: no change */
		EXPECT_EQ(hash->count, n);
		EXPECT(2 * hash->count <= hash->mask + 1);
	}
	for (u32 n = 1; n <= many; n++) {
		EXPECT(ftrace_hash_contains(hash, 16 * n));
		EXPECT(!ftrace_hash_contains(hash, 16 * n + 1));
	}
	for (u32 n = 1; n <= many; n++)
		EXPECT(ftrace_hash_remove(hash, 16 * n));
	EXPECT_EQ(hash->count, 0);
	ftrace_hash_free(hash);
}

static void name_of(u32 offset, char name[KSYM_NAME_LEN])
{
	if (!kallsyms_lookup(KERNEL_IMAGE_BASE + offset, NULL, NULL, name))
		name[0] = '\0';
}

/* For every function: a filter of its name holds all functions of that name, and no others. */
SELFTEST(ftrace_filter, a_name_means_all_functions_of_that_name)
{
	char name[KSYM_NAME_LEN], other[KSYM_NAME_LEN];
	unsigned namesakes = 0;

	for (unsigned i = 0; i < ftrace_record_count(); i++) {
		const struct ftrace_hash *hash;

		name_of(ftrace_record(i)->offset, name);
		ASSERT(filter(name) == 0);
		hash = ops.filter_hash;
		if (!hash || !ftrace_hash_contains(hash, ftrace_record(i)->offset))
			selftest_diag(test, "the filter '%s' lacks the function at offset 0x%x",
				      name, ftrace_record(i)->offset);
		EXPECT(hash && ftrace_hash_contains(hash, ftrace_record(i)->offset));
		namesakes += hash->count > 1;
		for (u32 slot = 0; slot <= hash->mask; slot++) {
			if (!hash->slots[slot])
				continue;
			name_of(hash->slots[slot], other);
			EXPECT_EQ(strcmp(name, other), 0);
		}
	}
	EXPECT(namesakes > 1);
	EXPECT_EQ(filter("jiffies_of_no_kernel"), -EINVAL);
	EXPECT_EQ(filter("nr_records"), -EINVAL); /* a variable */
	ftrace_free_filter(&ops);
}
