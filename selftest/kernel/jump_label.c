/* Self-tests of static branches. */
#include "kernel/jump_label.h"

#include "arch/cpu/processor.h"
#include "arch/patch/text_patch.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"
#include "selftest/lib/on_cpus.h"
#include "selftest/selftest.h"

static DEFINE_STATIC_KEY_FALSE(false_key);
static DEFINE_STATIC_KEY_TRUE(true_key);

static noinline bool false_likely(void)
{
	return static_branch_likely(&false_key);
}

static noinline bool false_unlikely(void)
{
	return static_branch_unlikely(&false_key);
}

static noinline bool true_likely(void)
{
	return static_branch_likely(&true_key);
}

static noinline bool true_unlikely(void)
{
	return static_branch_unlikely(&true_key);
}

SELFTEST(jump_label, a_branch_has_the_value_of_its_key)
{
	EXPECT(!false_likely() && !false_unlikely());
	EXPECT(true_likely() && true_unlikely());
	EXPECT(!static_key_enabled(&false_key) && static_key_enabled(&true_key));
	for (unsigned round = 0; round < 3; round++) {
		EXPECT_EQ(static_branch_enable(&false_key), 0);
		EXPECT_EQ(static_branch_disable(&true_key), 0);
		EXPECT(false_likely() && false_unlikely());
		EXPECT(!true_likely() && !true_unlikely());
		EXPECT(static_key_enabled(&false_key) && !static_key_enabled(&true_key));
		EXPECT_EQ(static_branch_disable(&false_key), 0);
		EXPECT_EQ(static_branch_enable(&true_key), 0);
		EXPECT(!false_likely() && !false_unlikely());
		EXPECT(true_likely() && true_unlikely());
	}
}

SELFTEST(jump_label, a_key_is_true_as_long_as_it_has_users)
{
	struct text_patch_stats before, after;

	EXPECT_EQ(static_branch_inc(&false_key), 0);
	text_patch_stats_read(&before);
	EXPECT_EQ(static_branch_inc(&false_key), 0);
	EXPECT_EQ(static_branch_dec(&false_key), 0);
	text_patch_stats_read(&after);
	EXPECT_EQ(after.batches, before.batches);
	EXPECT(false_likely() && false_unlikely());
	EXPECT_EQ(static_branch_dec(&false_key), 0);
	EXPECT(!false_likely() && !false_unlikely());
}

/* 64 keys with two sites each. */
static struct static_key_false many_keys[64];

#define SITES_OF_KEY(n)                                                                            \
	(static_branch_unlikely(&many_keys[n]) + static_branch_likely(&many_keys[n]))
#define SITES_OF_4_KEYS(n)                                                                         \
	SITES_OF_KEY(n) + SITES_OF_KEY(n + 1) + SITES_OF_KEY(n + 2) + SITES_OF_KEY(n + 3)
#define SITES_OF_16_KEYS(n)                                                                        \
	SITES_OF_4_KEYS(n) + SITES_OF_4_KEYS(n + 4) + SITES_OF_4_KEYS(n + 8) +                     \
		SITES_OF_4_KEYS(n + 12)

static noinline int count_true_sites(void)
{
	return SITES_OF_16_KEYS(0) + SITES_OF_16_KEYS(16) + SITES_OF_16_KEYS(32) +
	       SITES_OF_16_KEYS(48);
}

static void set_many_keys(struct selftest *test, bool on)
{
	static_key_batch_begin();
	for (size_t i = 0; i < ARRAY_SIZE(many_keys); i++)
		static_key_batch_set(&many_keys[i].key, on);
	EXPECT_EQ(static_key_batch_end(), 0);
}

SELFTEST(jump_label, a_batch_of_many_keys_is_one_change_of_text)
{
	struct text_patch_stats before, after;

	EXPECT_EQ(count_true_sites(), 0);
	text_patch_stats_read(&before);
	set_many_keys(test, true);
	text_patch_stats_read(&after);
	EXPECT_EQ(after.batches, before.batches + 1);
	EXPECT_EQ(after.sites, before.sites + 2 * ARRAY_SIZE(many_keys));
	EXPECT_EQ(count_true_sites(), 2 * ARRAY_SIZE(many_keys));
	set_many_keys(test, false);
	EXPECT_EQ(count_true_sites(), 0);
}

SELFTEST(jump_label, a_key_that_changes_back_in_a_batch_patches_nothing)
{
	struct text_patch_stats before, after;

	text_patch_stats_read(&before);
	static_key_batch_begin();
	static_key_batch_add(&false_key.key, 1);
	static_key_batch_add(&false_key.key, -1);
	EXPECT_EQ(static_key_batch_end(), 0);
	text_patch_stats_read(&after);
	EXPECT_EQ(after.batches, before.batches);
	EXPECT(!false_likely());
}

static DEFINE_STATIC_KEY_FALSE(init_key);

static bool __init init_branch(void)
{
	return static_branch_unlikely(&init_key);
}

