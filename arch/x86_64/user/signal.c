/*
 * The frame of a signal handler on the stack of a program, and the return from it.
 *
 * The frame is struct rt_sigframe of Linux for x86_64 (sigreturn(2), vdso(7)), because C libraries
 * and unwinders know it. From high to low addresses: the red zone of the interrupted function, the
 * state of the FPU, siginfo, ucontext, the address to which the handler returns. There the C
 * library has code that calls rt_sigreturn(2).
 */
#include "arch/user/signal.h"

#include "arch/irq/descriptors.h"
#include "arch/user/elf.h"
#include "arch/user/fpu.h"
#include "arch/cpu/ptrace.h"
#include "arch/mm/uaccess.h"
#include "kernel/sched/user_work.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"

#define RED_ZONE                                                                                   \
	128 /* bytes below the stack pointer that a function may use (System V ABI 3.2.2) */

#define UC_FP_XSTATE         1 /* the FPU state is that of XSAVE */
#define UC_SIGCONTEXT_SS     2 /* the frame has ss */
#define UC_STRICT_RESTORE_SS 4

struct sigcontext {
	u64 r8, r9, r10, r11, r12, r13, r14, r15;
	u64 di, si, bp, bx, dx, ax, cx, sp, ip;
	u64 flags;
	u16 cs, gs, fs, ss;
	u64 err, trapno, oldmask, cr2;
	u64 fpstate; /* user address */
	u64 reserved[8];
};

struct ucontext {
	u64 uc_flags;
	u64 uc_link;
	struct sigaltstack uc_stack;
	struct sigcontext uc_mcontext;
	u64 uc_sigmask;
};

struct rt_sigframe {
	u64 pretcode;
	struct ucontext uc;
	u8 info[SIGINFO_SIZE];
};

/* The registers that the frame holds as they are in pt_regs. */
#define FOR_EACH_REGISTER(move)                                                                    \
	move(r8);                                                                                  \
	move(r9);                                                                                  \
	move(r10);                                                                                 \
	move(r11);                                                                                 \
	move(r12);                                                                                 \
	move(r13);                                                                                 \
	move(r14);                                                                                 \
	move(r15);                                                                                 \
	move(di);                                                                                  \
	move(si);                                                                                  \
	move(bp);                                                                                  \
	move(bx);                                                                                  \
	move(dx);                                                                                  \
	move(ax);                                                                                  \
	move(cx);                                                                                  \
	move(sp);                                                                                  \
	move(flags)

/* The places of the frame and of the FPU state. 0: they would leave the alternate stack. */
static unsigned long frame_address(const struct ksignal *ksig, const struct pt_regs *regs,
				   unsigned long *fpstate)
{
	const struct task_struct *tsk = current;
	unsigned long sp = regs->sp - RED_ZONE;
	bool on_altstack = on_sig_stack(sp);

	if ((ksig->ka.flags & SA_ONSTACK) && tsk->sas_ss_size && !on_sig_stack(regs->sp)) {
		sp = tsk->sas_ss_sp + tsk->sas_ss_size;
		on_altstack = true;
	}
	sp = *fpstate = ALIGN_DOWN(sp - fpu_frame_size, FPU_ALIGN);
	sp -= sizeof(struct rt_sigframe);
	sp = ALIGN_DOWN(sp, 16) - 8; /* as after a call: the address of the return is pushed */
	if (on_altstack && !in_sig_stack(sp))
		return 0;
	return sp;
}

