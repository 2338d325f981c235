/* Self-tests of the tracepoints without events: areas of programs, the text of the kernel. */
#include "arch/cpu/linkage.h"
#include "kernel/jump_label.h"
#include "kernel/kallsyms.h"
#include "kernel/rcu/rcu.h"
#include "kernel/text_events.h"
#include "kernel/vm/vma_events.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"

long sys_mprotect(unsigned long start, size_t len, unsigned long prot) SYSCALL_SYMBOL(mprotect);

/* What the probe has seen of the address space. */
struct areas {
	struct mm_struct *mm;
	unsigned seen;
	unsigned long start, end, flags;
};

static void see_area(void *data, struct vm_area_struct *vma)
{
	struct areas *areas = data;

	if (vma->vm_mm != areas->mm)
		return;
	areas->seen++;
	areas->start = vma->vm_start;
	areas->end = vma->vm_end;
	areas->flags = vma->vm_flags;
}

SELFTEST(bare_tracepoints, vma_map_shows_new_areas_and_new_rights)
{
	struct areas areas = { .mm = test_mm_begin() };
	unsigned long addr;

	ASSERT(areas.mm);
	ASSERT(!register_trace_vma_map(see_area, &areas));
	addr = test_mmap(0x10000000, 4 * PAGE_SIZE, MAP_FIXED);
	EXPECT_EQ_HEX(addr, 0x10000000);
	EXPECT_EQ(areas.seen, 1);
	EXPECT_EQ_HEX(areas.start, addr);
	EXPECT_EQ_HEX(areas.end, addr + 4 * PAGE_SIZE);
	/* The area grows. */
	test_mmap(addr + 4 * PAGE_SIZE, PAGE_SIZE, MAP_FIXED);
	EXPECT_EQ(areas.seen, 2);
	EXPECT_EQ_HEX(areas.start, addr);
	EXPECT_EQ_HEX(areas.end, addr + 5 * PAGE_SIZE);
	EXPECT_EQ(sys_mprotect(addr + PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_EXEC), 0);
	EXPECT_EQ(areas.seen, 3);
	EXPECT_EQ_HEX(areas.start, addr + PAGE_SIZE);
	EXPECT_EQ_HEX(areas.flags & (VM_READ | VM_WRITE | VM_EXEC), VM_READ | VM_EXEC);
	/* Nothing changes. */
	EXPECT_EQ(sys_mprotect(addr + PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_EXEC), 0);
	EXPECT_EQ(vm_munmap(addr, 5 * PAGE_SIZE), 0);
	EXPECT_EQ(areas.seen, 3);
	EXPECT(!unregister_trace_vma_map(see_area, &areas));
	test_mm_end(areas.mm);
}

/* The last change of the symbol. */
struct symbols {
	const struct kallsyms_dynamic *symbol;
	unsigned added, removed;
};

static void see_symbol(void *data, const struct kallsyms_dynamic *symbol, bool add)
{
	struct symbols *symbols = data;

	if (symbol != symbols->symbol)
		return;
	symbols->added += add;
	symbols->removed += !add;
}

SELFTEST(bare_tracepoints, ksymbol_shows_symbols_of_generated_code)
{
	static struct kallsyms_dynamic symbol = { .name = "generated", .module = "selftest" };
	struct symbols symbols = { .symbol = &symbol };

	ASSERT(!register_trace_ksymbol(see_symbol, &symbols));
	kallsyms_add(&symbol);
	EXPECT_EQ(symbols.added, 1);
	EXPECT_EQ(symbols.removed, 0);
	kallsyms_del(&symbol);
	EXPECT_EQ(symbols.added, 1);
	EXPECT_EQ(symbols.removed, 1);
	EXPECT(!unregister_trace_ksymbol(see_symbol, &symbols));
	synchronize_rcu();
}

static DEFINE_STATIC_KEY_FALSE(poked_key);

static noinline bool poked(void)
{
	return static_branch_unlikely(&poked_key);
}

/* Changes of poked(). Other tasks may change text meanwhile. */
struct pokes {
	unsigned seen;
	bool wrong;
};

static void see_poke(void *data, unsigned long addr, const u8 *old, const u8 *new, size_t size)
{
	struct pokes *pokes = data;

	if (addr - (unsigned long)poked >= 64)
		return;
	pokes->seen++;
	for (size_t i = 0; i < size; i++)
		pokes->wrong |= ((const volatile u8 *)addr)[i] != new[i];
	pokes->wrong |= size != 5 || old[0] == new[0];
}

SELFTEST(bare_tracepoints, text_poke_shows_each_site_when_it_has_changed)
{
	struct pokes pokes = { 0 };

	ASSERT(!register_trace_text_poke(see_poke, &pokes));
	EXPECT(!poked());
	EXPECT(!static_branch_enable(&poked_key));
	EXPECT(poked());
	EXPECT_EQ(pokes.seen, 1);
	EXPECT(!static_branch_disable(&poked_key));
	EXPECT(!poked());
	EXPECT_EQ(pokes.seen, 2);
	EXPECT(!pokes.wrong);
	EXPECT(!unregister_trace_text_poke(see_poke, &pokes));
}
