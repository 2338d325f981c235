/* The list of modules, their references, and the chain of rooms that are told about them. */
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/module/internal.h"
#include "kernel/module/module_events.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/mutex.h"

DEFINE_MUTEX(module_mutex);
LIST_HEAD(modules);
wait_queue_head_t module_wq = __WAIT_QUEUE_HEAD_INITIALIZER(module_wq);

static char last_unloaded[MODULE_NAME_LEN + MODULE_FLAGS_LEN]; /* [M] */

/* ---- references ---- */

bool try_module_get(struct module *module)
{
	if (!module)
		return true;
	if (!atomic_inc_not_zero(&module->refcnt))
		return false;
	trace_module_get(module, (unsigned long)__builtin_return_address(0));
	return true;
}
EXPORT_SYMBOL(try_module_get);

void __module_get(struct module *module)
{
	if (!module)
		return;
	atomic_inc(&module->refcnt);
	trace_module_get(module, (unsigned long)__builtin_return_address(0));
}
EXPORT_SYMBOL(__module_get);

void module_put(struct module *module)
{
	if (!module)
		return;
	preempt_disable(); /* the event names the module, which may go now */
	atomic_dec(&module->refcnt);
	trace_module_put(module, (unsigned long)__builtin_return_address(0));
	preempt_enable();
}
EXPORT_SYMBOL(module_put);

int module_refcount(const struct module *module)
{
	return atomic_read(&module->refcnt) - 1;
}
EXPORT_SYMBOL(module_refcount);

/* ---- finding modules ---- */

struct module *find_module(const char *name)
{
	struct module *mod;

	list_for_each_entry_rcu (mod, &modules, list) {
		if (READ_ONCE(mod->state) != MODULE_STATE_UNFORMED && strcmp(mod->name, name) == 0)
			return mod;
	}
	return NULL;
}

notrace /* a fault inside a tracer's callback comes here */
	bool
	within_module(unsigned long address, const struct module *module)
{
	for (unsigned region = 0; region < MOD_REGIONS; region++)
		if (within_module_region(module, region, address))
			return true;
	return false;
}

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

notrace /* a fault inside a tracer's callback comes here */
	struct module *
	__module_address(unsigned long address)
{
	struct module *mod;

	list_for_each_entry_rcu (mod, &modules, list) {
		if (READ_ONCE(mod->state) != MODULE_STATE_UNFORMED && within_module(address, mod))
			return mod;
	}
	return NULL;
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

void print_modules(void)
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

void module_note_unloaded(const struct module *mod)
{
	static const char *const taints[] = { "", "(P)", "(O)", "(PO)" };
	bool proprietary = mod->taints & BIT(TAINT_PROPRIETARY_MODULE);
	bool out_of_tree = mod->taints & BIT(TAINT_OOT_MODULE);

	snprintf(last_unloaded, sizeof(last_unloaded), "%s%s", mod->name,
		 taints[proprietary + 2 * out_of_tree]);
}

/* ---- the chain ---- */

static DEFINE_MUTEX(module_notify_mutex);
static LIST_HEAD(module_notifiers); /* [module_notify_mutex] */

void register_module_notifier(struct module_notifier *notifier)
{
	mutex_lock(&module_notify_mutex);
	list_add_tail(&notifier->list, &module_notifiers);
	mutex_unlock(&module_notify_mutex);
}

/* Tells all users before `pos`, the last first. module_notify_mutex held. */
static void tell_going(struct module *mod, struct list_head *pos)
{
	while ((pos = pos->prev) != &module_notifiers) {
		const struct module_notifier *notifier =
			list_entry(pos, struct module_notifier, list);

		if (notifier->going)
			notifier->going(mod);
	}
}

int module_notify_coming(struct module *mod)
{
	struct module_notifier *notifier;
	int error = 0;

	mutex_lock(&module_notify_mutex);
	list_for_each_entry (notifier, &module_notifiers, list) {
		error = notifier->coming ? notifier->coming(mod) : 0;
		if (error) {
			tell_going(mod, &notifier->list);
			break;
		}
	}
	mutex_unlock(&module_notify_mutex);
	return error;
}

void module_notify_live(struct module *mod)
{
	const struct module_notifier *notifier;

	mutex_lock(&module_notify_mutex);
	list_for_each_entry (notifier, &module_notifiers, list)
		if (notifier->live)
			notifier->live(mod);
	mutex_unlock(&module_notify_mutex);
}

void module_notify_going(struct module *mod)
{
	mutex_lock(&module_notify_mutex);
	tell_going(mod, &module_notifiers);
	mutex_unlock(&module_notify_mutex);
}
