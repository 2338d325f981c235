/* Self-tests of watchpoints that change while they are used (trace/wprobe/watch.h). */
#include "trace/wprobe/watch.h"

#include "arch/irq/traps.h"
#include "kernel/errno.h"
#include "selftest/lib/each_instruction.h"
#include "selftest/lib/on_cpus.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define WRITES 20U

static u64 words[4] __aligned(32);
static atomic64_t hits, other_hits, hits_elsewhere;

static void count_hit(struct watch *w __unused, unsigned long address,
		      struct pt_regs *regs __unused)
{
	if (address - (unsigned long)words >= sizeof(words))
		atomic64_inc(&hits_elsewhere);
	atomic64_inc(&hits);
}

static struct watch watch, other;

/* Both watches: of writes, 8 bytes. Nothing is watched yet. */
static bool begin(void)
{
	watch = (struct watch){ .type = DEBUGREG_W, .len = DEBUGREG_LEN_8, .hit = count_hit };
	atomic64_set(&hits, 0);
	atomic64_set(&other_hits, 0);
	atomic64_set(&hits_elsewhere, 0);
	return !watch_init(&watch) && !watch_begin(&watch, WATCH_NOTHING);
}

static void end(struct watch *w)
{
	watch_end(w);
	watch_destroy(w);
}

/* All CPUs have loaded what is watched. */
static void settle(struct watch *w)
{
	irq_work_sync(&w->irq_work);
	(void)flush_work(&w->work);
}

static void write_word(void *word, unsigned index __unused)
{
	for (u64 i = 0; i < WRITES; i++)
		WRITE_ONCE(*(u64 *)word, i);
}

/* Whether each of WRITES writes on each CPU to the word is a hit, or none is. */
static bool each_write_hits(u64 *word, bool wanted)
{
	unsigned n = num_online_cpus();

	atomic64_set(&hits, 0);
	return run_threads(n, EACH_CPU, write_word, word) &&
	       atomic64_read(&hits) == (wanted ? n * WRITES : 0);
}

SELFTEST(watch, set_and_cleared_on_all_cpus)
{
	ASSERT(begin());
	EXPECT(each_write_hits(&words[0], false));
	EXPECT(watch_set(&watch, (unsigned long)&words[0]));
	EXPECT(!watch_set(&watch, (unsigned long)&words[1]));
	settle(&watch);
	EXPECT(each_write_hits(&words[0], true));
	EXPECT(each_write_hits(&words[1], false));
	EXPECT(!watch_clear(&watch, (unsigned long)&words[1]));
	EXPECT(watch_clear(&watch, WATCH_NOTHING));
	/* At once on this CPU and on others, whose registers still have it. */
	EXPECT(each_write_hits(&words[0], false));
	EXPECT(!watch_clear(&watch, WATCH_NOTHING));
	end(&watch);
	EXPECT(each_write_hits(&words[0], false));
}

SELFTEST(watch, this_cpu_watches_at_once)
{
	ASSERT(begin());
	preempt_disable();
	watch_set(&watch, (unsigned long)&words[2]);
	WRITE_ONCE(words[2], 1);
	watch_clear(&watch, (unsigned long)&words[2]);
	WRITE_ONCE(words[2], 2);
	preempt_enable();
	EXPECT_EQ(atomic64_read(&hits), 1);
	end(&watch);
}

SELFTEST(watch, each_length_and_type)
{
	for (u8 len = DEBUGREG_LEN_1; len <= DEBUGREG_LEN_4; len++) {
		for (unsigned both = 0; both < 2; both++) {
			u8 *bytes = (u8 *)words, size = (u8)debugreg_bytes(len);

			watch = (struct watch){ .type = both ? DEBUGREG_RW : DEBUGREG_W,
						.len = len,
						.hit = count_hit };
			ASSERT(!watch_init(&watch));
			EXPECT(!watch_may_be_at(&watch, (unsigned long)words + 1) == (size > 1));
			ASSERT(!watch_begin(&watch, (unsigned long)&bytes[8]));
			atomic64_set(&hits, 0);
			for (unsigned i = 0; i < sizeof(words); i++)
				WRITE_ONCE(bytes[i], 1);
			EXPECT_EQ(atomic64_read(&hits), size);
			(void)READ_ONCE(bytes[8]);
			EXPECT_EQ(atomic64_read(&hits), size + both);
			end(&watch);
		}
	}
}

