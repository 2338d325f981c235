/* Self-test of the operations that are atomic on one CPU. */
#include "arch/cpu/irqflags.h"
#include "arch/cpu/local.h"
#include "selftest/selftest.h"

#define IOPL (3UL << 12) /* set or clear, it means nothing in ring 0 */

/*
 * Executes local_pair_cmpxchg() and returns RFLAGS. Before that, it compares with a number that has
 * the bits of IOPL: an emulator that mixes the operands of this compare with the flags sets IOPL.
 * POPFQ is there because QEMU begins to translate anew after it.
 */
static noinline unsigned long flags_after_exchange(struct local_pair *p, u64 old_lo, bool *done)
{
	struct local_pair old = { old_lo, 2 }, new = { 3, 4 };

	__asm__ __volatile__("pushfq; popfq; cmpq %0, %1" ::"r"(IOPL), "r"(0UL) : "memory", "cc");
	*done = local_pair_cmpxchg(p, old, new);
	return arch_local_save_flags();
}

SELFTEST(local, pair_cmpxchg_leaves_the_system_flags_unchanged)
{
	struct local_pair pair = { 1, 2 };
	unsigned long before = arch_local_save_flags() & (X86_EFLAGS_IF | IOPL);
	bool done;

	EXPECT_EQ(flags_after_exchange(&pair, 7, &done) & (X86_EFLAGS_IF | IOPL), before);
	EXPECT(!done && pair.lo == 1 && pair.hi == 2);
	EXPECT_EQ(flags_after_exchange(&pair, 1, &done) & (X86_EFLAGS_IF | IOPL), before);
	EXPECT(done && pair.lo == 3 && pair.hi == 4);
}
