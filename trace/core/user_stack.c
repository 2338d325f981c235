/*
 * The option userstacktrace: behind each event comes the stack of the program that called the
 * kernel (Documentation/trace/ftrace.rst, "userstacktrace").
 *
 * The addresses come from the program's frame pointers; a program without them has few. Kernel
 * tasks have no program. Their entries have no callers, as in Linux.
 */
#include "trace/core/user_stack.h"

#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/core/write.h"

const struct user_stack_ops *user_stack_ops; /* constant after the boot */

void ftrace_trace_userstack(struct trace_array *tr, u32 ctx)
{
	struct trace_buffer *buffer;
	struct user_stack_entry *entry;

	if (preempt_count() & NMI_MASK)
		return; /* walking a program's stack may fault */
	entry = trace_buffer_lock_reserve(tr, TRACE_USER_STACK, sizeof(*entry), ctx, &buffer);
	if (!entry)
		return;
	entry->tgid = (u32)current->tgid;
	memset(entry->caller, 0, sizeof(entry->caller));
	if (user_stack_ops)
		user_stack_ops->save(entry->caller, FTRACE_STACK_ENTRIES);
	trace_buffer_unlock_commit(buffer);
}

/* mm: the program's memory, with its mmap_lock held, or NULL. */
static void print_user_ip(struct trace_iterator *iter, struct mm_struct *mm, unsigned long ip)
{
	trace_seq_puts(&iter->seq, " => ");
	if (!mm || !user_stack_ops->print(iter, mm, ip) ||
	    (trace_iter_flags(iter) & TRACE_ITER_SYM_ADDR))
		trace_seq_printf(&iter->seq, " <%016lx>", ip);
	trace_seq_putc(&iter->seq, '\n');
}

/* The option sym-userobj finds files only as long as the process runs. */
static enum print_line_t user_stack_print(struct trace_iterator *iter)
{
	const struct user_stack_entry *field = (const struct user_stack_entry *)iter->ent;
	struct trace_seq *s = &iter->seq;
	struct mm_struct *mm = NULL;

	if (user_stack_ops && !iter->any_context &&
	    (trace_iter_flags(iter) & TRACE_ITER_SYM_USEROBJ))
		mm = user_stack_ops->get((pid_t)field->tgid);
	trace_seq_puts(s, "<user stack trace>\n");
	for (unsigned i = 0; i < FTRACE_STACK_ENTRIES && field->caller[i]; i++)
		print_user_ip(iter, mm, field->caller[i]);
	if (mm)
		user_stack_ops->put(mm);
	return trace_handle_return(s);
}

static const struct trace_event_field user_stack_fields[] = {
	TRACE_FIELD(user_stack_entry, tgid, "unsigned int", false),
	TRACE_ARRAY(user_stack_entry, caller, "unsigned long[8]",
		    FTRACE_STACK_ENTRIES * sizeof(unsigned long), false),
	{ .name = NULL },
};

static struct trace_event user_stack_event = {
	.type = TRACE_USER_STACK,
	.trace = user_stack_print,
	.name = "user_stack",
	.fields = user_stack_fields,
	.print_fmt = KERNEL_STACK_PRINT_FMT,
};

static int __init user_stack_init(void)
{
	return register_trace_event(&user_stack_event);
}
core_initcall(user_stack_init);
