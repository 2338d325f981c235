/* Self-tests of the debug registers: breakpoints and watchpoints in the kernel and in programs. */
#include "arch/cpu/debugreg.h"

#include "arch/cpu/halt.h"
#include "arch/cpu/irqflags.h"
#include "arch/cpu/ptrace.h"
#include "arch/irq/descriptors.h"
#include "arch/irq/ipi.h"
#include "arch/irq/traps.h"
#include "arch/user/syscall.h"
#include "kernel/errno.h"
#include "kernel/hw_breakpoint.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sched/signal.h"
#include "kernel/smp.h"
#include "selftest/arch/ring3.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

extern const char ring3_spin[], ring3_spin_end[];

#define WATCH(variable, kind)                                                                      \
	{                                                                                          \
		.address = (unsigned long)&(variable), .type = DEBUGREG_##kind,                    \
		.len = DEBUGREG_LEN_8                                                              \
	}

/* What the handler has seen, on one CPU. */
static unsigned hits[HBP_NUM];
static unsigned long hit_ip;
static bool hit_in_user;
static u64 of_handler; /* the handler writes it */

/* The compiler does not see that a write calls the handler. */
static unsigned hits_of(unsigned i)
{
	return READ_ONCE(hits[i]);
}

static struct hw_breakpoint breakpoints[HBP_NUM];
static unsigned nr_loaded;

static bool note_hit(struct hw_breakpoint *bp, struct pt_regs *regs)
{
	hits[bp - breakpoints]++;
	hit_ip = regs->ip;
	hit_in_user = user_mode(regs);
	WRITE_ONCE(of_handler, of_handler + 1);
	return true;
}

struct load {
	const struct debugreg *regs;
	unsigned n;
};

static void load_here(void *data)
{
	const struct load *load = data;
	unsigned long flags;

	local_irq_save(flags);
	while (nr_loaded)
		debugreg_stop(&breakpoints[--nr_loaded]);
	for (; nr_loaded < load->n; nr_loaded++) {
		breakpoints[nr_loaded].reg = load->regs[nr_loaded];
		breakpoints[nr_loaded].hit = note_hit;
		debugreg_start(&breakpoints[nr_loaded]);
	}
	local_irq_restore(flags);
}

static void load(const struct debugreg *regs, unsigned n)
{
	load_here(&(struct load){ regs, n });
}

static void begin(void)
{
	for (unsigned i = 0; i < HBP_NUM; i++)
		hits[i] = 0;
	run_on_nth_cpu(0);
}

static void end(void)
{
	load(NULL, 0);
	run_on_any_cpu();
}

static u64 watched[HBP_NUM];

SELFTEST(debugreg, watchpoint_sees_writes_or_all_accesses)
{
	const struct debugreg write = WATCH(watched[0], W), access = WATCH(watched[0], RW);

	begin();
	load(&write, 1);
	WRITE_ONCE(watched[0], 1);
	EXPECT_EQ(hits_of(0), 1);
	EXPECT(!READ_ONCE(hit_in_user));
	(void)READ_ONCE(watched[0]);
	WRITE_ONCE(watched[1], 1); /* the next bytes */
	EXPECT_EQ(hits_of(0), 1);
	load(&access, 1);
	(void)READ_ONCE(watched[0]);
	EXPECT_EQ(hits_of(0), 2);
	load(NULL, 0);
	WRITE_ONCE(watched[0], 2);
	EXPECT_EQ(hits_of(0), 2);
	end();
}

SELFTEST(debugreg, each_of_the_four_registers_works)
{
	const struct debugreg all[HBP_NUM] = { WATCH(watched[0], W), WATCH(watched[1], W),
					       WATCH(watched[2], W), WATCH(watched[3], W) };

	begin();
	load(all, HBP_NUM);
	for (unsigned i = 0; i < HBP_NUM; i++)
		for (unsigned n = 0; n <= i; n++)
			WRITE_ONCE(watched[i], n);
	for (unsigned i = 0; i < HBP_NUM; i++)
		EXPECT_EQ(hits_of(i), i + 1);
	end();
}

static noinline unsigned triple(unsigned n)
{
	barrier();
	return 3 * n;
}

