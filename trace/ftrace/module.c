/*
 * The records of modules. A module has two groups, one for its text and one for its init text. They
 * are added when the module comes, before any of its functions runs: so a tracer of all functions
 * traces its init. The sites are nops already (kernel/module/load.c).
 *
 * The groups are in the order of addresses, behind the records of the kernel, because modules lie
 * above the image and above the trampolines.
 *
 * Groups change under ftrace_lock. Readers hold ftrace_lock or are in an RCU section: kprobes look
 * an address up while other modules come and go.
 */
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/sort.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/module_list.h"
#include "kernel/rcu/rculist.h"
#include "trace/ftrace/internal.h"
#include "trace/ftrace/module.h"

/* [F]; list, end, count and the offsets of records are constant while the group is in groups */
struct record_group {
	struct list_head list; /* in groups, by address [F], RCU readers */
	unsigned long end;     /* behind the region */
	unsigned count;
	struct dyn_ftrace records[];
};

static LIST_HEAD(groups);                            /* [F], RCU readers */
static const struct ftrace_module_user *module_user; /* constant after the boot */

/* ---- ftrace_module_ops ---- */

static struct dyn_ftrace *record(unsigned index)
{
	struct record_group *group;

	list_for_each_entry (group, &groups, list) {
		if (index < group->count)
			return &group->records[index];
		index -= group->count;
	}
	return NULL;
}

static struct dyn_ftrace *location(unsigned long ip)
{
	u32 offset = (u32)(ip - KERNEL_IMAGE_BASE);
	struct dyn_ftrace *found = NULL;
	struct record_group *group;

	rcu_read_lock();
	list_for_each_entry_rcu (group, &groups, list) {
		size_t above = partition_point(group->count, i, group->records[i].offset <= offset);

		if (above && group->records[above - 1].offset == offset)
			found = &group->records[above - 1];
	}
	rcu_read_unlock();
	return found;
}

static int __init module_ops_init(void)
{
	ftrace_module_ops.record = record;
	ftrace_module_ops.location = location;
	return 0;
}
core_initcall(module_ops_init);

/* ---- modules come and go ---- */

/* Makes the records of the module's sites from first on that lie in the region. 0 or -ENOMEM. */
static int add_group(const struct module *mod, enum module_region region, struct record_group **to)
{
	struct record_group *group, *next;
	unsigned count = 0;

	for (unsigned i = 0; i < mod->num_call_sites; i++)
		count += within_module_region(mod, region, mod->call_sites[i]);
	*to = NULL;
	if (!count)
		return 0;
	group = kvzalloc(sizeof(*group) + count * sizeof(group->records[0]), GFP_KERNEL);
	if (!group)
		return -ENOMEM;
	group->end = mod->memory[region].base + mod->memory[region].size;
	for (unsigned i = 0; i < mod->num_call_sites; i++)
		if (within_module_region(mod, region, mod->call_sites[i]))
			group->records[group->count++].offset =
				(u32)(mod->call_sites[i] - KERNEL_IMAGE_BASE);
	list_for_each_entry (next, &groups, list)
		if (next->end > group->end)
			break;
	list_add_tail_rcu(&group->list, &next->list);
	ftrace_nr_module_records += count;
	*to = group;
	return 0;
}

static void remove_group(struct record_group *group)
{
	if (!group)
		return;
	list_del_rcu(&group->list);
	ftrace_nr_module_records -= group->count;
	ftrace_hashes_forget(group->records[0].offset, (u32)(group->end - KERNEL_IMAGE_BASE));
	synchronize_rcu(); /* ftrace_location() */
	kvfree(group);
}

/* The two groups of a module, in mod->ftrace. [F] */
struct module_records {
	struct record_group *text, *init;
};

static int enable_group(struct record_group *group)
{
	return group ? ftrace_update_new_records(group->records, group->count) : 0;
}

/* Adds the records, and makes the sites call what the registered ops want. [F] */
static int add_records(struct module *mod)
{
	struct module_records *records = kzalloc(sizeof(*records), GFP_KERNEL);
	int error = records ? 0 : -ENOMEM;

	if (!error)
		error = add_group(mod, MOD_TEXT, &records->text);
	if (!error)
		error = add_group(mod, MOD_INIT_TEXT, &records->init);
	if (!error && !ftrace_is_dead())
		error = enable_group(records->text);
	if (!error && !ftrace_is_dead())
		error = enable_group(records->init);
	if (error && records) {
		remove_group(records->text);
		remove_group(records->init);
		kfree(records);
		records = NULL;
	}
	mod->ftrace = records;
	return error;
}

static int ftrace_module_coming(struct module *mod)
{
	int error;

	mutex_lock(&ftrace_lock);
	error = mod->num_call_sites ? add_records(mod) : 0;
	mutex_unlock(&ftrace_lock);
	if (!error && module_user)
		module_user->coming(mod->name);
	return error;
}

static void ftrace_module_live(struct module *mod)
{
	struct module_records *records = mod->ftrace;

	if (!records)
		return;
	mutex_lock(&ftrace_lock);
	mod->keep_init_symbols = records->init && !list_empty(&ftrace_ops_list);
	remove_group(records->init);
	records->init = NULL;
	mutex_unlock(&ftrace_lock);
}

/*
 * No function of the module is called any more. The sites stay as they are: a task that was
 * preempted in a trampoline that one of them called returns behind the site, before the text is
 * freed.
 */
static void ftrace_module_going(struct module *mod)
{
	struct module_records *records = mod->ftrace;

	if (!records)
		return;
	mutex_lock(&ftrace_lock);
	remove_group(records->text);
	remove_group(records->init);
	mod->ftrace = NULL;
	mutex_unlock(&ftrace_lock);
	kfree(records);
}

MODULE_NOTIFIER(MODULE_CHAIN_FTRACE) = {
	.coming = ftrace_module_coming,
	.live = ftrace_module_live,
	.going = ftrace_module_going,
};

void ftrace_set_module_user(const struct ftrace_module_user *user)
{
	module_user = user;
}
