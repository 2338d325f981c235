/* Helpers that tell of the current task. */
#include "arch/cpu/ptrace.h"
#include "arch/unwind/maccess.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/task/cred.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/helpers/helpers.h"

BPF_CALL_0(bpf_get_current_pid_tgid)
{
	const struct task_struct *task = current_stable;

	return (u64)(u32)task->tgid << 32 | (u32)task->pid;
}

BPF_CALL_0(bpf_get_current_uid_gid)
{
	const struct cred *cred = current_stable->cred;

	return (u64)cred->gid << 32 | cred->uid;
}

/*
 * Writes all bytes, because a program may use them as a key. Another task may change the name
 * meanwhile: then one half may be old.
 */
BPF_CALL_2(bpf_get_current_comm, char *, to, u32, size)
{
	const u64 *comm = (const u64 *)current_stable->comm;

	if (likely(size >= TASK_COMM_LEN)) {
		((u64 *)to)[0] = READ_ONCE(comm[0]);
		((u64 *)to)[1] = READ_ONCE(comm[1]);
		if (unlikely(size > TASK_COMM_LEN))
			memset(to + TASK_COMM_LEN, 0, size - TASK_COMM_LEN);
	} else {
		memcpy(to, comm, size);
		to[size - 1] = '\0';
	}
	return 0;
}

BPF_CALL_0(bpf_get_current_task)
{
	return (u64)current_stable;
}

BPF_CALL_0(bpf_get_current_task_btf)
{
	return (u64)current_stable;
}

/*
 * The pointer may be wrong, if the program has read it from a structure. So it is not followed
 * without care; loads through the result are not, either.
 */
BPF_CALL_1(bpf_task_pt_regs, const struct task_struct *, task)
{
	char *stack;

	if (copy_from_kernel_nofault(&stack, &task->stack, sizeof(stack)))
		return 0;
	return (u64)((struct pt_regs *)(stack + THREAD_SIZE) - 1);
}

/* ---- there are no cgroups: all tasks are in the root of a tree that nobody sees ---- */

BPF_CALL_0(bpf_get_current_cgroup_id)
{
	return 1;
}

/* An array of cgroups is always empty. */
BPF_CALL_2(bpf_current_task_under_cgroup, const struct bpf_map *, map, u32, index)
{
	return index < map->max_entries ? (u64)-EAGAIN : (u64)-E2BIG;
}
