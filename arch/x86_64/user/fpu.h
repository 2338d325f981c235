/*
 * The registers that only programs use: x87, SSE, AVX, AVX-512, and the bases of FS and GS.
 *
 * The kernel uses no FPU register, so a program's registers stay in the CPU while its task is in
 * the kernel. A switch away from the task saves them and sets USER_WORK_FPU. The way back to ring 3
 * loads them again, if this CPU does not hold them any more: a kernel task in between changes
 * nothing. The bases of FS and GS, and the selectors of DS, ES, FS and GS, are saved and loaded by
 * each switch.
 */
#pragma once

#include "kernel/compiler.h"

struct task_struct;

/* Gives p, which is new, a copy of the current task's registers. 0 or -ENOMEM. Task context. */
int fpu_fork(struct task_struct *p);
/*
 * Gives the current task the registers of the start of a program, and bases of 0. Allocates if the
 * task was a kernel task. 0 or -ENOMEM. Task context.
 */
int fpu_reset(void);
/*
 * Gives the current task a base of GS or FS, and the selector 0: the base is not that of a
 * descriptor. Task context.
 */
void arch_set_segment_base(bool gs, u64 base);
/* Loads the selector of GS, and so the program's base: arch/cpu/switch.asm. Interrupts off. */
void load_gs_of_program(u16 selector);
/* Loads the registers of p, the current task, if this CPU does not hold them. Interrupts off. */
void fpu_restore(struct task_struct *p);

/*
 * The si_code of the exception #MF (x87) or #XF (SSE) of the current task. 0: no exception is
 * pending and unmasked. Task context.
 */
int fpu_exception_code(bool sse);

/* Writes the registers of the current task, which the CPU holds, to its thread_struct. */
void fpu_sync(void);
/*
 * The state of a task that does not run, or is current and has called fpu_sync(): fpu_state_size
 * bytes, in the format of XSAVE, with the mask of its components (XCR0) at byte 464 as debuggers
 * expect it; or 512 bytes of FXSAVE. Task context.
 */
extern size_t fpu_state_size; /* constant after boot */
void fpu_get_state(const struct task_struct *task, void *state);
/*
 * Gives a task that does not run such a state: fpu_state_size bytes, or the 512 of FXSAVE for the
 * registers of x87 and SSE alone. 0, or -EINVAL: XRSTOR would refuse it. Task context.
 */
#define FPU_LEGACY_SIZE 512
int fpu_set_state(struct task_struct *task, const void *from, size_t size);

/*
 * For the frames of signal handlers. The state lies at an address that is a multiple of 64, in the
 * format of Linux (arch/x86/include/uapi/asm/sigcontext.h). fpu_frame_size: its bytes.
 * fpu_save_to_user(): false after a fault. fpu_restore_from_user(): false if there is no memory or
 * no valid state; NULL is the initial state. Task context.
 */
#define FPU_ALIGN 64
extern size_t fpu_frame_size;      /* constant after boot */
extern bool fpu_frame_is_extended; /* has the state of XSAVE; constant after boot */
bool fpu_save_to_user(void __user *at);
bool fpu_restore_from_user(const void __user *at);
/* Gives the current task the registers of the start of a program. Task context. */
void fpu_clear(void);
