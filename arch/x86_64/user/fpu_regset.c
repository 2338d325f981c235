/*
 * The FPU registers of a tracee, as ptrace(2) passes them: those of FXSAVE alone, or all that XSAVE
 * saves. The tracee does not run, so its state in memory is up to date: the switch away from it has
 * saved the registers.
 */
#include "arch/user/fpu.h"
#include "arch/user/ptrace.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

static size_t legacy_size(void)
{
	return FPU_LEGACY_SIZE;
}

static size_t xstate_size(void)
{
	return fpu_frame_is_extended ? fpu_state_size : 0;
}

static long get_xstate(struct task_struct *task, void *buf)
{
	fpu_get_state(task, buf);
	return 0;
}

static long get_legacy(struct task_struct *task, void *buf)
{
	u8 *state = kmalloc(fpu_state_size, GFP_KERNEL);

	if (!state)
		return -ENOMEM;
	fpu_get_state(task, state);
	memcpy(buf, state, FPU_LEGACY_SIZE);
	memset((u8 *)buf + FPU_LEGACY_SIZE - 48, 0, 48); /* no mask of components */
	kfree(state);
	return 0;
}

static long set_legacy(struct task_struct *task, const void *buf, size_t len)
{
	return len == FPU_LEGACY_SIZE ? fpu_set_state(task, buf, len) : -EINVAL;
}

static long set_xstate(struct task_struct *task, const void *buf, size_t len)
{
	return len == fpu_state_size ? fpu_set_state(task, buf, len) : -EFAULT;
}

const struct user_regset fpu_regset = { legacy_size, get_legacy, set_legacy };
const struct user_regset xstate_regset = { xstate_size, get_xstate, set_xstate };
