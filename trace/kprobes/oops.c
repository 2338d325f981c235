/* A fault in a handler of a probe: as one in a callback of ftrace (trace/ftrace/oops.c). */
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/sections.h"
#include "trace/ftrace/internal.h"
#include "trace/kprobes/internal.h"

static bool is_caller(unsigned long ip)
{
	return this_cpu_read(kprobe_active) && in_kprobes_text(ip);
}

static void silence(void)
{
	WRITE_ONCE(kprobes_silenced, true);
}

static bool hides_preempt_off(unsigned long ip)
{
	unsigned long offset;
	char name[KSYM_NAME_LEN];

	return kallsyms_lookup(ip, NULL, &offset, name) &&
	       (kprobe_hides_preempt_off(ip - offset) || fprobe_hides_preempt_off(ip - offset));
}

static void abandon(void)
{
	this_cpu_write(kprobe_active, 0);
}

static struct ftrace_oops_user oops_user = { .is_caller = is_caller,
					     .silence = silence,
					     .hides_preempt_off = hides_preempt_off,
					     .abandon = abandon,
					     .mutex = &kprobe_mutex };

static int __init kprobes_oops_init(void)
{
	ftrace_add_oops_user(&oops_user);
	return 0;
}
core_initcall(kprobes_oops_init);
