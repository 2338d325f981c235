/*
 * Helpers that print: into the trace, as the event bpf_trace:bpf_trace_printk; into the program's
 * memory; into the file of an iterator.
 */
#include "arch/cpu/percpu.h"
#include "arch/unwind/maccess.h"
#include "fs/vfs/d_path.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/preempt.h"
#include "trace/bpf/helpers/bpf_trace_events.h"
#include "trace/bpf/helpers/format.h"
#include "trace/bpf/helpers/helpers.h"
#include "trace/core/files.h"
#include "trace/events/event.h"

#define TEXT_MAX    1024 /* bytes of a text, with the NUL; Linux's */
#define PRINTK_ARGS 3    /* of bpf_trace_printk() */

/* One text for each context that may interrupt another one on a CPU. */
enum { IN_TASK, IN_SOFTIRQ, IN_HARDIRQ, IN_NMI, NR_CONTEXTS };
static DEFINE_PER_CPU(char, texts[NR_CONTEXTS][TEXT_MAX]);

static char *my_text(void)
{
	unsigned context = in_nmi()               ? IN_NMI
			   : in_hardirq()         ? IN_HARDIRQ
			   : in_serving_softirq() ? IN_SOFTIRQ
						  : IN_TASK;

	return (*this_cpu_ptr(&texts))[context];
}

/* The number of arguments in size bytes, or -EINVAL. */
static s64 count_args(const u64 *args, u32 size)
{
	if (size % sizeof(u64) || size > BPF_FORMAT_ARGS * sizeof(u64) || (size && !args))
		return -EINVAL;
	return size / (u32)sizeof(u64);
}

/* ---- the trace ---- */

static u64 trace_text(const char *fmt, u32 fmt_size, const u64 *args, u32 nr_args)
{
	char *text = my_text();
	s64 length = bpf_format(text, TEXT_MAX, fmt, fmt_size, args, nr_args);

	if (length < 0)
		return (u64)length;
	trace_bpf_trace_printk(text);
	return (u64)length;
}

BPF_CALL_5(bpf_trace_printk, const char *, fmt, u32, fmt_size, u64, arg1, u64, arg2, u64, arg3)
{
	u64 args[PRINTK_ARGS] = { arg1, arg2, arg3 };

	return trace_text(fmt, fmt_size, args, PRINTK_ARGS);
}

BPF_CALL_4(bpf_trace_vprintk, const char *, fmt, u32, fmt_size, const u64 *, args, u32, size)
{
	s64 nr_args = count_args(args, size);

	return nr_args < 0 ? (u64)nr_args : trace_text(fmt, fmt_size, args, (u32)nr_args);
}

/* A user who loads a program that prints wants to see it. Without memory the event stays off. */
void bpf_enable_trace_printk(void)
{
	int error;

	mutex_lock(&trace_types_lock);
	error = tracing_expand(&global_trace);
	mutex_unlock(&trace_types_lock);
	mutex_lock(&event_mutex);
	if (!error)
		(void)trace_set_clr_event(&global_trace, "bpf_trace:bpf_trace_printk", NULL, true);
	mutex_unlock(&event_mutex);
}

/* ---- memory ---- */

/* Returns the length with the NUL, also of a text that did not fit. */
BPF_CALL_5(bpf_snprintf, char *, to, u32, to_size, const char *, fmt, const u64 *, args, u32, size)
{
	s64 nr_args = count_args(args, size), length;

	if (nr_args < 0)
		return (u64)nr_args;
	length = bpf_format(to, to_size, fmt, ~0U, args, (u32)nr_args);
	return (u64)(length < 0 ? length : length + 1);
}

/*
 * Only in functions where the locks of paths are not held (tracing.c). The name of the path, with
 * its NUL.
 */
BPF_CALL_3(bpf_d_path, const struct path *, path, char *, to, u32, size)
{
	struct path copy;
	u32 length;
	char *name;

	if (!size)
		return 0;
	if (copy_from_kernel_nofault(&copy, path, sizeof(copy)) || !copy.dentry || !copy.mnt)
		return (u64)-EFAULT;
	name = d_path(&copy, to, size);
	if (IS_ERR(name))
		return (u64)PTR_ERR(name);
	length = (u32)(to + size - name);
	memmove(to, name, length);
	return length;
}

/* ---- the file of an iterator ---- */

BPF_CALL_5(bpf_seq_printf, struct seq_file *, m, const char *, fmt, u32, fmt_size, const u64 *,
	   args, u32, size)
{
	s64 nr_args = count_args(args, size), length;
	char *text = my_text();

	if (nr_args < 0)
		return (u64)nr_args;
	length = bpf_format(text, TEXT_MAX, fmt, fmt_size, args, (u32)nr_args);
	if (length < 0)
		return (u64)length;
	return seq_write(m, text, min((size_t)length, (size_t)TEXT_MAX - 1)) ? (u64)-EOVERFLOW : 0;
}

BPF_CALL_3(bpf_seq_write, struct seq_file *, m, const void *, data, u32, size)
{
	return seq_write(m, data, size) ? (u64)-EOVERFLOW : 0;
}
