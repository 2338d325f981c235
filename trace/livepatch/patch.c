/*
 * Live patching of one function: how a call of the old function reaches the new one.
 *
 * The old function's site calls klp_ftrace_handler(), which chooses where the call continues: in
 * the newest function of the stack; or, while that function is in transition and the task has not
 * switched, in the next older function of the stack; or in the old function itself.
 *
 * The handler can be preempted. So data that it reads is freed or reused only after an RCU-tasks
 * grace period.
 */
#include "arch/patch/text_alias.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/sched.h"
#include "trace/ftrace/internal.h"
#include "trace/livepatch/internal.h"

static LIST_HEAD(klp_ops_list);  /* [klp_mutex] */
static LIST_HEAD(klp_unpatched); /* [klp_mutex] unlinked, waiting for klp_free_unpatched() */

/* ---- finding a function's code ---- */

struct symbol_search {
	const char *name;
	size_t length;
	unsigned found, colds;
	unsigned long address, cold;
};

/* gcc moves code that it expects to be executed rarely out of a function, into NAME.cold[.N]. */
static int match_symbol(void *data, const char *name, unsigned long address)
{
	struct symbol_search *search = data;

	if (strncmp(name, search->name, search->length))
		return 0;
	name += search->length;
	if (*name == '\0') {
		search->found++;
		search->address = address;
	} else if (!strncmp(name, ".cold", 5)) {
		search->colds++;
		search->cold = address;
	}
	return 0;
}

static void find_symbol(struct symbol_search *search, const char *name)
{
	*search = (struct symbol_search){ .name = name, .length = strlen(name) };
	kallsyms_on_each_symbol(match_symbol, search);
}

static unsigned long end_of_function(unsigned long address)
{
	char name[KSYM_NAME_LEN];
	unsigned long size;

	if (!address || !kallsyms_lookup(address, &size, NULL, name))
		return address;
	return address + size;
}

static void set_code(struct klp_code *code, unsigned long address, unsigned long cold)
{
	*code = (struct klp_code){ .start = address,
				   .end = end_of_function(address),
				   .cold_start = cold,
				   .cold_end = end_of_function(cold) };
}

static void find_symbol_of_module(struct symbol_search *search, const char *module,
				  const char *name)
{
	char cold[KSYM_NAME_LEN];

	*search = (struct symbol_search){ .address = kallsyms_find_in_module(module, name) };
	search->found = search->address != 0;
	strscpy(cold, name, sizeof(cold));
	strscat(cold, ".cold", sizeof(cold));
	search->cold = kallsyms_find_in_module(module, cold);
}

static int find_old_code(const struct klp_object *obj, struct klp_func *func)
{
	struct symbol_search search;

	if (obj->name)
		find_symbol_of_module(&search, obj->name, func->old_name);
	else
		find_symbol(&search, func->old_name);
	if (!search.found) {
		pr_err("livepatch: symbol '%s' not found in symbol table\n", func->old_name);
		return -EINVAL;
	}
	if (search.found > 1 || search.colds > 1) {
		pr_err("livepatch: unresolvable ambiguity for symbol '%s' in object 'vmlinux'\n",
		       func->old_name);
		return -EINVAL;
	}
	if (!ftrace_location(search.address)) {
		pr_err("livepatch: failed to find location for function '%s'\n", func->old_name);
		return -EINVAL;
	}
	func->old_func = (void *)search.address;
	set_code(&func->old_code, search.address, search.cold);
	return 0;
}

static int find_new_code(struct klp_func *func)
{
	unsigned long address = (unsigned long)func->new_func, offset;
	char name[KSYM_NAME_LEN], module[KSYM_MODULE_LEN];
	struct symbol_search search;

	if (!is_text_address(address) || !kallsyms_lookup(address, NULL, &offset, name) || offset) {
		pr_err("livepatch: no function to replace '%s'\n", func->old_name);
		return -EINVAL;
	}
	if (kallsyms_lookup_module(address, NULL, NULL, name, module)) {
		strscat(name, ".cold", sizeof(name));
		set_code(&func->new_code, address, kallsyms_find_in_module(module, name));
		return 0;
	}
	find_symbol(&search, name);
	if (search.colds > 1) {
		pr_err("livepatch: unresolvable ambiguity for symbol '%s.cold'\n", name);
		return -EINVAL;
	}
	set_code(&func->new_code, address, search.cold);
	return 0;
}

