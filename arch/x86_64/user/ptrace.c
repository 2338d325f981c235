/*
 * Registers of a task that another one traces. See ptrace.h.
 *
 * What a tracer writes is checked here: the kernel must not fault when it loads a register, and a
 * program gets no flag and no segment that it could not have set itself.
 */
#include "arch/user/ptrace.h"

#include "arch/irq/descriptors.h"
#include "arch/user/fpu.h"
#include "arch/user/regset.h"
#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/ptrace/ptrace.h"
#include "kernel/sched/mm.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/vm/mm.h"

#define PTRACE_PEEKUSR    3
#define PTRACE_POKEUSR    6
#define PTRACE_GETREGS    12
#define PTRACE_SETREGS    13
#define PTRACE_GETFPREGS  14
#define PTRACE_SETFPREGS  15
#define PTRACE_ARCH_PRCTL 30
#define ARCH_SET_GS       0x1001
#define ARCH_SET_FS       0x1002
#define ARCH_GET_FS       0x1003
#define ARCH_GET_GS       0x1004

#define NT_PRSTATUS   1
#define NT_PRFPREG    2
#define NT_X86_XSTATE 0x202

/* struct user_regs_struct: the registers of pt_regs in the same order, then these. */
enum {
	REG_FLAGS = offsetof(struct pt_regs, flags) / 8,
	REG_CS = offsetof(struct pt_regs, cs) / 8,
	REG_SS = offsetof(struct pt_regs, ss) / 8,
	REG_FS_BASE = sizeof(struct pt_regs) / 8,
	REG_GS_BASE,
	REG_DS,
	REG_ES,
	REG_FS,
	REG_GS,
	NR_REGS,
};

#define USER_AREA_SIZE 928 /* struct user */
#define USER_DEBUGREG  848 /* its u_debugreg[8] */

/* ---- single steps ---- */

#define INSN_MAX    15 /* bytes of the longest instruction (Intel SDM 2A 2.3.11) */
#define OPCODE_POPF 0x9d
#define OPCODE_IRET 0xcf

static bool has_forced_tf(const struct task_struct *task)
{
	return READ_ONCE(task->syscall_trace) & SYSCALL_WORK_FORCED_TF;
}

/* Intel SDM 2A 2.1.1, and REX. */
static bool is_prefix(u8 byte)
{
	static const u8 prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
				       0x66, 0x67, 0xf0, 0xf2, 0xf3 };

	return (byte & 0xf0) == 0x40 || memchr(prefixes, byte, sizeof(prefixes));
}

/* The next instruction is POPF or IRET: TF is then what the program wants. */
static bool sets_flags(struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);
	u8 text[INSN_MAX];
	size_t len, i = 0;

	if (!mm)
		return false;
	len = access_remote_vm(mm, task_pt_regs(task)->ip, text, sizeof(text), false);
	mmput(mm);
	while (i < len && is_prefix(text[i]))
		i++;
	return i < len && (text[i] == OPCODE_POPF || text[i] == OPCODE_IRET);
}

void user_enable_single_step(struct task_struct *task)
{
	struct pt_regs *regs = task_pt_regs(task);
	bool own = (regs->flags & X86_EFLAGS_TF) && !has_forced_tf(task);

	regs->flags |= X86_EFLAGS_TF;
	if (own || sets_flags(task))
		set_syscall_work(task, SYSCALL_WORK_STEP, SYSCALL_WORK_FORCED_TF);
	else
		set_syscall_work(task, SYSCALL_WORK_STEP | SYSCALL_WORK_FORCED_TF, 0);
	ptrace_step_debugregs(task, true);
}

void user_disable_single_step(struct task_struct *task)
{
	if (has_forced_tf(task))
		task_pt_regs(task)->flags &= ~X86_EFLAGS_TF;
	set_syscall_work(task, 0, SYSCALL_WORK_STEP | SYSCALL_WORK_FORCED_TF);
	ptrace_step_debugregs(task, false);
}

/* ---- registers ---- */

static u16 *selector(struct task_struct *task, unsigned reg)
{
	union segments *segments = &task->thread.segments;

	switch (reg) {
	case REG_DS:
		return &segments->ds;
	case REG_ES:
		return &segments->es;
	case REG_FS:
		return &segments->fs;
	default:
		return &segments->gs;
	}
}

/* As the program has them: without the tracer's TF. */
static struct user_regs_struct get_regs(const struct task_struct *task)
{
	struct user_regs_struct all = regset_get_general(task);

	if (has_forced_tf(task))
		all.regs.flags &= ~X86_EFLAGS_TF;
	return all;
}

static u64 get_reg(const struct task_struct *task, unsigned reg)
{
	const struct user_regs_struct all = get_regs(task);

	return ((const u64 *)&all)[reg];
}

static void set_flags(struct task_struct *task, u64 value)
{
	struct pt_regs *regs = task_pt_regs(task);

	if (value & X86_EFLAGS_TF)
		set_syscall_work(task, 0, SYSCALL_WORK_FORCED_TF);
	else if (has_forced_tf(task))
		value |= X86_EFLAGS_TF;
	regs->flags = (regs->flags & ~X86_EFLAGS_USER) | (value & X86_EFLAGS_USER);
}

/* Selectors that the CPU loads without a fault. */
static bool valid_selector(u64 value)
{
	return value <= 3 || value == __USER_DS || value == __USER_CS || value == __USER32_CS;
}

