/* The text of the events sys_enter_NAME, and their print fmt, with which programs make it. */
#include "fs/vfs/fs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/events/print.h"
#include "trace/events/syscalls.h"

static const struct trace_print_flags open_flags[] = {
	{ O_TMPFILE, "O_TMPFILE" },
	{ O_WRONLY, "O_WRONLY" },
	{ O_RDWR, "O_RDWR" },
	{ O_CREAT, "O_CREAT" },
	{ O_EXCL, "O_EXCL" },
	{ O_NOCTTY, "O_NOCTTY" },
	{ O_TRUNC, "O_TRUNC" },
	{ O_APPEND, "O_APPEND" },
	{ O_NONBLOCK, "O_NONBLOCK" },
	{ O_DSYNC, "O_DSYNC" },
	{ O_DIRECT, "O_DIRECT" },
	{ O_LARGEFILE, "O_LARGEFILE" },
	{ O_DIRECTORY, "O_DIRECTORY" },
	{ O_NOFOLLOW, "O_NOFOLLOW" },
	{ O_NOATIME, "O_NOATIME" },
	{ O_CLOEXEC, "O_CLOEXEC" },
	{ 0, NULL },
};

/* The data of the argument with the __data_loc word at place. An entry of the last boot may lie. */
static const char *data_at(const struct trace_iterator *iter, const u32 *word, unsigned *length)
{
	size_t offset = *word & 0xffff;

	*length = 0;
	if (offset >= iter->ent_size)
		return "";
	*length = (unsigned)min((size_t)(*word >> 16), iter->ent_size - offset);
	return (const char *)iter->ent + offset;
}

/* " (68:69:0a) "hi."": the bytes, and as text if one is printable. total: how many the call has. */
static void print_bytes(struct trace_seq *s, const char *bytes, unsigned length,
			unsigned long total)
{
	const char *more = length < (unsigned)total ? SYSCALL_DATA_MORE : "";
	bool printable = false;

	trace_seq_puts(s, " (");
	for (unsigned i = 0; i < length; i++) {
		printable |= isprint(bytes[i]);
		trace_seq_printf(s, "%s%02x", i ? ":" : "", (u8)bytes[i]);
	}
	trace_seq_printf(s, "%s%s)", *more ? ", " : "", more);
	if (!printable)
		return;
	trace_seq_puts(s, " \"");
	for (unsigned i = 0; i < length; i++)
		trace_seq_putc(s, isprint(bytes[i]) ? bytes[i] : '.');
	trace_seq_printf(s, "\"%s", more);
}

static void print_open_flags(struct trace_iterator *iter, unsigned long flags)
{
	trace_seq_puts(&iter->seq, "flags: ");
	if (!(flags & O_ACCMODE))
		trace_seq_puts(&iter->seq, flags ? "O_RDONLY|" : "O_RDONLY");
	trace_seq_puts(&iter->seq, trace_print_flags(iter, flags, "|", open_flags));
}

static bool creates_file(unsigned long flags)
{
	return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY));
}

void syscall_print_enter(struct trace_iterator *iter, const struct syscall_metadata *call,
			 const struct syscall_data *data)
{
	const struct syscall_trace_enter *entry = (const void *)iter->ent;
	bool verbose = READ_ONCE(iter->tr->trace_flags) & TRACE_ITER_VERBOSE;
	const u32 *word = (const void *)&entry->args[call->nb_args];
	bool flags_by_name = data->opens_file && !verbose;
	struct trace_seq *s = &iter->seq;

	trace_seq_printf(s, "%s(", call->name);
	for (unsigned i = 0; i < call->nb_args; i++) {
		unsigned long value = entry->args[i];
		unsigned length;
		const char *text;

		trace_seq_puts(s, i ? ", " : "");
		if (flags_by_name && !strcmp(call->args[i], "flags")) {
			print_open_flags(iter, value);
			if (!creates_file(value))
				break;
			trace_seq_printf(s, ", mode: 0%03lo", entry->args[i + 1]);
			break;
		}
		if (verbose)
			trace_seq_printf(s, "%s ", call->types[i]);
		trace_seq_printf(s, value < 10 ? "%s: %lu" : "%s: 0x%lx", call->args[i], value);
		if (!(data->mask & BIT(i)))
			continue;
		text = data_at(iter, word++, &length);
		if (data->is_text)
			trace_seq_printf(s, " \"%.*s\"", (int)length, text);
		else
			print_bytes(s, text, length, entry->args[data->length_arg]);
	}
	trace_seq_puts(s, ")\n");
}

/* ---- print fmt ---- */

/* Whether the argument is that of open() and openat() whose bits have names. */
static bool has_open_flags(const struct syscall_metadata *call, const struct syscall_data *data,
			   unsigned i)
{
	return data->opens_file && !strcmp(call->args[i], "flags");
}

static bool is_mode(const struct syscall_metadata *call, const struct syscall_data *data,
		    unsigned i)
{
	return data->opens_file && !strcmp(call->args[i], "mode");
}

static void show_open_flags(struct seq_file *m)
{
	seq_puts(m, ", (REC->flags & ~3) && !(REC->flags & 3) ? \"O_RDONLY|\" : \"\""
		    ", REC->flags ? __print_flags(REC->flags, \"|\"");
	for (const struct trace_print_flags *flag = open_flags; flag->name; flag++)
		seq_printf(m, ", { 0x%lx, \"%s\" }", flag->mask, flag->name);
	seq_puts(m, ") : \"O_RDONLY\"");
}

void syscall_show_print_fmt(struct seq_file *m, const struct syscall_metadata *call,
			    const struct syscall_data *data)
{
	seq_putc(m, '"');
	for (unsigned i = 0; i < call->nb_args; i++) {
		seq_printf(m, "%s%s: ", i ? ", " : "", call->args[i]);
		if (has_open_flags(call, data, i))
			seq_puts(m, "%s%s");
		else
			seq_puts(m, is_mode(call, data, i) ? "0%03o" : "0x%08lx");
		if (data->mask & BIT(i))
			seq_puts(m, data->is_text ? " \\\"%s\\\"" : " (%s)");
	}
	seq_putc(m, '"');
	for (unsigned i = 0; i < call->nb_args; i++) {
		if (has_open_flags(call, data, i))
			show_open_flags(m);
		else
			seq_printf(m, ", ((unsigned long)(REC->%s))", call->args[i]);
		if (data->mask & BIT(i))
			seq_printf(m,
				   data->is_text ? ", __get_str(__%s_val)"
						 : ", __print_dynamic_array(__%s_val, 1)",
				   call->args[i]);
	}
}