int klp_init_func(const struct klp_object *obj, struct klp_func *func)
{
	int error = find_old_code(obj, func);

	if (!error)
		error = find_new_code(func);
	func->patched = func->transition = false;
	return error;
}

/* ---- the call ---- */

static __always_inline struct klp_func *top_func(struct klp_ops *ops)
{
	struct list_head *node = rcu_dereference(ops->func_stack.next);

	return node == &ops->func_stack ? NULL : list_entry(node, struct klp_func, stack_node);
}

/*
 * Returns func, or the next older function of the stack if the task has not switched. NULL: the old
 * function.
 */
static noinline struct klp_func *func_of_current(struct klp_ops *ops, struct klp_func *func)
{
	struct list_head *node;

	/*
	 * patch_state is UNDEFINED only before func is in transition, and again when no handler can
	 * see func in transition any more.
	 */
	if (READ_ONCE(current->patch_state) != KLP_UNPATCHED)
		return func;
	node = rcu_dereference(func->stack_node.next);
	return node == &ops->func_stack ? NULL : list_entry(node, struct klp_func, stack_node);
}

static void klp_ftrace_handler(unsigned long ip __unused, unsigned long parent_ip __unused,
			       struct ftrace_ops *fops, struct ftrace_regs *fregs)
{
	struct klp_ops *ops = container_of(fops, struct klp_ops, fops);
	struct klp_func *func = top_func(ops);

	if (unlikely(!func))
		return;
	if (unlikely(READ_ONCE(func->transition))) {
		func = func_of_current(ops, func);
		if (!func)
			return;
	}
	ftrace_instruction_pointer_set(fregs, (unsigned long)func->new_func);
}

/* ---- patching and unpatching ---- */

static struct klp_ops *find_ops(const void *old_func)
{
	struct klp_ops *ops;

	list_for_each_entry (ops, &klp_ops_list, node)
		if (list_first_entry(&ops->func_stack, struct klp_func, stack_node)->old_func ==
		    old_func)
			return ops;
	return NULL;
}

/* Registers an ftrace_ops for a function that has no replacement yet. */
static int patch_first(struct klp_func *func)
{
	struct klp_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	int error;

	if (!ops)
		return -ENOMEM;
	ops->fops.func = klp_ftrace_handler;
	ops->fops.flags = FTRACE_OPS_FL_DYNAMIC | FTRACE_OPS_FL_IPMODIFY;
	INIT_LIST_HEAD(&ops->func_stack);
	list_add_rcu(&func->stack_node, &ops->func_stack);
	error = ftrace_set_filter_ip(&ops->fops, (unsigned long)func->old_func, false, true);
	if (!error)
		error = register_ftrace_function(&ops->fops);
	if (error) {
		pr_err("livepatch: failed to register ftrace handler for function '%s' (%d)\n",
		       func->old_name, error);
		ftrace_free_filter(&ops->fops);
		kfree(ops);
		return error;
	}
	list_add(&ops->node, &klp_ops_list);
	return 0;
}

int klp_patch_func(struct klp_func *func)
{
	struct klp_ops *ops = find_ops(func->old_func);
	int error = 0;

	if (ops)
		list_add_rcu(&func->stack_node, &ops->func_stack);
	else
		error = patch_first(func);
	func->patched = !error;
	return error;
}

int klp_unpatch_func(struct klp_func *func)
{
	struct klp_ops *ops;
	int error;

	if (!func->patched)
		return 0;
	func->patched = false;
	ops = find_ops(func->old_func);
	if (!list_is_singular(&ops->func_stack)) {
		list_del_rcu(&func->stack_node);
		return 0;
	}
	list_del(&ops->node);
	error = ftrace_unregister_begin(&ops->fops, &ops->tramp);
	if (error)
		return error;
	list_del_rcu(&func->stack_node);
	list_add(&ops->node, &klp_unpatched);
	return 0;
}

void klp_free_unpatched(void)
{
	struct klp_ops *ops, *next;

	list_for_each_entry_safe (ops, next, &klp_unpatched, node) {
		list_del(&ops->node);
		ftrace_unregister_end(ops->tramp);
		/* At once: ftrace_free_filter() would begin another grace period. */
		ftrace_hash_free(ops->fops.filter_hash);
		kfree(ops);
	}
}

const struct klp_code *klp_replaced_code(const struct klp_func *func)
{
	const struct klp_ops *ops = find_ops(func->old_func);

	if (func->stack_node.next == &ops->func_stack)
		return &func->old_code;
	return &list_next_entry(func, stack_node)->new_code;
}