SELFTEST(watch, the_fifth_has_no_register)
{
	static struct watch five[HBP_NUM + 1];

	for (unsigned i = 0; i <= HBP_NUM; i++) {
		five[i] = (struct watch){ .type = DEBUGREG_W, .hit = count_hit };
		ASSERT(!watch_init(&five[i]));
		EXPECT_EQ(watch_begin(&five[i], WATCH_NOTHING), i == HBP_NUM ? -ENOSPC : 0);
	}
	watch_end(&five[0]);
	EXPECT_EQ(watch_begin(&five[HBP_NUM], (unsigned long)&words[0]), 0);
	watch_begin(&five[0], WATCH_NOTHING);
	for (unsigned i = 0; i <= HBP_NUM; i++)
		end(&five[i]);
}

/* ---- changed in an NMI, in a hit, and by all CPUs at once ---- */

static void other_hit(struct watch *w __unused, unsigned long address __unused,
		      struct pt_regs *regs __unused)
{
	atomic64_inc(&other_hits);
	(void)(watch_set(&watch, (unsigned long)&words[1]) || watch_clear(&watch, WATCH_NOTHING));
}

static bool begin_both(void)
{
	other = (struct watch){ .type = DEBUGREG_W, .len = DEBUGREG_LEN_8, .hit = other_hit };
	return begin() && !watch_init(&other) && !watch_begin(&other, (unsigned long)&words[0]);
}

SELFTEST(watch, changed_in_a_hit)
{
	ASSERT(begin_both());
	for (unsigned i = 0; i < 10; i++) {
		WRITE_ONCE(words[0], i);
		settle(&watch);
		EXPECT(each_write_hits(&words[1], i % 2 == 0));
	}
	EXPECT_EQ(atomic64_read(&other_hits), 10);
	end(&watch);
	end(&other);
}

static bool nmi_changes; /* [A] the next NMI does; the watchdog's NMIs come, too */

static bool change_in_nmi(struct pt_regs *regs __unused)
{
	if (!xchg(&nmi_changes, false))
		return false;
	if (!watch_set(&watch, (unsigned long)&words[1]))
		watch_clear(&watch, WATCH_NOTHING);
	return false;
}
NMI_HANDLER(change_in_nmi);

static void change(void *unused __unused)
{
	if (!watch_set(&watch, (unsigned long)&words[0]))
		watch_clear(&watch, WATCH_NOTHING);
}

/* After each of them the registers of all CPUs have what is to be watched. */
static void interrupt_each(struct selftest *test, enum interruption how)
{
	unsigned wrong = 0;
	bool interrupted = true;

	ASSERT(begin());
	for (unsigned n = 0; interrupted; n++) {
		unsigned long address;

		WRITE_ONCE(nmi_changes, how == BY_NMI);
		interrupted = interrupt_instruction(how, n, change, NULL);
		WRITE_ONCE(nmi_changes, false);
		settle(&watch);
		address = READ_ONCE(watch.address);
		wrong += !each_write_hits(&words[0], address == (unsigned long)&words[0]);
		wrong += !each_write_hits(&words[1], address == (unsigned long)&words[1]);
	}
	EXPECT_EQ(wrong, 0);
	end(&watch);
}

SELFTEST(watch, changed_with_an_interrupt_at_each_instruction)
{
	interrupt_each(test, BY_INTERRUPT);
}

SELFTEST(watch, changed_by_an_nmi_at_each_instruction_of_a_change)
{
	interrupt_each(test, BY_NMI);
}

static void change_often(void *unused __unused, unsigned index)
{
	u32 seed = index + 1;

	for (unsigned i = 0; i < 2000; i++) {
		if (test_random(&seed) % 2)
			watch_set(&watch, (unsigned long)&words[test_random(&seed) % 4]);
		else
			watch_clear(&watch, WATCH_NOTHING);
		WRITE_ONCE(words[test_random(&seed) % 4], i);
	}
}

SELFTEST(watch, changed_by_all_cpus_at_once)
{
	ASSERT(begin_both());
	ASSERT(run_threads(num_online_cpus(), EACH_CPU, change_often, NULL));
	EXPECT_EQ(atomic64_read(&hits_elsewhere), 0);
	watch_clear(&watch, WATCH_NOTHING);
	settle(&watch);
	EXPECT(each_write_hits(&words[3], false));
	watch_set(&watch, (unsigned long)&words[3]);
	settle(&watch);
	EXPECT(each_write_hits(&words[3], true));
	end(&watch);
	end(&other);
}
