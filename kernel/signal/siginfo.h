/*
 * What comes with a signal, in the layout that programs see (sigaction(2)), and the flags of
 * sigaction(2) and its kin. Values are Linux's for x86_64.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/lib/string.h"

#define SA_NOCLDSTOP      0x00000001UL
#define SA_NOCLDWAIT      0x00000002UL
#define SA_SIGINFO        0x00000004UL
#define SA_UNSUPPORTED    0x00000400UL
#define SA_EXPOSE_TAGBITS 0x00000800UL
#define SA_IMMUTABLE      0x00800000UL /* the kernel's own: HANDLER_EXIT */
#define SA_RESTORER       0x04000000UL
#define SA_ONSTACK        0x08000000UL
#define SA_RESTART        0x10000000UL
#define SA_NODEFER        0x40000000UL
#define SA_RESETHAND      0x80000000UL
/* The flags that sigaction(2) keeps. */
#define SA_KNOWN                                                                                   \
	(SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_RESTORER | SA_ONSTACK | SA_RESTART |        \
	 SA_NODEFER | SA_RESETHAND | SA_EXPOSE_TAGBITS)

#define SIG_BLOCK   0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2

/* si_code. */
#define SI_QUEUE      (-1)
#define SI_TIMER      (-2)
#define SI_MESGQ      (-3)
#define SI_ASYNCIO    (-4)
#define SI_SIGIO      (-5)
#define SI_TKILL      (-6)
#define SI_DETHREAD   (-7)
#define SI_ASYNCNL    (-60)
#define ILL_ILLOPN    2
#define FPE_INTDIV    1
#define FPE_FLTDIV    3
#define FPE_FLTOVF    4
#define FPE_FLTUND    5
#define FPE_FLTRES    6
#define FPE_FLTINV    7
#define SEGV_MAPERR   1
#define SEGV_ACCERR   2
#define BUS_ADRALN    1
#define BUS_ADRERR    2
#define TRAP_BRKPT    1
#define TRAP_TRACE    2
#define TRAP_HWBKPT   4
#define TRAP_PERF     6
#define SYS_SECCOMP   1
#define CLD_EXITED    1
#define CLD_KILLED    2
#define CLD_DUMPED    3
#define CLD_TRAPPED   4
#define CLD_STOPPED   5
#define CLD_CONTINUED 6

#define TRAP_PERF_FLAG_ASYNC 1 /* of si_perf_flags: the signal was blocked */

/* siginfo_t of a program. The rest is 0, and not kept here. */
#define SIGINFO_SIZE        128
#define KERNEL_SIGINFO_SIZE 48

struct siginfo {
	int si_signo;
	int si_errno;
	int si_code;
	int pad;
	union {
		struct {
			pid_t si_pid;
			u32 si_uid;
			union {
				u64 si_value; /* sigqueue(3) */
				struct {
					int si_status;
					long si_utime, si_stime; /* in 1/100 s */
				};
			};
		};
		struct {
			int si_tid; /* of a POSIX timer */
			int si_overrun;
			u64 si_timer_value;
			int si_sys_private;
		};
		struct {
			unsigned long si_addr;
			union {
				short si_addr_lsb;
				struct { /* TRAP_PERF */
					unsigned long si_perf_data;
					u32 si_perf_type, si_perf_flags;
				};
			};
		};
		struct {
			long si_band;
			int si_fd;
		};
		struct {
			unsigned long si_call_addr;
			int si_syscall;
			unsigned si_arch;
		};
		u8 bytes[KERNEL_SIGINFO_SIZE - 16];
	};
};
BUILD_BUG_ON(sizeof(struct siginfo) != KERNEL_SIGINFO_SIZE);

/* Writes the siginfo_t of a program. 0 or -EFAULT. Task context. */
int copy_siginfo_to_user(void __user *to, const struct siginfo *info);
/* Reads it. -E2BIG: a code that the kernel does not know, with bytes that it does not keep. */
int copy_siginfo_from_user(struct siginfo *info, const void __user *from);

/* Which fields of a siginfo are set. */
enum siginfo_layout { SIL_KILL, SIL_TIMER, SIL_POLL, SIL_FAULT, SIL_CHLD, SIL_RT };
enum siginfo_layout siginfo_layout(const struct siginfo *info);

/* Fills *info with a signal number, a code, and zeros. */
static inline void init_siginfo(struct siginfo *info, int sig, int code)
{
	__builtin_memset(info, 0, sizeof(*info)); /* inline */
	info->si_signo = sig;
	info->si_code = code;
}

/* sigaltstack(2): stack_t. */
#define SS_ONSTACK    1
#define SS_DISABLE    2
#define SS_AUTODISARM (1U << 31)
#define MINSIGSTKSZ   2048

struct sigaltstack {
	unsigned long ss_sp;
	int ss_flags;
	size_t ss_size;
};
