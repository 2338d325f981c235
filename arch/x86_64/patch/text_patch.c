/*
 * Live text patching: change instructions that other CPUs may be executing.
 *
 * A CPU must never fetch half of an old and half of a new instruction. So the first byte goes
 * first, as int3, and comes last, as the new opcode:
 *
 *      0f 1f 44 00 00    nop                  old
 *      cc 1f 44 00 00    int3                 1: every CPU that comes here traps
 *      cc 6b db eb 1f    int3 + new tail      2: still traps, the tail is ready
 *      e8 6b db eb 1f    call of a trampoline 3: new
 *
 * After each step comes a round (text_sync_all()): every other CPU gets an interrupt, an IPI, and
 * executes a serializing instruction in it, cpuid (Intel SDM 3A 9.1.3, cross-modifying code). The
 * steps are taken for all sites of a batch together: three rounds for one site or for 40,000.
 *
 * What a CPU executes that reaches the site:
 *
 *	before step 1			the old instruction
 *	from step 1 to its answer	the old instruction, or it traps: it may have fetched the
 *	in round 1			old byte before the write
 *	from its answer in round 1	it traps: the handler, text_patch_int3(), emulates the new
 *	to step 3			instruction
 *	from step 3 to its answer	it traps, or executes the new instruction
 *	in round 3
 *	after round 3			the new instruction
 *
 * So a CPU can have the new instruction from its first trap on, and cannot have the old one after
 * its answer in round 1. Two CPUs may differ only during round 1. (If only the old instruction can
 * be emulated, the handler emulates that one, and the change is in step 3.)
 *
 * No CPU stops. The caller waits for the answers, and a CPU answers as soon as its interrupts are
 * on. Nobody is woken.
 */
#include "arch/patch/text_patch.h"

#include "arch/cpu/processor.h"
#include "arch/patch/text_alias.h"
#include "arch/mm/tlb.h"
#include "arch/irq/traps.h"
#include "kernel/atomic.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sections.h"
#include "kernel/sched/mutex.h"
#include "kernel/text_events.h"

#define INT3 0xcc

