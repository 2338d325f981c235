/*
 * Reading memory that may not be there: of the kernel, or of the current program. What cannot be
 * read gives an error, and the buffer becomes zeros, because the program may read it then.
 *
 * Preemption is off, so a page fault does not wait for a page: it is an error.
 */
#include "arch/mm/uaccess.h"
#include "arch/unwind/maccess.h"
#include "arch/user/mmu_context.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/helpers/helpers.h"

static noinline u64 fault(void *to, u32 size)
{
	memset(to, 0, size);
	return (u64)-EFAULT;
}

/* An address of the program, or of nobody, where one of the kernel is meant: Linux's errno. */
static noinline u64 not_of_kernel(void *to, u32 size)
{
	memset(to, 0, size);
	return (u64)-ERANGE;
}

/*
 * Whether the address space of the current task is loaded. A kernel task has none; an NMI may have
 * interrupted a switch; and a task that ends has given it up.
 */
static __always_inline bool has_user_memory(void)
{
	const struct mm_struct *mm = current_stable->mm;

	return mm && loaded_mm() == mm;
}

/* Most reads are of a word. */
static __always_inline u64 read_kernel(void *to, u32 size, const void *from)
{
	int err = -EFAULT;
	u64 word = 0;

	if (unlikely((long)from >= 0))
		return not_of_kernel(to, size);
	if (likely(size == sizeof(u64))) {
		__get_user_size(word, (const u64 *)from, err, "q", "");
		*(u64 *)to = word;
		return (u64)(s64)err;
	}
	return likely(!__copy_user(to, from, size)) ? 0 : fault(to, size);
}

static __always_inline u64 read_user(void *to, u32 size, const void *from)
{
	if (unlikely(!user_access_ok((__force const void __user *)from, size) ||
		     !has_user_memory()))
		return fault(to, size);
	return likely(!__copy_user(to, from, size)) ? 0 : fault(to, size);
}

static __always_inline u64 read_string(char *to, u32 size, const void *from)
{
	long length;

	if (!size)
		return 0;
	length = strncpy_nofault(to, from, size);
	return likely(length >= 0) ? (u64)length : fault(to, size);
}

static u64 read_user_string(char *to, u32 size, const void *from)
{
	/* A string may end before size: the page behind the program's memory is a fault. */
	if (!user_access_ok((__force const void __user *)from, 1) || !has_user_memory())
		return fault(to, size);
	return read_string(to, size, from);
}

static u64 read_kernel_string(char *to, u32 size, const void *from)
{
	return likely((long)from < 0) ? read_string(to, size, from) : not_of_kernel(to, size);
}

BPF_CALL_3(bpf_probe_read_kernel, void *, to, u32, size, const void *, from)
{
	return read_kernel(to, size, from);
}

BPF_CALL_3(bpf_probe_read_user, void *, to, u32, size, const void *, from)
{
	return read_user(to, size, from);
}

BPF_CALL_3(bpf_probe_read_kernel_str, char *, to, u32, size, const void *, from)
{
	return read_kernel_string(to, size, from);
}

BPF_CALL_3(bpf_probe_read_user_str, char *, to, u32, size, const void *, from)
{
	return read_user_string(to, size, from);
}

/* The older ones tell by the address whose memory is meant. */
BPF_CALL_3(bpf_probe_read, void *, to, u32, size, const void *, from)
{
	return (long)from < 0 ? read_kernel(to, size, from) : read_user(to, size, from);
}

BPF_CALL_3(bpf_probe_read_str, char *, to, u32, size, const void *, from)
{
	return (long)from < 0 ? read_kernel_string(to, size, from)
			      : read_user_string(to, size, from);
}
