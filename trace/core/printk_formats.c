/* The file printk_formats: ADDRESS : "text", with the escapes of C (trace/core/trace_printk.h). */
#include "fs/vfs/seq_file.h"
#include "trace/core/files.h"
#include "trace/core/trace_printk.h"

static void show_escaped(struct seq_file *m, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '\n':
			seq_puts(m, "\\n");
			break;
		case '\t':
			seq_puts(m, "\\t");
			break;
		case '\\':
		case '"':
			seq_putc(m, '\\');
			fallthrough;
		default:
			seq_putc(m, *text);
		}
	}
}

static void show_format(struct seq_file *m, const char *fmt)
{
	seq_printf(m, "0x%lx : \"", (unsigned long)fmt);
	show_escaped(m, fmt);
	seq_puts(m, "\"\n");
}

static int printk_formats_show(struct seq_file *m, void *v __unused)
{
	trace_printk_show_formats(m, show_format);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(printk_formats);

TRACE_FILE(printk_formats, 0440, &printk_formats_fops, .only_top = true);
