/* The end of the system: see reboot.h. */
#include "kernel/reboot.h"

#include "kernel/panic.h"
#include "kernel/printk/kmsg_dump.h"
#include "kernel/printk/printk.h"

static void say_the_end(const char *what)
{
	pr_emerg("reboot: %s\n", what);
	kmsg_dump(KMSG_DUMP_SHUTDOWN);
	console_flush();
}

void __noreturn kernel_restart(void)
{
	say_the_end("Restarting system");
	machine_restart();
}

void __noreturn kernel_power_off(void)
{
	say_the_end("Power down");
	machine_power_off();
}

void __noreturn kernel_halt(void)
{
	say_the_end("System halted");
	machine_halt();
}
