/*
 * Turns tracing off by itself, so that the trace ends where something has happened: at a warning of
 * the kernel (/proc/sys/kernel/traceoff_on_warning), and at the end of the boot
 * (traceoff_after_boot). Documentation/admin-guide/kernel-parameters.txt.
 */
#include "fs/proc/proc_fs.h"
#include "kernel/init.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "trace/core/trace_printk.h"

static int traceoff_on_warning; /* [A] */
static bool traceoff_after_boot __initdata;

static int __init traceoff_on_warning_setup(const char *value __unused)
{
	traceoff_on_warning = 1;
	return 0;
}
__setup("traceoff_on_warning", traceoff_on_warning_setup);

static int __init traceoff_after_boot_setup(const char *value __unused)
{
	traceoff_after_boot = true;
	return 0;
}
__setup("traceoff_after_boot", traceoff_after_boot_setup);

/* Called by report_warning(). Any context. */
static void stop_at_warning(void)
{
	if (!READ_ONCE(traceoff_on_warning) || !tracing_is_on())
		return;
	trace_puts("a warning turns tracing off (traceoff_on_warning)\n");
	tracing_off();
}

SYSCTL_INT(traceoff_on_warning, "kernel", traceoff_on_warning, proc_dointvec);

static int __init switch_off_init(void)
{
	warning_hook = stop_at_warning;
	return 0;
}
device_initcall(switch_off_init);

static int __init stop_after_boot(void)
{
	if (traceoff_after_boot) {
		pr_info("tracing: off after the boot (traceoff_after_boot)\n");
		tracing_off();
	}
	return 0;
}
late_initcall(stop_after_boot);