/* Writes the frame where it is to be, but for the siginfo. False: a fault. */
static bool write_frame(struct rt_sigframe __user *frame, const struct ksignal *ksig,
			const struct pt_regs *regs, unsigned long fpstate)
{
	const struct thread_struct *thread = &current->thread;
	struct sigcontext __user *sc = &frame->uc.uc_mcontext;
	u64 mask = sigmask_to_save(), uc_flags = UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS;
	struct sigaltstack stack;

	if (!access_ok(frame, sizeof(*frame)))
		return false;
	if (fpu_frame_is_extended)
		uc_flags |= UC_FP_XSTATE;
	save_altstack(&stack, regs->sp);
	user_access_begin();
	unsafe_put_u64((u64)ksig->ka.restorer, &frame->pretcode, fault);
	unsafe_put_u64(uc_flags, &frame->uc.uc_flags, fault);
	unsafe_put_u64(0UL, &frame->uc.uc_link, fault);
	unsafe_put_u64(stack.ss_sp, &frame->uc.uc_stack.ss_sp, fault);
	unsafe_put_u64((u64)(u32)stack.ss_flags, (u64 __user *)&frame->uc.uc_stack.ss_flags, fault);
	unsafe_put_u64(stack.ss_size, &frame->uc.uc_stack.ss_size, fault);
#define PUT(reg) unsafe_put_u64(regs->reg, &sc->reg, fault)
	FOR_EACH_REGISTER(PUT);
#undef PUT
	unsafe_put_u64(regs->ip, &sc->ip, fault);
	unsafe_put_u64((u64)__USER_CS | (u64)__USER_DS << 48, (u64 __user *)&sc->cs, fault);
	unsafe_put_u64(thread->error_code, &sc->err, fault);
	unsafe_put_u64(thread->trap_nr, &sc->trapno, fault);
	unsafe_put_u64(mask, &sc->oldmask, fault);
	unsafe_put_u64(thread->cr2, &sc->cr2, fault);
	unsafe_put_u64(fpstate, &sc->fpstate, fault);
	unsafe_put_u64(mask, &frame->uc.uc_sigmask, fault);
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

static bool setup_rt_frame(const struct ksignal *ksig, struct pt_regs *regs)
{
	struct task_struct *tsk = current;
	unsigned long fpstate, at = frame_address(ksig, regs, &fpstate);
	struct rt_sigframe __user *frame = (struct rt_sigframe __user *)at;

	if (!at || !(ksig->ka.flags & SA_RESTORER) || !write_frame(frame, ksig, regs, fpstate) ||
	    !fpu_save_to_user((void __user *)fpstate))
		return false;
	if ((ksig->ka.flags & SA_SIGINFO) && copy_siginfo_to_user(frame->info, &ksig->info))
		return false;
	if (tsk->sas_ss_flags & SS_AUTODISARM)
		tsk->sas_ss_sp = tsk->sas_ss_size = tsk->sas_ss_flags = 0;

	fpu_clear();
	regs->di = (u64)ksig->sig;
	regs->ax = 0; /* a handler with variable arguments has no vector registers */
	regs->si = at + offsetof(struct rt_sigframe, info);
	regs->dx = at + offsetof(struct rt_sigframe, uc);
	regs->ip = (u64)ksig->ka.handler;
	regs->sp = at;
	regs->cs = __USER_CS;
	regs->ss = __USER_DS;
	regs->flags &= ~(X86_EFLAGS_DF | X86_EFLAGS_RF | X86_EFLAGS_TF);
	return true;
}

/* The result of an interrupted system call when a handler runs: -EINTR, or it begins again. */
static void restart_for_handler(struct pt_regs *regs, const struct ksignal *ksig)
{
	switch ((long)regs->ax) {
	case -ERESTART_RESTARTBLOCK:
	case -ERESTARTNOHAND:
		regs->ax = (u64)-EINTR;
		break;
	case -ERESTARTSYS:
		if (!(ksig->ka.flags & SA_RESTART)) {
			regs->ax = (u64)-EINTR;
			break;
		}
		fallthrough;
	case -ERESTARTNOINTR:
		regs->ax = regs->orig_ax;
		regs->ip -= 2; /* the length of SYSCALL */
		break;
	}
}

/* The same when no handler runs. */
static void restart_without_handler(struct pt_regs *regs)
{
	switch ((long)regs->ax) {
	case -ERESTARTNOHAND:
	case -ERESTARTSYS:
	case -ERESTARTNOINTR:
		regs->ax = regs->orig_ax;
		regs->ip -= 2;
		break;
	case -ERESTART_RESTARTBLOCK:
		regs->ax = __NR_restart_syscall;
		regs->ip -= 2;
		break;
	}
}

static bool in_syscall(const struct pt_regs *regs)
{
	return (long)regs->orig_ax >= 0;
}

void arch_do_signal(struct pt_regs *regs)
{
	struct ksignal ksig;

	if (get_signal(&ksig)) {
		if (in_syscall(regs))
			restart_for_handler(regs, &ksig);
		signal_setup_done(!setup_rt_frame(&ksig, regs), &ksig);
		return;
	}
	if (in_syscall(regs))
		restart_without_handler(regs);
	restore_saved_sigmask_unless(false);
}

/* What sigreturn(2) needs of the frame beside the registers. */
struct frame_rest {
	u64 mask, fpstate;
	struct sigaltstack stack;
};

/*
 * Reads the frame straight into the registers. False: a fault. The first and the last word come
 * first: if one is missing, the registers stay as they are.
 */
static __always_inline bool read_frame(struct pt_regs *regs, const struct rt_sigframe __user *frame,
				       struct frame_rest *rest)
{
	const struct sigcontext __user *sc = &frame->uc.uc_mcontext;
	u64 ip, user_flags = regs->flags & ~X86_EFLAGS_USER, stack_flags;

	if (!access_ok(frame, sizeof(*frame)))
		return false;
	user_access_begin();
	unsafe_get_u64(stack_flags, (const u64 __user *)&frame->uc.uc_stack.ss_flags, fault);
	unsafe_get_u64(rest->mask, &frame->uc.uc_sigmask, fault);
	unsafe_get_u64(rest->stack.ss_sp, &frame->uc.uc_stack.ss_sp, fault);
	unsafe_get_u64(rest->stack.ss_size, &frame->uc.uc_stack.ss_size, fault);
	unsafe_get_u64(rest->fpstate, &sc->fpstate, fault);
	unsafe_get_u64(ip, &sc->ip, fault);
#define GET(reg) unsafe_get_u64(regs->reg, &sc->reg, fault)
	FOR_EACH_REGISTER(GET);
#undef GET
	user_access_end();
	rest->stack.ss_flags = (int)stack_flags;
	/* Any number: an IRET to it that faults is the program's fault (fix_bad_iret()). */
	regs->ip = ip;
	regs->flags = user_flags | (regs->flags & X86_EFLAGS_USER);
	/* A program has no other code and data segment. */
	regs->cs = __USER_CS;
	regs->ss = __USER_DS;
	regs->orig_ax = ~0UL; /* this is no system call to restart */
	set_user_work(current, USER_WORK_IRET);
	return true;
fault:
	user_access_end();
	regs->flags = user_flags | (regs->flags & X86_EFLAGS_USER);
	return false;
}

SYSCALL_DEFINE0(rt_sigreturn)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct frame_rest rest;

	current->restart_block.fn = NULL;
	if (!read_frame(regs, (const void __user *)(regs->sp - sizeof(u64)), &rest))
		goto bad;
	set_current_blocked(rest.mask);
	if (!fpu_restore_from_user((const void __user *)rest.fpstate))
		goto bad;
	restore_altstack(&rest.stack, regs->sp);
	return (long)regs->ax;
bad:
	force_sig(SIGSEGV);
	return 0;
}

u64 arch_min_sigstack(void)
{
	/* Both parts of the frame are aligned. */
	return ALIGN(sizeof(struct rt_sigframe) + 16 + fpu_frame_size + FPU_ALIGN, 16);
}
