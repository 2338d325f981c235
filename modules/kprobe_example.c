/*
 * A kprobe: prints a line before and after an instruction of the kernel is executed. Behaves as
 * Linux's sample of this name.
 *
 *	modprobe kprobe_example symbol=kernel_clone
 *	dmesg | tail
 *	rmmod kprobe_example
 */
#include "kernel/module/module.h"
#include "kernel/module/moduleparam.h"
#include "kernel/printk/printk.h"
#include "trace/kprobes/kprobes.h"

static char symbol[KSYM_NAME_LEN] = "kernel_clone";
module_param_string(symbol, symbol, sizeof(symbol), 0644);

static int before(struct kprobe *p, struct pt_regs *regs)
{
	pr_info("<%s> p->addr = 0x%p, ip = %lx, flags = 0x%lx\n", p->symbol_name, (void *)p->addr,
		(unsigned long)regs->ip, (unsigned long)regs->flags);
	return 0;
}

static void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags __unused)
{
	pr_info("<%s> p->addr = 0x%p, flags = 0x%lx\n", p->symbol_name, (void *)p->addr,
		(unsigned long)regs->flags);
}

static struct kprobe probe = { .symbol_name = symbol, .pre_handler = before, .post_handler = after };

static int kprobe_example_init(void)
{
	int error = register_kprobe(&probe);

	if (error)
		pr_err("register_kprobe failed, returned %d\n", error);
	else
		pr_info("Planted kprobe at %p\n", (void *)probe.addr);
	return error;
}

static void __exit kprobe_example_exit(void)
{
	unsigned long addr = probe.addr;

	unregister_kprobe(&probe);
	pr_info("kprobe at %p unregistered\n", (void *)addr);
}

module_init(kprobe_example_init);
module_exit(kprobe_example_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("sample kernel module showing the use of kprobes");