/* 0, or -EIO: a program cannot have that value. */
static long set_reg(struct task_struct *task, unsigned reg, u64 value)
{
	u64 *regs = (u64 *)task_pt_regs(task);

	switch (reg) {
	case REG_FLAGS:
		set_flags(task, value);
		return 0;
	case REG_CS:
	case REG_SS: /* a program has no other ones */
		return value == regs[reg] ? 0 : -EIO;
	case REG_FS_BASE:
	case REG_GS_BASE: /* WRMSR would fault in the kernel */
		if (value >= TASK_SIZE_MAX)
			return -EIO;
		*(reg == REG_FS_BASE ? &task->thread.fsbase : &task->thread.gsbase) = value;
		return 0;
	case REG_DS:
	case REG_ES:
	case REG_FS:
	case REG_GS: /* MOV to a segment register would */
		if (!valid_selector(value))
			return -EIO;
		*selector(task, reg) = (u16)value;
		return 0;
	}
	regs[reg] = value;
	return 0;
}

static size_t general_size(void)
{
	return NR_REGS * sizeof(u64);
}

static long get_general(struct task_struct *task, void *buf)
{
	*(struct user_regs_struct *)buf = get_regs(task);
	return 0;
}

/* Up to the first value that a program cannot have. */
static long set_general(struct task_struct *task, const void *buf, size_t len)
{
	long error = 0;

	for (unsigned reg = 0; reg < len / sizeof(u64) && !error; reg++)
		error = set_reg(task, reg, ((const u64 *)buf)[reg]);
	return error;
}

static const struct user_regset general_regset = { general_size, get_general, set_general };

const struct user_regset *arch_regset(unsigned type)
{
	switch (type) {
	case NT_PRSTATUS:
		return &general_regset;
	case NT_PRFPREG:
		return &fpu_regset;
	case NT_X86_XSTATE:
		return xstate_regset.size() ? &xstate_regset : NULL;
	}
	return NULL;
}

/* ---- requests ---- */

/* Which debug register is at that place of the area; 8 or more: none. */
static unsigned long debugreg_at(unsigned long addr)
{
	return (addr - USER_DEBUGREG) / sizeof(u64);
}

/* The area of a.out core dumps: its registers have words, the rest is 0 and not written. */
static long peek_user(struct task_struct *task, unsigned long addr, u64 __user *to)
{
	u64 value = 0;

	if (addr % sizeof(u64) || addr >= USER_AREA_SIZE)
		return -EIO;
	if (addr / 8 < NR_REGS)
		value = get_reg(task, (unsigned)(addr / 8));
	else if (debugreg_at(addr) < 8)
		value = ptrace_get_debugreg(task, (unsigned)debugreg_at(addr));
	return put_user(value, to) ? -EFAULT : 0;
}

static long poke_user(struct task_struct *task, unsigned long addr, u64 value)
{
	if (addr % sizeof(u64))
		return -EIO;
	if (debugreg_at(addr) < 8)
		return ptrace_set_debugreg(task, (unsigned)debugreg_at(addr), value);
	return addr / 8 < NR_REGS ? set_reg(task, (unsigned)(addr / 8), value) : -EIO;
}

/* A whole set at data. */
static long move_regset(struct task_struct *task, unsigned type, void __user *data, bool set)
{
	const struct user_regset *regset = arch_regset(type);
	u64 buf[FPU_LEGACY_SIZE / sizeof(u64)]; /* the larger of the two */
	size_t size = regset->size();
	long error;

	if (set)
		return copy_from_user(buf, data, size) ? -EFAULT : regset->set(task, buf, size);
	error = regset->get(task, buf);
	if (error)
		return error;
	return copy_to_user(data, buf, size) ? -EFAULT : 0;
}

/* arch_prctl(2) of the task: the arguments come the other way round. */
static long arch_prctl_of(struct task_struct *task, unsigned long addr, unsigned long option)
{
	switch (option) {
	case ARCH_SET_FS:
	case ARCH_SET_GS:
		return set_reg(task, option == ARCH_SET_FS ? REG_FS_BASE : REG_GS_BASE, addr)
			       ? -EPERM
			       : 0;
	case ARCH_GET_FS:
		return put_user(task->thread.fsbase, (u64 __user *)addr) ? -EFAULT : 0;
	case ARCH_GET_GS:
		return put_user(task->thread.gsbase, (u64 __user *)addr) ? -EFAULT : 0;
	}
	return -EINVAL;
}

long arch_ptrace(struct task_struct *task, long request, unsigned long addr, unsigned long data)
{
	void __user *user = (void __user *)data;

	switch (request) {
	case PTRACE_PEEKUSR:
		return peek_user(task, addr, user);
	case PTRACE_POKEUSR:
		return poke_user(task, addr, data);
	case PTRACE_GETREGS:
	case PTRACE_SETREGS:
		return move_regset(task, NT_PRSTATUS, user, request == PTRACE_SETREGS);
	case PTRACE_GETFPREGS:
	case PTRACE_SETFPREGS:
		return move_regset(task, NT_PRFPREG, user, request == PTRACE_SETFPREGS);
	case PTRACE_ARCH_PRCTL:
		return arch_prctl_of(task, addr, data);
	}
	return -EIO;
}