const u8 text_nop5[TEXT_PATCH_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

/* The active batch, for the #BP handler. */
struct text_patch_batch {
	const struct text_patch *patches; /* [P] sorted by address */
	size_t count;                     /* [P] */
}; /* [P] text_patch_mutex to write; published and withdrawn through live_batch */

static DEFINE_MUTEX(text_patch_mutex);
static struct text_patch_batch places[2];   /* [P] used in turn for the active batch */
static struct text_patch_batch *live_batch; /* release store; NULL between batches */
static u64 batches, sites;                  /* [P] */
static atomic64_t breakpoints;
static u32 handlers; /* [A] CPUs that search live_batch for a breakpoint now */

/* Does not use memcmp(): clang would call it, and its site may hold a breakpoint. */
static __always_inline bool holds(const u8 *site, const u8 insn[TEXT_PATCH_SIZE])
{
	u32 there, wanted;

	__builtin_memcpy(&there, site, sizeof(there));
	__builtin_memcpy(&wanted, insn, sizeof(wanted));
	return there == wanted && site[4] == insn[4];
}

/* ---- the change ---- */

static bool is_text_site(unsigned long addr)
{
	unsigned long last = addr + TEXT_PATCH_SIZE - 1;

	return is_text_address(addr) &&
	       (last % PAGE_SIZE >= TEXT_PATCH_SIZE - 1 || is_text_address(last));
}

/* Checks that every site holds the old instruction of its patch. */
static int verify(const struct text_patch *patches, size_t count, size_t *bad)
{
	/* They are sorted: the first and the last one tell that all are in the image. */
	bool in_image = patches[0].addr >= (unsigned long)_stext &&
			patches[count - 1].addr + TEXT_PATCH_SIZE <= (unsigned long)_etext;

	for (size_t i = 0; i < count; i++) {
		const u8 *site = (const u8 *)patches[i].addr;

		if (likely((in_image || is_text_site(patches[i].addr)) &&
			   holds(site, patches[i].old)))
			continue;
		*bad = i;
		return is_text_site(patches[i].addr) ? -EINVAL : -EFAULT;
	}
	return 0;
}

int text_patch_apply(const struct text_patch *patches, size_t count, size_t *bad)
{
	int error;

	if (!count)
		return 0;
	mutex_lock(&text_patch_mutex);
	error = verify(patches, count, bad);
	if (error)
		goto unlock;
	/*
	 * LAB 3: Publish the batch, change all sites step by step, and withdraw the batch.
	 * Starts as:
	 *	(void)places;
	 *	text_alias_write(patches, count, TEXT_STEP_ALL);
	 */
	struct text_patch_batch *batch = &places[batches % ARRAY_SIZE(places)];

	batch->patches = patches;
	batch->count = count;
	smp_store_release(&live_batch, batch);
	for (enum text_step step = TEXT_STEP_INT3; step <= TEXT_STEP_FIRST_BYTE; step++) {
		text_alias_write(patches, count, step);
		text_sync_all();
	}
	__atomic_store_n(&live_batch, NULL, __ATOMIC_SEQ_CST);
	/* END LAB 3 */
	/*
	 * QEMU's TCG may have read a site for a translation just before a step wrote the site. It
	 * misses the write until it has registered that translation. A second write of the same
	 * byte drops the stale translation.
	 */
	if (cpu_is_tcg)
		text_alias_write(patches, count, TEXT_STEP_FIRST_BYTE);
	text_alias_end();
	/* LAB 3: The caller may free its patches after the return: wait until no handler reads. */
	while (__atomic_load_n(&handlers, __ATOMIC_SEQ_CST))
		cpu_relax();
	/* END LAB 3 */
	batches++;
	sites += count;
	for (size_t i = 0; i < count && trace_text_poke_enabled(); i++)
		trace_text_poke(patches[i].addr, patches[i].old, patches[i].new, TEXT_PATCH_SIZE);
unlock:
	mutex_unlock(&text_patch_mutex);
	return error;
}

int text_patch_fill(unsigned long addr, const void *bytes, size_t size)
{
	if (!is_text_address(addr) || !is_text_address(addr + size - 1))
		return -EFAULT;
	mutex_lock(&text_patch_mutex);
	text_alias_copy(addr, bytes, size);
	text_sync_all();
	mutex_unlock(&text_patch_mutex);
	return 0;
}

/* ---- the breakpoint: a CPU has executed the int3 of a site ---- */

__kprobes /* the breakpoint handler uses it */
unsigned long text_decode_target(const u8 insn[TEXT_PATCH_SIZE], unsigned long addr)
{
	s32 displacement;

	__builtin_memcpy(&displacement, insn + 1, sizeof(displacement));
	return addr + TEXT_PATCH_SIZE + (unsigned long)(long)displacement;
}

__kprobes /* the breakpoint handler uses it */
static const struct text_patch *find_patch(const struct text_patch_batch *b, unsigned long addr)
{
	size_t first = partition_point(b->count, i, b->patches[i].addr < addr);

	return first < b->count && b->patches[first].addr == addr ? &b->patches[first] : NULL;
}

__kprobes /* the breakpoint handler uses it */
static bool can_emulate(const u8 insn[TEXT_PATCH_SIZE])
{
	return insn[0] == CALL_OPCODE || insn[0] == JMP_OPCODE || holds(insn, text_nop5);
}

/*
 * Finds the instruction that the int3 at addr stands for in the batch: the new instruction, or the
 * old one if that is the one that can be emulated. Returns false if no batch has put the int3
 * there.
 *
 * Two things can happen during the search, if this CPU answered the last IPI of the batch before:
 *
 * 1. The batch ends. Its patches stay valid, because text_patch_apply() waits for `handlers`.
 * 2. The next batch begins, in the other element of places. It cannot get past its first round:
 *    interrupts are off here, so this CPU does not answer.
 *
 * In the second case the search may have seen the end of the old batch only. So it is repeated if
 * live_batch has changed.
 */
__kprobes /* the breakpoint handler uses it */
static bool instruction_in_batch(unsigned long addr, u8 insn[TEXT_PATCH_SIZE])
{
	/*
	 * LAB 3: Look the site up in the live batch, and count a breakpoint that is found.
	 * Starts as:
	 *	(void)addr, (void)insn, (void)live_batch, (void)find_patch, (void)can_emulate;
	 *	return false;
	 */
	struct text_patch_batch *b;

	do {
		const struct text_patch *patch;

		b = __atomic_load_n(&live_batch, __ATOMIC_SEQ_CST);
		patch = b ? find_patch(b, addr) : NULL;
		if (patch) {
			atomic64_inc(&breakpoints);
			__builtin_memcpy(insn, patch->new, TEXT_PATCH_SIZE);
			if (!can_emulate(insn))
				__builtin_memcpy(insn, patch->old, TEXT_PATCH_SIZE);
			return true;
		}
	} while (smp_load_acquire(&live_batch) != b);
	return false;
	/* END LAB 3 */
}

__kprobes /* the breakpoint handler uses it */
static void emulate(struct pt_regs *regs, unsigned long addr, const u8 insn[TEXT_PATCH_SIZE])
{
	/*
	 * LAB 3: Change regs as the instruction would.
	 * Starts as:
	 *	(void)insn;
	 *	regs->ip = addr;
	 */
	if (insn[0] == CALL_OPCODE)
		int3_emulate_call(regs, addr + TEXT_PATCH_SIZE, text_decode_target(insn, addr));
	else if (insn[0] == JMP_OPCODE)
		regs->ip = text_decode_target(insn, addr);
	else if (holds(insn, text_nop5))
		regs->ip = addr + TEXT_PATCH_SIZE;
	else /* not an instruction of a site: execute it */
		regs->ip = addr;
	/* END LAB 3 */
}

/* Emulates the new instruction after a CPU has executed an int3 of the batch, in any context. */
__kprobes /* a trap here would come back here before the site is whole */
static bool text_patch_int3(struct pt_regs *regs)
{
	unsigned long addr = regs->ip - 1;
	u8 insn[TEXT_PATCH_SIZE];
	bool found;

	/* A full barrier: this CPU sees no batch, or the batch's owner sees the count. */
	__atomic_fetch_add(&handlers, 1, __ATOMIC_SEQ_CST);
	found = instruction_in_batch(addr, insn);
	__atomic_fetch_sub(&handlers, 1, __ATOMIC_RELEASE);
	if (found)
		emulate(regs, addr, insn);
	return found;
}

/* ---- for kprobes ---- */

void text_patch_byte(unsigned long addr, u8 byte)
{
	u8 old;

	mutex_lock(&text_patch_mutex);
	old = *(const volatile u8 *)addr;
	text_alias_copy(addr, &byte, 1);
	text_sync_all();
	if (cpu_is_tcg) /* as in text_patch_apply() */
		text_alias_copy(addr, &byte, 1);
	trace_text_poke(addr, &old, &byte, 1);
	mutex_unlock(&text_patch_mutex);
}

__kprobes /* the breakpoint handler uses it */
bool text_patch_int3_gone(struct pt_regs *regs)
{
	unsigned long addr = regs->ip - 1;
	u8 insn[TEXT_PATCH_SIZE];

	if (!is_text_address(addr))
		return false;
	__builtin_memcpy(insn, (const u8 *)addr, TEXT_PATCH_SIZE);
	if (insn[0] == INT3) /* of a batch that has begun since then? It cannot end now. */
		return text_patch_int3(regs);
	emulate(regs, addr, insn);
	return true;
}

/* ---- statistics, and the start ---- */

void text_patch_stats_read(struct text_patch_stats *stats)
{
	mutex_lock(&text_patch_mutex);
	stats->batches = batches;
	stats->sites = sites;
	stats->breakpoints = (u64)atomic64_read(&breakpoints);
	mutex_unlock(&text_patch_mutex);
}

static int __init text_patch_init(void)
{
	int error = text_alias_init();

	if (!error)
		set_int3_handler(text_patch_int3);
	return error;
}
early_initcall(text_patch_init);
