/*
 * A return probe: prints what a function of the kernel returns, and how long it took. Behaves as
 * Linux's sample of this name.
 *
 *	modprobe kretprobe_example func=vfs_read
 *	dmesg | tail
 *	rmmod kretprobe_example
 */
#include "kernel/module/module.h"
#include "kernel/module/moduleparam.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"
#include "trace/kprobes/kprobes.h"

static char func[KSYM_NAME_LEN] = "kernel_clone";
module_param_string(func, func, sizeof(func), 0644);

/* The data of a call is the time of its entry. Calls of kernel tasks are left out. */
static int at_entry(struct kretprobe_instance *ri, struct pt_regs *regs __unused)
{
	ri->data[0] = ktime_get();
	return !current->mm;
}

static int at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	pr_info("%s returned %lu and took %lld ns to execute\n", func, regs_return_value(regs),
		(long long)(ktime_get() - ri->data[0]));
	return 0;
}

static struct kretprobe probe = { .kp.symbol_name = func,
				  .entry_handler = at_entry,
				  .handler = at_return,
				  .data_size = sizeof(u64),
				  .maxactive = 20 };

static int kretprobe_example_init(void)
{
	int error = register_kretprobe(&probe);

	if (error)
		pr_err("register_kretprobe failed, returned %d\n", error);
	else
		pr_info("Planted return probe at %s: %p\n", func, (void *)probe.kp.addr);
	return error;
}

static void __exit kretprobe_example_exit(void)
{
	unsigned long addr = probe.kp.addr;

	unregister_kretprobe(&probe);
	pr_info("kretprobe at %p unregistered\n", (void *)addr);
	pr_info("Missed probing %lld instances of %s\n", (long long)atomic64_read(&probe.nmissed),
		func);
}

module_init(kretprobe_example_init);
module_exit(kretprobe_example_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("sample kernel module showing the use of return probes");
