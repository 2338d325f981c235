/*
 * The frame of a signal handler on the stack of a program, and the return from it.
 *
 * The frame is struct rt_sigframe of Linux for x86_64 (sigreturn(2), vdso(7)), because C libraries
 * and unwinders know it. From high to low addresses: the red zone of the interrupted function, the
 * state of the FPU, siginfo, ucontext, the address to which the handler returns. There the C
 * library has code that calls rt_sigreturn(2).
 */
#include "arch/signal.h"

#include "arch/descriptors.h"
#include "arch/elf.h"
#include "arch/fpu.h"
#include "arch/ptrace.h"
#include "arch/uaccess.h"
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
	struct siginfo info;
};

static void save_registers(struct sigcontext *sc, const struct pt_regs *regs)
{
	const struct thread_struct *thread = &current->thread;

	*sc = (struct sigcontext){
		.r8 = regs->r8,
		.r9 = regs->r9,
		.r10 = regs->r10,
		.r11 = regs->r11,
		.r12 = regs->r12,
		.r13 = regs->r13,
		.r14 = regs->r14,
		.r15 = regs->r15,
		.di = regs->di,
		.si = regs->si,
		.bp = regs->bp,
		.bx = regs->bx,
		.dx = regs->dx,
		.ax = regs->ax,
		.cx = regs->cx,
		.sp = regs->sp,
		.ip = regs->ip,
		.flags = regs->flags,
		.cs = (u16)regs->cs,
		.ss = (u16)regs->ss,
		.err = thread->error_code,
		.trapno = thread->trap_nr,
		.cr2 = thread->cr2,
	};
}

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
	sp = *fpstate = ALIGN_DOWN(sp - fpu_frame_size(), FPU_ALIGN);
	sp -= sizeof(struct rt_sigframe);
	sp = ALIGN_DOWN(sp, 16) - 8; /* as after a call: the address of the return is pushed */
	if (on_altstack && !on_sig_stack(sp))
		return 0;
	return sp;
}

static bool setup_rt_frame(const struct ksignal *ksig, struct pt_regs *regs)
{
	struct task_struct *tsk = current;
	struct rt_sigframe frame;
	unsigned long fpstate, at = frame_address(ksig, regs, &fpstate);

	if (!at || !(ksig->ka.flags & SA_RESTORER) || !fpu_save_to_user((void __user *)fpstate))
		return false;
	memset(&frame, 0, sizeof(frame));
	frame.pretcode = (u64)ksig->ka.restorer;
	frame.uc.uc_flags = UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS |
			    (fpu_frame_is_extended() ? UC_FP_XSTATE : 0);
	save_altstack(&frame.uc.uc_stack, regs->sp);
	save_registers(&frame.uc.uc_mcontext, regs);
	frame.uc.uc_mcontext.fpstate = fpstate;
	frame.uc.uc_sigmask = sigmask_to_save();
	frame.uc.uc_mcontext.oldmask = frame.uc.uc_sigmask;
	frame.info = ksig->info;
	if (copy_to_user((void __user *)at, &frame, sizeof(frame)))
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

static bool restore_registers(struct pt_regs *regs, const struct sigcontext *sc)
{
	if (sc->ip >= TASK_SIZE_MAX)
		return false; /* SYSRET and IRET must not fault in the kernel */
	regs->r8 = sc->r8;
	regs->r9 = sc->r9;
	regs->r10 = sc->r10;
	regs->r11 = sc->r11;
	regs->r12 = sc->r12;
	regs->r13 = sc->r13;
	regs->r14 = sc->r14;
	regs->r15 = sc->r15;
	regs->di = sc->di;
	regs->si = sc->si;
	regs->bp = sc->bp;
	regs->bx = sc->bx;
	regs->dx = sc->dx;
	regs->ax = sc->ax;
	regs->cx = sc->cx;
	regs->sp = sc->sp;
	regs->ip = sc->ip;
	/* A program has no other code and data segment. */
	regs->cs = __USER_CS;
	regs->ss = __USER_DS;
	regs->flags = (regs->flags & ~X86_EFLAGS_USER) | (sc->flags & X86_EFLAGS_USER);
	regs->orig_ax = ~0UL; /* this is no system call to restart */
	set_user_work(current, USER_WORK_IRET);
	return true;
}

SYSCALL_DEFINE0(rt_sigreturn)
{
	struct pt_regs *regs = task_pt_regs(current);
	const struct rt_sigframe __user *at = (const void __user *)(regs->sp - sizeof(u64));
	struct rt_sigframe frame;

	current->restart_block.fn = NULL;
	if (copy_from_user(&frame, at, sizeof(frame)))
		goto bad;
	set_current_blocked(frame.uc.uc_sigmask);
	if (!restore_registers(regs, &frame.uc.uc_mcontext) ||
	    !fpu_restore_from_user((const void __user *)frame.uc.uc_mcontext.fpstate))
		goto bad;
	restore_altstack(&frame.uc.uc_stack, regs->sp);
	return (long)regs->ax;
bad:
	force_sig(SIGSEGV);
	return 0;
}

u64 arch_min_sigstack(void)
{
	/* Both parts of the frame are aligned. */
	return ALIGN(sizeof(struct rt_sigframe) + 16 + fpu_frame_size() + FPU_ALIGN, 16);
}
