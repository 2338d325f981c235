/*
 * The debug registers of a task, as its tracer sees them: watchpoints of gdb.
 *
 * The tracer writes them while the task is stopped, so no CPU has loaded them. Each switch to the
 * task loads them, and each switch away takes them out: two hooks, the first and the last one of a
 * switch, so that breakpoints of perf are out before these come in. The hooks are on while a task
 * has debug registers. A register is reserved (kernel/hw_breakpoint.h) while its task switches it
 * on. They end with the program: exec and exit clear them, and a new task has none.
 *
 * While the tracer steps a task, those that watch data are not loaded. QEMU raises two #DB for an
 * instruction that is stepped and hits, and the frame of the first one is lost: arch/irq/entry.asm.
 * So the values before and after a step are compared: only a write of another value is seen.
 */
#include "arch/cpu/irqflags.h"
#include "arch/cpu/ptrace.h"
#include "arch/mm/uaccess.h"
#include "arch/user/ptrace.h"
#include "kernel/hw_breakpoint.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/mutex.h"
#include "kernel/task/tracee.h"
#include "kernel/vm/mm.h"

#define DR_STATUS  6
#define DR_CONTROL 7

/* [R] the tracer while the task is stopped, and the task while it is not; [O] the task's CPU. */
struct debugregs {
	u64 address[HBP_NUM]; /* [R] */
	u64 control;          /* [R] as in DR7 */
	u64 status;           /* [R] bit n: register n was hit */
	struct hw_breakpoint bp[HBP_NUM];
	u64 before[HBP_NUM]; /* [R] the values, when the step began */
	bool stepped;        /* [R] the task executes one instruction */
	unsigned reserved;   /* [R] bit n: bp[n] is */
	unsigned loaded;     /* [O] bit n: this CPU has bp[n] */
};

static unsigned users; /* [users_mutex] tasks with debug registers */
static DEFINE_MUTEX(users_mutex);

#define for_each_bit(i, bits)                                                                      \
	for (unsigned i = 0; i < HBP_NUM; i++)                                                     \
		if ((bits) & (1U << i))
#define for_each_reserved(regs, i) for_each_bit(i, (regs)->reserved)

/* ---- at a task switch, or with interrupts off ---- */

static void unload(struct debugregs *regs)
{
	for_each_bit(i, regs->loaded) debugreg_stop(&regs->bp[i]);
	regs->loaded = 0;
}

static void leave_task(struct task_struct *prev, struct task_struct *next __unused)
{
	if (prev->debugregs)
		unload(prev->debugregs);
}

/* Which registers watch data. */
static unsigned watching(const struct debugregs *regs)
{
	unsigned data = 0;

	for_each_reserved(regs, i) data |= (unsigned)(regs->bp[i].reg.type != DEBUGREG_X) << i;
	return data;
}

static void enter_task(struct task_struct *prev __unused, struct task_struct *next)
{
	struct debugregs *regs = next->debugregs;
	unsigned load;

	if (!regs)
		return;
	load = regs->reserved;
	if (regs->stepped)
		load &= ~watching(regs);
	for_each_bit(i, load) debugreg_start(&regs->bp[i]);
	regs->loaded = load;
}

static struct sched_switch_hook leave_hook = { .fn = leave_task, .first = true };
static struct sched_switch_hook enter_hook = { .fn = enter_task, .last = true };

/* The program gets a SIGTRAP. The kernel, which reads and writes its memory, goes on. */
static bool hit(struct hw_breakpoint *bp, struct pt_regs *regs)
{
	struct debugregs *of_task = bp->task->debugregs;

	if (!user_mode(regs))
		return true;
	of_task->status |= 1UL << (bp - of_task->bp);
	return false;
}

/* ---- single steps ---- */

/* The bytes at the address of register i; 0: they cannot be read. */
static u64 value_of(struct task_struct *task, unsigned i)
{
	const struct debugreg *reg = &task->debugregs->bp[i].reg;
	size_t size = debugreg_bytes(reg->len);
	u64 value = 0;

	return access_remote_vm(task->mm, reg->address, &value, size, false) == size ? value : 0;
}

void ptrace_step_debugregs(struct task_struct *task, bool on)
{
	struct debugregs *regs = task->debugregs;

	if (!regs)
		return;
	regs->stepped = on;
	if (on)
		for_each_bit(i, watching(regs)) regs->before[i] = value_of(task, i);
}

/* ptrace_ops.stepped(). */
static void find_changes(void)
{
	struct debugregs *regs = current->debugregs;

	if (!regs->stepped)
		return;
	for_each_bit(i, watching(regs)) regs->status |=
		(u64)(value_of(current, i) != regs->before[i]) << i;
}

/* ---- the tracer ---- */

