/*
 * Stacks: of the kernel, from the registers of the event or from here on; or of the program, from
 * where it has entered the kernel. At most BPF_MAX_STACK_FRAMES frames, with those to skip.
 */
#include "arch/cpu/ptrace.h"
#include "arch/unwind/stacktrace.h"
#include "arch/user/mmu_context.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/preempt.h"
#include "kernel/sched/sched.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/attach/run.h"
#include "trace/bpf/helpers/helpers.h"
#include "trace/bpf/maps/stack_trace.h"

/* Reading the program's stack needs its memory. An NMI may come while another's is loaded. */
static unsigned user_frames(const struct pt_regs *regs, u64 *ips, unsigned max)
{
	const struct task_struct *task = current_stable;

	if (in_nmi() || !task->mm || (task->flags & PF_EXITING) || loaded_mm() != task->mm)
		return 0;
	if (!regs || !user_mode(regs))
		regs = task_pt_regs(task);
	return stack_trace_save_user_regs(regs, (unsigned long *)ips, max);
}

/* regs NULL: the kernel's stack from the program on. Inline: the helper's own frame is skipped. */
static __always_inline unsigned frames(const struct pt_regs *regs, bool user, u64 *ips,
				       unsigned max)
{
	if (user)
		return user_frames(regs, ips, max);
	if (!regs)
		return stack_trace_save((unsigned long *)ips, max, 1);
	return user_mode(regs)
		       ? 0
		       : stack_trace_save_regs((struct pt_regs *)regs, (unsigned long *)ips, max);
}

/* ---- ids ---- */

#define STACKID_FLAGS                                                                              \
	(BPF_F_SKIP_FIELD_MASK | BPF_F_USER_STACK | BPF_F_FAST_STACK_CMP | BPF_F_REUSE_STACKID)

static __always_inline u64 get_stackid(const struct pt_regs *regs, struct bpf_map *map, u64 flags)
{
	u32 skip = flags & BPF_F_SKIP_FIELD_MASK, max = bpf_stack_map_depth(map) + skip, nr;
	u64 ips[BPF_MAX_STACK_FRAMES];

	if (unlikely(flags & ~STACKID_FLAGS))
		return (u64)-EINVAL;
	nr = frames(regs, flags & BPF_F_USER_STACK, ips, min(max, (u32)BPF_MAX_STACK_FRAMES));
	if (unlikely(nr <= skip))
		return (u64)-EFAULT;
	return (u64)bpf_stack_map_add(map, ips + skip, nr - skip, flags);
}

BPF_CALL_3(bpf_get_stackid_regs, const struct pt_regs *, regs, struct bpf_map *, map, u64, flags)
{
	return get_stackid(regs, map, flags);
}

BPF_CALL_3(bpf_get_stackid_record, void *, record, struct bpf_map *, map, u64, flags)
{
	return get_stackid(bpf_record_regs(record), map, flags);
}

BPF_CALL_3(bpf_get_stackid_args, const void *, args __unused, struct bpf_map *, map, u64, flags)
{
	return get_stackid(NULL, map, flags);
}

/* ---- copies ---- */

static u64 no_stack(void *to, u32 size, s64 error)
{
	memset(to, 0, size);
	return (u64)error;
}

/* Keeps what fits of nr frames, behind those to skip. Returns the bytes of the frames. */
static u64 copy_frames(void *to, u32 size, const u64 *ips, u32 nr, u32 skip)
{
	u32 length;

	if (nr < skip)
		return no_stack(to, size, -EFAULT);
	length = min((nr - skip) * (u32)sizeof(u64), size);
	memcpy(to, ips + skip, length);
	memset((char *)to + length, 0, size - length);
	return length;
}

static bool bad_stack_flags(u32 size, u64 flags)
{
	return (flags & ~(BPF_F_SKIP_FIELD_MASK | BPF_F_USER_STACK)) || size % sizeof(u64);
}

static __always_inline u64 get_stack(const struct pt_regs *regs, void *to, u32 size, u64 flags)
{
	u32 skip = flags & BPF_F_SKIP_FIELD_MASK, max = size / (u32)sizeof(u64) + skip, nr;
	u64 ips[BPF_MAX_STACK_FRAMES];

	if (bad_stack_flags(size, flags))
		return no_stack(to, size, -EINVAL);
	nr = frames(regs, flags & BPF_F_USER_STACK, ips, min(max, (u32)BPF_MAX_STACK_FRAMES));
	return copy_frames(to, size, ips, nr, skip);
}

BPF_CALL_4(bpf_get_stack_regs, const struct pt_regs *, regs, void *, to, u32, size, u64, flags)
{
	return get_stack(regs, to, size, flags);
}

BPF_CALL_4(bpf_get_stack_record, void *, record, void *, to, u32, size, u64, flags)
{
	return get_stack(bpf_record_regs(record), to, size, flags);
}

BPF_CALL_4(bpf_get_stack_args, const void *, args __unused, void *, to, u32, size, u64, flags)
{
	return get_stack(NULL, to, size, flags);
}

static u64 get_task_stack(struct task_struct *task, void *to, u32 size, u64 flags)
{
	u32 skip = flags & BPF_F_SKIP_FIELD_MASK, max = size / (u32)sizeof(u64) + skip, nr;
	u64 ips[BPF_MAX_STACK_FRAMES];

	if (bad_stack_flags(size, flags))
		return no_stack(to, size, -EINVAL);
	max = min(max, (u32)BPF_MAX_STACK_FRAMES);
	if (flags & BPF_F_USER_STACK) {
		if (task != current_stable)
			return no_stack(to, size, -EOPNOTSUPP);
		nr = user_frames(NULL, ips, max);
	} else {
		nr = task ? stack_trace_save_task(task, (unsigned long *)ips, max) : 0;
	}
	return copy_frames(to, size, ips, nr, skip);
}

/*
 * In an iterator, which keeps the task while the program runs. The task must not run meanwhile; the
 * unwinder finds nothing then.
 */
BPF_CALL_4(bpf_get_task_stack, struct task_struct *, task, void *, to, u32, size, u64, flags)
{
	return get_task_stack(task, to, size, flags);
}

/* Elsewhere nothing keeps another task and its stack. */
BPF_CALL_4(bpf_get_task_stack_current, struct task_struct *, task, void *, to, u32, size, u64,
	   flags)
{
	if (task != current_stable)
		return no_stack(to, size, -EOPNOTSUPP);
	return get_task_stack(task, to, size, flags);
}
