/*
 * Prints into the trace with each variant of trace_printk(), when it is loaded: from a task, and then
 * from an interrupt. The macro chooses the variant, and each text names it. The entries stay
 * readable after the module has gone: the kernel keeps copies of the formats.
 *
 *	modprobe trace-printk; cat /sys/kernel/tracing/trace; rmmod trace-printk
 */
#include "kernel/irq/irq_work.h"
#include "kernel/module/module.h"
#include "kernel/sched/sched.h"
#include "trace/core/trace_printk.h"

/* Not constant for the compiler: such a text is copied, and such a format is used when it is written. */
static const char *task_text = "This is a text in a variable that will use trace_puts\n";
static const char *task_format = "This is a %s that will use trace_printk\n";
static const char *irq_text = "(irq) This is a text in a variable that will use trace_puts\n";
static const char *irq_format = "(irq) This is a %s that will use trace_printk\n";

static void trace_printk_irq_work(struct irq_work *work __unused)
{
	trace_puts("(irq) This is a static string that will use trace_bputs\n");
	trace_puts(irq_text);
	trace_printk("(irq) This is a %s that will use trace_bprintk\n", "constant format");
	trace_printk(irq_format, "format in a variable");
}

static struct irq_work irqwork;

/* Not part of init, whose memory goes: so the entries show its name. */
static noinline void trace_printk_task(void)
{
	trace_puts("This is a static string that will use trace_bputs\n");
	trace_puts(task_text);
	trace_printk("This is a %s that will use trace_bprintk\n", "constant format");
	trace_printk(task_format, "format in a variable");
	trace_printk("numbers and a text: %d %x %s, 100%%\n", 42, 0xbeef, current->comm);
}

static int __init trace_printk_init(void)
{
	trace_printk_task();
	init_irq_work(&irqwork, trace_printk_irq_work);
	irq_work_queue(&irqwork);
	return 0;
}
module_init(trace_printk_init);

static void __exit trace_printk_exit(void)
{
	irq_work_sync(&irqwork);
}
module_exit(trace_printk_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("prints into the trace with each variant of trace_printk()");