static noinline bool kept_branch(void)
{
	return static_branch_unlikely(&init_key);
}

static bool init_branch_at_boot, init_branch_on;

static int __init run_init_branch(void)
{
	init_branch_at_boot = init_branch();
	static_branch_enable(&init_key);
	init_branch_on = init_branch();
	return static_branch_disable(&init_key);
}
device_initcall(run_init_branch);

SELFTEST(jump_label, sites_of_init_text_change_only_until_it_is_freed)
{
	struct text_patch_stats before, after;

	EXPECT(!init_branch_at_boot && init_branch_on);
	text_patch_stats_read(&before);
	EXPECT_EQ(static_branch_enable(&init_key), 0);
	text_patch_stats_read(&after);
	EXPECT_EQ(after.sites, before.sites + 1);
	EXPECT(kept_branch());
	EXPECT_EQ(static_branch_disable(&init_key), 0);
}

/*
 * One CPU changes the key, all the others run through two sites. stage counts the changes: it is
 * odd during a change. A branch between two equal even stages has the value of that stage.
 */
#define CHANGES    selftest_rounds(4000U)
#define TIME_LIMIT (3 * NSEC_PER_SEC)

static DEFINE_STATIC_KEY_FALSE(busy_key);
static u32 stage, wrong, judged, runners, finished;

static noinline void judge(void)
{
	u32 before = smp_load_acquire(&stage);
	bool likely_branch = static_branch_likely(&busy_key);
	bool unlikely_branch = static_branch_unlikely(&busy_key);

	barrier();
	if (before % 2 || before != smp_load_acquire(&stage))
		return;
	__atomic_fetch_add(&judged, 1, __ATOMIC_RELAXED);
	if (likely_branch != (before / 2 % 2) || unlikely_branch != (before / 2 % 2))
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

/* Changes the key. Returns after another CPU has judged the new state. */
static void change(bool on)
{
	u32 before;

	smp_store_release(&stage, stage + 1);
	if (on ? static_branch_enable(&busy_key) : static_branch_disable(&busy_key))
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	before = READ_ONCE(judged);
	smp_store_release(&stage, stage + 1);
	while (num_online_cpus() > 1 && READ_ONCE(judged) == before)
		cpu_relax();
}

static void change_or_judge(void *unused __unused)
{
	u64 end = ktime_get() + TIME_LIMIT;

	if (__atomic_fetch_add(&runners, 1, __ATOMIC_RELAXED)) {
		while (!smp_load_acquire(&finished))
			judge();
		return;
	}
	for (unsigned i = 0; i < CHANGES && ktime_get() < end; i += 2) {
		change(true);
		change(false);
	}
	smp_store_release(&finished, 1);
}

SELFTEST(jump_label, a_branch_is_right_while_all_cpus_run_through_its_change)
{
	stage = wrong = judged = runners = finished = 0;
	ASSERT(run_on_cpus(change_or_judge, NULL) == 0);
	EXPECT_EQ(wrong, 0);
	EXPECT(stage > 0);
	EXPECT(!static_key_enabled(&busy_key));
}

static DEFINE_STATIC_KEY_FALSE(damaged_key);

notrace /* find_nop() must find the nop of the branch */
static noinline bool damaged_branch(void)
{
	return static_branch_unlikely(&damaged_key);
}

/* Returns the address of the first nop in the function, or 0. */
static unsigned long find_nop(bool (*fn)(void))
{
	for (unsigned long addr = (unsigned long)fn; addr < (unsigned long)fn + 64; addr++) {
		if (!__builtin_memcmp((const void *)addr, text_nop5, TEXT_PATCH_SIZE))
			return addr;
	}
	return 0;
}

SELFTEST(jump_label, a_site_that_does_not_hold_its_old_bytes_is_reported_and_left_alone)
{
	struct text_patch damage = { 0 }, repair;
	size_t bad;

	damage.addr = find_nop(damaged_branch);
	ASSERT(damage.addr);
	__builtin_memcpy(damage.old, text_nop5, TEXT_PATCH_SIZE);
	text_encode_jmp(damage.new, damage.addr, damage.addr + TEXT_PATCH_SIZE);
	ASSERT(text_patch_apply(&damage, 1, &bad) == 0);

	static_key_batch_begin();
	static_key_batch_set(&damaged_key.key, true);
	static_key_batch_set(&false_key.key, true);
	EXPECT_EQ(static_key_batch_end(), -EINVAL);
	EXPECT(false_likely() && false_unlikely());
	EXPECT(!damaged_branch());

	repair = damage;
	__builtin_memcpy(repair.old, damage.new, TEXT_PATCH_SIZE);
	__builtin_memcpy(repair.new, damage.old, TEXT_PATCH_SIZE);
	ASSERT(text_patch_apply(&repair, 1, &bad) == 0);
	EXPECT_EQ(static_branch_disable(&false_key), 0);
}
