/*
 * ptrace(2): one task, the tracer, sees and controls another one, the tracee.
 *
 * The idea. A tracee *stops*: it sleeps in TASK_TRACED, at a place where all registers of the
 * program are in task_pt_regs(). There it holds no lock and no reference that is not its own. The
 * tracer, a thread, learns of the stop by wait4(2), reads and changes the tracee by requests, and
 * lets it go on by one more request.
 *
 *	stop             where                              what wait4(2) reports
 *	signal delivery  get_signal(), before it is acted   the signal
 *	group stop       get_signal(): JOBCTL_TRAP_STOP     the signal; seized: | EVENT_STOP << 8
 *	event            end of fork and exec, before exit  SIGTRAP | event << 8
 *	system call      before and after the call          SIGTRAP, or SIGTRAP | 0x80
 *
 * Files: attach.c begins and ends the tracing, stop.c is the side of the tracee, syscall.c its
 * system calls and steps; request.c is the side of the tracer, memory.c and regset.c what it reads
 * and writes; arch/user/ptrace.c has the registers.
 *
 * What a request may rely on. ptrace_check_attach() *freezes* the tracee: from the state
 * TASK_TRACED it takes TASK_WAKEKILL, so that not even SIGKILL wakes it, and waits until the CPU
 * has left the tracee's stack. So the request has the tracee for itself, although it holds no lock,
 * and may sleep. ptrace_unfreeze() puts TASK_WAKEKILL back, and wakes a tracee that was killed
 * meanwhile. INTERRUPT, and PTRACE_KILL, need no stopped tracee.
 *
 * Who may. ATTACH and SEIZE: ptrace_may_access(PTRACE_MODE_ATTACH_REALCREDS), under the
 * exec_update_lock of the tracee, so that the tracee has these credentials and that memory. A
 * tracee that gets more rights by exec gets none (limit_exec_creds()), unless the tracer could
 * trace everything. All other requests: the thread that is the tracer, and no other.
 */
#pragma once

#include "kernel/signal/signal.h"
#include "kernel/task/tracee.h"

/* Requests, Linux's numbers. arch/user/ptrace.h has those of the machine. */
#define PTRACE_TRACEME          0
#define PTRACE_PEEKTEXT         1
#define PTRACE_PEEKDATA         2
#define PTRACE_POKETEXT         4
#define PTRACE_POKEDATA         5
#define PTRACE_CONT             7
#define PTRACE_KILL             8
#define PTRACE_SINGLESTEP       9
#define PTRACE_ATTACH           16
#define PTRACE_DETACH           17
#define PTRACE_OLDSETOPTIONS    21
#define PTRACE_SYSCALL          24
#define PTRACE_SETOPTIONS       0x4200
#define PTRACE_GETEVENTMSG      0x4201
#define PTRACE_GETSIGINFO       0x4202
#define PTRACE_SETSIGINFO       0x4203
#define PTRACE_GETREGSET        0x4204
#define PTRACE_SETREGSET        0x4205
#define PTRACE_SEIZE            0x4206
#define PTRACE_INTERRUPT        0x4207
#define PTRACE_LISTEN           0x4208
#define PTRACE_GETSIGMASK       0x420a
#define PTRACE_SETSIGMASK       0x420b
#define PTRACE_GET_SYSCALL_INFO 0x420e

/* Options: bit n for event n, and these. */
#define PTRACE_O_TRACESYSGOOD 1U
#define PTRACE_O_EXITKILL     (1U << 20)
#define PTRACE_O_MASK         (0xffU | PTRACE_O_EXITKILL)

/* The message of a stop at a system call. */
#define PTRACE_EVENTMSG_SYSCALL_ENTRY 1
#define PTRACE_EVENTMSG_SYSCALL_EXIT  2

/* ---- attach.c: task context, no lock held ---- */

int ptrace_traceme(void);
/* PTRACE_ATTACH; PTRACE_SEIZE with options. */
int ptrace_attach(struct task_struct *task, bool seize, unsigned long options);
/* The current task no longer traces task, which is frozen and goes on with that signal. */
int ptrace_detach(struct task_struct *task, unsigned long sig);
/*
 * 0: the current task traces task, and task is frozen (`frozen`), or does what it likes. -ESRCH: it
 * does not, or task is not stopped.
 */
int ptrace_check_attach(struct task_struct *task, bool frozen);
void ptrace_unfreeze(struct task_struct *task);
/* For fork and for attach_child(). tracee is new; L and the siglock of tracee->task held. */
void ptrace_link(struct tracee *tracee, struct task_struct *tracer, const struct cred *cred);
struct tracee *alloc_tracee(struct task_struct *task);
/* ptrace_ops.unlink() and tracer_exits(). */
void ptrace_unlink(struct task_struct *task);
void ptrace_tracer_exits(struct task_struct *tracer, struct list_head *dead);

/* ---- stop.c ---- */

/*
 * The current task stops with code = SIGTRAP and more, for PTRACE_GETEVENTMSG with that message.
 * Returns the signal that the tracer wants it to get, or 0. Task context, no lock held.
 */
int ptrace_notify(int code, unsigned long message);

/* ---- syscall.c ---- */

/* PTRACE_GET_SYSCALL_INFO. task is frozen. The size, or -EFAULT. */
long ptrace_get_syscall_info(struct task_struct *task, size_t size, void __user *to);
/* The current task has stopped within a system call, whose end it may have to report. */
void ptrace_stopped_in_syscall(void);

/* ---- memory.c, regset.c: task is frozen ---- */

long ptrace_peek(struct task_struct *task, unsigned long addr, unsigned long __user *to);
long ptrace_poke(struct task_struct *task, unsigned long addr, unsigned long value);
long ptrace_regset(struct task_struct *task, unsigned long type, void __user *uiov, bool set);
