/*
 * Holds the next module that is loaded where its symbols are there, but nobody has been told of it
 * yet: a probe at module_notify_coming() spins until 0 is written to the parameter `hold`.
 */
#include "arch/cpu/processor.h"
#include "kernel/compiler.h"
#include "kernel/module/moduleparam.h"
#include "trace/kprobes/kprobes.h"

static bool hold = true;
module_param(hold, bool, 0644);
MODULE_PARM_DESC(hold, "whether modules are held");

static int spin(struct kprobe *p __unused, struct pt_regs *regs __unused)
{
	while (READ_ONCE(hold))
		cpu_relax();
	return 0;
}

static struct kprobe probe = { .symbol_name = "module_notify_coming", .pre_handler = spin };

static int __init test_holds_init(void)
{
	return register_kprobe(&probe);
}
module_init(test_holds_init);

static void __exit test_holds_exit(void)
{
	unregister_kprobe(&probe);
}
module_exit(test_holds_exit);

MODULE_LICENSE("GPL");