static void count_user(bool more)
{
	mutex_lock(&users_mutex);
	users += more ? 1 : -1U;
	sched_switch_hook_set(&leave_hook, users);
	sched_switch_hook_set(&enter_hook, users);
	mutex_unlock(&users_mutex);
}

static struct debugregs *make_debugregs(struct task_struct *task)
{
	struct debugregs *regs = task->debugregs;

	if (regs)
		return regs;
	regs = kzalloc(sizeof(*regs), GFP_KERNEL);
	if (!regs)
		return NULL;
	for (unsigned i = 0; i < HBP_NUM; i++) {
		regs->bp[i].hit = hit;
		regs->bp[i].task = task;
		regs->bp[i].cpu = -1;
	}
	count_user(true);
	task->debugregs = regs;
	return regs;
}

/* DR7: two bits that switch a register on, and four with its type and length. */
static bool is_on(u64 control, unsigned i)
{
	return control >> 2 * i & 3;
}

static struct debugreg decode(u64 control, unsigned i, u64 address)
{
	unsigned kind = control >> (16 + 4 * i) & 0xf;

	return (struct debugreg){ .address = address, .type = kind & 3, .len = kind >> 2 };
}

/* A program's own memory, of a kind that the CPU knows. */
static bool valid(const struct debugreg *reg)
{
	static const u8 masks[] = { [DEBUGREG_LEN_1] = 0,
				    [DEBUGREG_LEN_2] = 1,
				    [DEBUGREG_LEN_4] = 3,
				    [DEBUGREG_LEN_8] = 7 };

	if (reg->address >= TASK_SIZE_MAX || (reg->address & masks[reg->len]))
		return false;
	if (reg->type == DEBUGREG_X)
		return reg->len == DEBUGREG_LEN_1;
	return reg->type == DEBUGREG_W || reg->type == DEBUGREG_RW;
}

static bool all_valid(const struct debugregs *regs, u64 control)
{
	for (unsigned i = 0; i < HBP_NUM; i++) {
		struct debugreg reg = decode(control, i, regs->address[i]);

		if (is_on(control, i) && !valid(&reg))
			return false;
	}
	return true;
}

static void release(struct debugregs *regs, unsigned which)
{
	for_each_reserved(regs, i) if (which & (1U << i)) hw_breakpoint_release(&regs->bp[i]);
	regs->reserved &= ~which;
}

static long write_control(struct debugregs *regs, u64 control)
{
	unsigned on = 0, before = regs->reserved;

	if (!all_valid(regs, control))
		return -EINVAL;
	for (unsigned i = 0; i < HBP_NUM; i++) {
		if (!is_on(control, i))
			continue;
		on |= 1U << i;
		if (regs->reserved & (1U << i))
			continue;
		if (hw_breakpoint_reserve(&regs->bp[i])) {
			release(regs, ~before);
			return -ENOSPC;
		}
		regs->reserved |= 1U << i;
	}
	release(regs, ~on);
	for_each_reserved(regs, i) regs->bp[i].reg = decode(control, i, regs->address[i]);
	regs->control = control;
	return 0;
}

static long write_address(struct debugregs *regs, unsigned i, u64 address)
{
	struct debugreg reg = decode(regs->control, i, address);

	if (address >= TASK_SIZE_MAX || (is_on(regs->control, i) && !valid(&reg)))
		return -EINVAL;
	regs->address[i] = address;
	regs->bp[i].reg.address = address;
	return 0;
}

u64 ptrace_get_debugreg(struct task_struct *task, unsigned i)
{
	const struct debugregs *regs = task->debugregs;

	if (!regs)
		return 0;
	if (i < HBP_NUM)
		return regs->address[i];
	if (i == DR_STATUS)
		return regs->status;
	return i == DR_CONTROL ? regs->control : 0;
}

long ptrace_set_debugreg(struct task_struct *task, unsigned i, u64 value)
{
	struct debugregs *regs = task->debugregs;

	if (i == 4 || i == 5)
		return -EIO;
	if (!regs && !value)
		return 0;
	regs = make_debugregs(task);
	if (!regs)
		return -ENOMEM;
	if (i < HBP_NUM)
		return write_address(regs, i, value);
	if (i == DR_CONTROL)
		return write_control(regs, value);
	regs->status = value;
	return 0;
}

/* ptrace_ops.clear_debugregs(): of the current task. */
static void clear_debugregs(void)
{
	struct debugregs *regs = current->debugregs;

	local_irq_disable();
	unload(regs);
	current->debugregs = NULL;
	local_irq_enable();
	release(regs, ~0U);
	count_user(false);
	kfree(regs);
}

static int __init ptrace_debugreg_init(void)
{
	ptrace_ops.clear_debugregs = clear_debugregs;
	ptrace_ops.stepped = find_changes;
	return 0;
}
early_initcall(ptrace_debugreg_init);
