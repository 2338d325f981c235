/* arch_prctl(2): the bases of FS and GS of a program, which C libraries use for thread data. */
#include "arch/user/fpu.h"
#include "arch/cpu/msr.h"
#include "arch/mm/uaccess.h"
#include "kernel/syscalls/syscalls.h"

#define ARCH_SET_GS 0x1001
#define ARCH_SET_FS 0x1002
#define ARCH_GET_FS 0x1003
#define ARCH_GET_GS 0x1004

SYSCALL_DEFINE2(arch_prctl, int, option, unsigned long, arg2)
{
	switch (option) {
	case ARCH_SET_FS:
	case ARCH_SET_GS:
		if (arg2 >= TASK_SIZE_MAX)
			return -EPERM;
		arch_set_segment_base(option == ARCH_SET_GS, arg2);
		return 0;
	case ARCH_GET_FS:
		return put_user(rdmsr(MSR_FS_BASE), (u64 __user *)arg2);
	case ARCH_GET_GS:
		return put_user(rdmsr(MSR_KERNEL_GS_BASE), (u64 __user *)arg2);
	default:
		return -EINVAL;
	}
}
