/*
 * What the kernel knows of modules without the loader: their list and their references. The loader,
 * kernel/module/, fills the list; a kernel without it has an empty one.
 */
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/module/module_events.h"
#include "kernel/module_ops.h"
#include "kernel/rcu/rculist.h"

LIST_HEAD(modules);
struct module_ops module_ops __ro_after_init;

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
struct module *__module_address(unsigned long address)
{
	struct module *mod;

	list_for_each_entry_rcu (mod, &modules, list) {
		if (READ_ONCE(mod->state) != MODULE_STATE_UNFORMED && within_module(address, mod))
			return mod;
	}
	return NULL;
}
