/* The registers of each CPU that SYSCALL and SYSRET use (Intel SDM 3A 5.8.8). */
#include "arch/user/syscall.h"

#include "arch/boot/cpuinfo.h"
#include "arch/irq/descriptors.h"
#include "arch/cpu/ptrace.h"
#include "arch/cpu/special_insns.h"

/*
 * SYSCALL clears these flags. IF, because the entry first has to leave the program's stack. DF and
 * AC, because C and SMAP need them clear. TF, because the kernel is not single-stepped. NT, because
 * IRET would fault. The others do no harm, but are of no use.
 */
#define FLAGS_MASK (X86_EFLAGS_USER | X86_EFLAGS_IF | X86_EFLAGS_NT | X86_EFLAGS_IOPL | BIT(21))

/*
 * SYSCALL loads CS and SS from the first selector and the next; SYSRET from the second + 16, + 8.
 */
#define STAR_SELECTORS (((u64)__KERNEL_CS << 32) | ((u64)__USER32_CS << 48))

BUILD_BUG_ON(__KERNEL_DS != __KERNEL_CS + 8);
BUILD_BUG_ON(__USER_DS != __USER32_CS + 8 || __USER_CS != __USER32_CS + 16);

/* Makes SYSCALL of this CPU enter the kernel. */
static void syscall_init(void)
{
	__wrmsr(MSR_STAR, STAR_SELECTORS);
	__wrmsr(MSR_LSTAR, (u64)entry_SYSCALL_64);
	__wrmsr(MSR_CSTAR, (u64)entry_SYSCALL_compat);
	__wrmsr(MSR_FMASK, FLAGS_MASK);
	__wrmsr(MSR_FS_BASE, 0);
	__wrmsr(MSR_KERNEL_GS_BASE, 0);
	__wrmsr(MSR_EFER, __rdmsr(MSR_EFER) | EFER_SCE);
}
CPU_INIT(syscall_init);
