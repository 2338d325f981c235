/* What an oops says of modules, and the chain of rooms that are told about them. */
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/module/internal.h"
#include "kernel/module/module_events.h"
#include "kernel/module_ops.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/mutex.h"

DEFINE_MUTEX(module_mutex);
wait_queue_head_t module_wq = __WAIT_QUEUE_HEAD_INITIALIZER(module_wq);

static char last_unloaded[MODULE_NAME_LEN + MODULE_FLAGS_LEN]; /* [M] */

/* ---- references ---- */

int module_refcount(const struct module *module)
{
	return atomic_read(&module->refcnt) - 1;
}
EXPORT_SYMBOL(module_refcount);

/* ---- sizes ---- */

size_t module_size(const struct module *module)
{
	size_t size = 0;

	for (unsigned region = MOD_TEXT; region < MOD_INIT_TEXT; region++)
		size += ALIGN(module->memory[region].size, PAGE_SIZE);
	return size;
}

size_t module_init_size(const struct module *module)
{
	size_t size = 0;

	for (unsigned region = MOD_INIT_TEXT; region < MOD_REGIONS; region++)
		size += ALIGN(module->memory[region].size, PAGE_SIZE);
	return size;
}

/* ---- for an oops ---- */

const char *module_flags(const struct module *module, char buf[MODULE_FLAGS_LEN])
{
	enum module_state state = READ_ONCE(module->state);
	char *p = buf;

	*p++ = '(';
	if (module->taints & BIT(TAINT_PROPRIETARY_MODULE))
		*p++ = 'P';
	if (module->taints & BIT(TAINT_OOT_MODULE))
		*p++ = 'O';
	if (state == MODULE_STATE_COMING)
		*p++ = '+';
	if (state == MODULE_STATE_GOING)
		*p++ = '-';
	if (p == buf + 1)
		p = buf;
	else
		*p++ = ')';
	*p = '\0';
	return buf;
}

/* module_ops.print */
static void print(void)
{
	char flags[MODULE_FLAGS_LEN];
	struct module *mod;

	if (list_empty(&modules) && !last_unloaded[0])
		return;
	printk(KERN_EMERG "Modules linked in:");
	rcu_read_lock();
	list_for_each_entry_rcu (mod, &modules, list) {
		if (READ_ONCE(mod->state) != MODULE_STATE_UNFORMED)
			pr_cont(" %s%s", mod->name, module_flags(mod, flags));
	}
	rcu_read_unlock();
	if (last_unloaded[0])
		pr_cont(" [last unloaded: %s]", last_unloaded);
	pr_cont("\n");
}

static int __init module_print_init(void)
{
	module_ops.print = print;
	return 0;
}
core_initcall(module_print_init);

void module_note_unloaded(const struct module *mod)
{
	static const char *const taints[] = { "", "(P)", "(O)", "(PO)" };
	bool proprietary = mod->taints & BIT(TAINT_PROPRIETARY_MODULE);
	bool out_of_tree = mod->taints & BIT(TAINT_OOT_MODULE);

	snprintf(last_unloaded, sizeof(last_unloaded), "%s%s", mod->name,
		 taints[proprietary + 2 * out_of_tree]);
}

/* ---- the chain ---- */

DEFINE_LINKER_TABLE(rodata, const struct module_notifier, module_notifiers);
static DEFINE_MUTEX(module_notify_mutex);

/* Tells all users before pos, the last first. module_notify_mutex held. */
static void tell_going(struct module *mod, const struct module_notifier *pos)
{
	while (pos != linker_table_start(module_notifiers)) {
		pos--;
		if (pos->going)
			pos->going(mod);
	}
}

int module_notify_coming(struct module *mod)
{
	int error = 0;

	mutex_lock(&module_notify_mutex);
	for_each_linker_table_entry (notifier, module_notifiers) {
		error = notifier->coming ? notifier->coming(mod) : 0;
		if (error) {
			tell_going(mod, notifier);
			break;
		}
	}
	mutex_unlock(&module_notify_mutex);
	return error;
}

void module_notify_live(struct module *mod)
{
	mutex_lock(&module_notify_mutex);
	for_each_linker_table_entry (notifier, module_notifiers)
		if (notifier->live)
			notifier->live(mod);
	mutex_unlock(&module_notify_mutex);
}

void module_notify_going(struct module *mod)
{
	mutex_lock(&module_notify_mutex);
	tell_going(mod, linker_table_end(module_notifiers));
	mutex_unlock(&module_notify_mutex);
}
