/*
 * Prints into the trace with each variant of trace_printk(), when it is loaded and when it goes. The
 * entries stay readable after it has gone: the kernel keeps copies of the formats.
 *
 *	modprobe trace-printk; rmmod trace-printk; cat /sys/kernel/tracing/trace
 */
#include "kernel/module/module.h"
#include "kernel/sched/sched.h"
#include "trace/core/trace_printk.h"

/* Not constant for the compiler: the text is formatted when it is written. */
static const char *variable_format = "a format in a variable: %s\n";
static const char *variable_text = "a text in a variable\n";

static int __init trace_printk_init(void)
{
	trace_printk("a constant format: %d %x %s\n", 42, 0xbeef, current->comm);
	trace_puts("a constant text, 100%\n");
	trace_printk(variable_format, "formatted at once");
	trace_puts(variable_text);
	return 0;
}
module_init(trace_printk_init);

static void __exit trace_printk_exit(void)
{
	trace_printk("%s goes\n", "trace-printk");
}
module_exit(trace_printk_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("prints into the trace with each variant of trace_printk()");