SELFTEST(debugreg, breakpoint_is_hit_before_the_instruction_once_each_time)
{
	const struct debugreg at = { .address = (unsigned long)triple, .type = DEBUGREG_X };

	begin();
	load(&at, 1);
	EXPECT_EQ(triple(7), 21);
	EXPECT_EQ(hits_of(0), 1);
	EXPECT_EQ_HEX(READ_ONCE(hit_ip), triple);
	EXPECT_EQ(triple(8), 24);
	EXPECT_EQ(hits_of(0), 2);
	end();
}

SELFTEST(debugreg, handler_may_use_what_is_watched)
{
	const struct debugreg own = WATCH(of_handler, W);

	begin();
	of_handler = 0;
	load(&own, 1);
	WRITE_ONCE(of_handler, 10);
	EXPECT_EQ(hits_of(0), 1);
	EXPECT_EQ(READ_ONCE(of_handler), 11);
	WRITE_ONCE(of_handler, 20); /* they are on again */
	EXPECT_EQ(hits_of(0), 2);
	end();
}

static bool nmi_wanted; /* [A] */

static bool debugreg_nmi(struct pt_regs *regs __unused)
{
	if (!xchg(&nmi_wanted, false))
		return false;
	WRITE_ONCE(watched[0], 3);
	return true;
}
NMI_HANDLER(debugreg_nmi);

SELFTEST(debugreg, nmi_hits_nothing_and_leaves_the_registers_as_they_were)
{
	const struct debugreg write = WATCH(watched[0], W);

	begin();
	load(&write, 1);
	for (unsigned i = 0; i < 2; i++) {
		WRITE_ONCE(nmi_wanted, true);
		arch_send_nmi(smp_processor_id());
		while (READ_ONCE(nmi_wanted))
			cpu_relax();
	}
	EXPECT_EQ(READ_ONCE(watched[0]), 3);
	EXPECT_EQ(hits_of(0), 0);
	WRITE_ONCE(watched[0], 4);
	EXPECT_EQ(hits_of(0), 1);
	end();
}

SELFTEST(debugreg, program_that_hits_them_goes_on)
{
	struct debugreg regs[2] = {
		{ .address = RING3_DATA, .type = DEBUGREG_W, .len = DEBUGREG_LEN_8 },
		{ .type = DEBUGREG_X }
	};
	unsigned cpu = nth_online_cpu(1);
	struct ring3 program;

	begin();
	ASSERT(ring3_start(&program, ring3_spin, ring3_spin_end, cpu));
	smp_call_function_single(cpu, load_here, &(struct load){ regs, 1 }, true);
	while (hits_of(0) < 100)
		msleep(1);
	EXPECT(READ_ONCE(hit_in_user));
	/* The instruction behind the write: each round executes it. */
	regs[1].address = READ_ONCE(hit_ip);
	EXPECT_EQ_HEX(regs[1].address & PAGE_MASK, RING3_CODE);
	smp_call_function_single(cpu, load_here, &(struct load){ regs, 2 }, true);
	while (hits_of(1) < 100)
		msleep(1);
	smp_call_function_single(cpu, load_here, &(struct load){ NULL, 0 }, true);
	/* It ends by itself, with its registers as they should be. */
	program.data[1] = 1;
	EXPECT_EQ(ring3_wait(&program), SIGSEGV);
	EXPECT_EQ(program.data[2], 1);
	ring3_free(&program);
	end();
}

SELFTEST(debugreg, hit_of_a_program_is_not_mixed_with_those_of_the_kernel_on_its_way_in)
{
	struct debugreg regs[2] = {
		{ .address = RING3_DATA, .type = DEBUGREG_W, .len = DEBUGREG_LEN_8 },
		{ .type = DEBUGREG_W, .len = DEBUGREG_LEN_8 }
	};
	unsigned cpu = nth_online_cpu(1);
	struct ring3 program;

	begin();
	ASSERT(ring3_start(&program, ring3_spin, ring3_spin_end, cpu));
	/* The entries from ring 3 save RAX there. */
	regs[1].address = (unsigned long)&task_pt_regs(program.task)->ax;
	do {
		smp_call_function_single(cpu, load_here, &(struct load){ regs, 2 }, true);
		msleep(1);
	} while (hits_of(0) < 100 || !hits_of(1));
	smp_call_function_single(cpu, load_here, &(struct load){ NULL, 0 }, true);
	program.data[1] = 1;
	EXPECT_EQ(ring3_wait(&program), SIGSEGV);
	EXPECT_EQ(program.data[2], 1);
	ring3_free(&program);
	end();
}

static bool may_watch(const void *address, u8 type)
{
	const struct debugreg reg = { .address = (unsigned long)address,
				      .type = type,
				      .len = DEBUGREG_LEN_1 };

	return debugreg_may_watch(&reg);
}

SELFTEST(debugreg, what_the_entries_use_cannot_be_watched)
{
	struct debugreg reg = { .type = DEBUGREG_W, .len = DEBUGREG_LEN_8 };
	unsigned cpu;

	EXPECT(!may_watch(entry_SYSCALL_64, DEBUGREG_X));
	EXPECT(!may_watch((const void *)spin_wait_halt, DEBUGREG_X));
	EXPECT(may_watch((const void *)triple, DEBUGREG_X));
	EXPECT(!may_watch(&idt_table[255], DEBUGREG_RW));
	for_each_possible_cpu (cpu) {
		EXPECT(!may_watch(per_cpu_ptr(&cpu_gdt, cpu), DEBUGREG_RW));
		EXPECT(!may_watch((char *)per_cpu_ptr(&cpu_tss, cpu) + 4, DEBUGREG_RW));
		EXPECT(!may_watch(per_cpu_ptr(&nmi_running, cpu), DEBUGREG_W));
		EXPECT(!may_watch(per_cpu_ptr(&debugreg_control, cpu), DEBUGREG_RW));
		for (unsigned i = 0; i < NR_IST - 1; i++)
			EXPECT(!may_watch(per_cpu(ist_stacks, cpu).base[i], DEBUGREG_W));
		/* One byte of the eight is enough. */
		reg.address = (unsigned long)per_cpu_ptr(&nmi_running, cpu) & ~7UL;
		EXPECT(!debugreg_may_watch(&reg));
	}
	EXPECT(may_watch(watched, DEBUGREG_RW));
	EXPECT(may_watch((const void *)RING3_DATA, DEBUGREG_W));
}

SELFTEST(debugreg, task_and_cpu_have_four_registers_together)
{
	struct hw_breakpoint of_cpu[HBP_NUM], of_task[HBP_NUM], one_cpu, more;
	unsigned first = nth_online_cpu(0), other = nth_online_cpu(1);

	for (unsigned i = 0; i < HBP_NUM; i++) {
		of_cpu[i] = (struct hw_breakpoint){ .cpu = (int)first };
		of_task[i] = (struct hw_breakpoint){ .task = current, .cpu = -1 };
	}
	for (unsigned i = 0; i < HBP_NUM; i++)
		EXPECT_EQ(hw_breakpoint_reserve(&of_task[i]), 0);
	more = (struct hw_breakpoint){ .task = current, .cpu = (int)first };
	EXPECT_EQ(hw_breakpoint_reserve(&more), -ENOSPC);
	EXPECT_EQ(hw_breakpoint_reserve(&of_cpu[0]), -ENOSPC);
	/* Another task has four of its own. */
	more = (struct hw_breakpoint){ .task = idle_task(first), .cpu = -1 };
	EXPECT_EQ(hw_breakpoint_reserve(&more), 0);
	hw_breakpoint_release(&more);
	hw_breakpoint_release(&of_task[3]);
	hw_breakpoint_release(&of_task[1]);
	EXPECT_EQ(hw_breakpoint_reserve(&of_cpu[0]), 0);
	EXPECT_EQ(hw_breakpoint_reserve(&of_cpu[1]), 0);
	EXPECT_EQ(hw_breakpoint_reserve(&of_cpu[2]), -ENOSPC);
	EXPECT_EQ(hw_breakpoint_reserve(&of_task[1]), -ENOSPC);
	one_cpu = (struct hw_breakpoint){ .task = current, .cpu = (int)other };
	EXPECT_EQ(hw_breakpoint_reserve(&one_cpu), other == first ? -ENOSPC : 0);
	if (other != first)
		hw_breakpoint_release(&one_cpu);
	hw_breakpoint_release(&of_cpu[0]);
	hw_breakpoint_release(&of_cpu[1]);
	hw_breakpoint_release(&of_task[0]);
	hw_breakpoint_release(&of_task[2]);
	for (unsigned i = 0; i < HBP_NUM; i++)
		EXPECT_EQ(hw_breakpoint_reserve(&of_cpu[i]), 0);
	for (unsigned i = 0; i < HBP_NUM; i++)
		hw_breakpoint_release(&of_cpu[i]);
	EXPECT(!current->breakpoints);
}
