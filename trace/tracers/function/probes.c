/*
 * Function probes: the functions of each command, and their counts.
 *
 * Each command that is used in a trace_array has an ftrace_ops of its own. The filter of the ops
 * contains the command's functions. Functions with a count have a second ops. Their counts are in a
 * table with the same slots as the filter. Callbacks read the table without a lock, so a change
 * replaces the table by a copy. Each count is allocated separately, so that the old and the new
 * table share it. A count knows its tables, because a slot does not name its function for ever:
 * ftrace_hashes_forget() marks the functions of a module that goes.
 */
#include "trace/tracers/function/probes.h"

#include "fs/vfs/seq_file.h"
#include "kernel/atomic.h"
#include "kernel/errno.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rcu.h"
#include "trace/ftrace/internal.h"
#include "trace/tracers/function/internal.h"

/* How many more times the command runs for a function. */
struct probe_count {
	atomic64_t left;
	unsigned tables; /* [P] tables that contain the count; the last one frees it */
};

/* For each slot of a filter: the count of this function. */
struct probe_counts {
	struct ftrace_hash *functions; /* the functions; of[] has the same slots */
	struct probe_count *of[];      /* for each slot; NULL: the slot has no function */
};

struct ftrace_func_probe {
	struct ftrace_ops ops; /* probe_of() finds the probe from it */
	struct trace_array *tr;
	const struct ftrace_func_command *command;
	ftrace_func_t func; /* of the command, with or without counts; constant */
	void *data;         /* of the command; constant */
	bool counted;
	struct probe_counts *counts; /* [P] to write; NULL without counts */
	struct list_head list;       /* [P] and ftrace_lock to write: trace_array.probes */
};

static DEFINE_MUTEX(probe_lock); /* P: taken before ftrace_lock */

static struct ftrace_func_probe *probe_of(const struct ftrace_ops *op)
{
	return container_of(op, struct ftrace_func_probe, ops);
}

/* ---- counts ---- */

static unsigned hash_slots(const struct ftrace_hash *hash)
{
	return hash->mask + 1;
}

static struct probe_count *find_count(const struct probe_counts *counts, u32 offset)
{
	const struct ftrace_hash *hash = counts->functions;

	for (u32 i = ftrace_hash_slot(hash, offset); hash->slots[i]; i = (i + 1) & hash->mask)
		if (hash->slots[i] == offset)
			return counts->of[i];
	return NULL;
}

bool ftrace_probe_take(const struct ftrace_ops *op, unsigned long ip)
{
	const struct probe_counts *counts;
	struct probe_count *count;
	bool taken = false;
	s64 now, found;

	preempt_disable_notrace(); /* replace_functions() waits for this with synchronize_rcu() */
	counts = smp_load_acquire(&probe_of(op)->counts);
	count = counts ? find_count(counts, (u32)(ip - KERNEL_IMAGE_BASE)) : NULL;
	now = count ? atomic64_read(&count->left) : 0;
	for (; now > 0 && !taken; now = found) {
		found = atomic64_cmpxchg(&count->left, now, now - 1);
		taken = found == now;
	}
	preempt_enable_notrace();
	return taken;
}

void ftrace_probe_give_back(const struct ftrace_ops *op, unsigned long ip)
{
	const struct probe_counts *counts;
	struct probe_count *count;

	preempt_disable_notrace();
	counts = smp_load_acquire(&probe_of(op)->counts);
	count = counts ? find_count(counts, (u32)(ip - KERNEL_IMAGE_BASE)) : NULL;
	if (count)
		atomic64_inc(&count->left);
	preempt_enable_notrace();
}

void *ftrace_probe_data(const struct ftrace_ops *op)
{
	return probe_of(op)->data;
}

/* Frees the table, and the counts that no other table contains. P held. */
static void free_counts(struct probe_counts *counts)
{
	if (!counts)
		return;
	for (u32 i = 0; i < hash_slots(counts->functions); i++)
		if (counts->of[i] && !--counts->of[i]->tables)
			kfree(counts->of[i]);
	ftrace_hash_free(counts->functions);
	kfree(counts);
}

/*
 * Makes the table for functions. It shares the counts of old, and new functions get `left`. NULL:
 * no memory. P held.
 */
static struct probe_counts *make_counts(const struct probe_counts *old,
					const struct ftrace_hash *functions, s64 left)
{
	struct probe_counts *counts = kzalloc(
		sizeof(*counts) + hash_slots(functions) * sizeof(counts->of[0]), GFP_KERNEL);

	if (!counts)
		return NULL;
	counts->functions = ftrace_hash_copy(functions, 0);
	if (!counts->functions) {
		kfree(counts);
		return NULL;
	}
	for (u32 i = 0; i < hash_slots(counts->functions); i++) {
		u32 offset = counts->functions->slots[i];
		struct probe_count *count = old && offset ? find_count(old, offset) : NULL;

		if (!count && offset) {
			count = kzalloc(sizeof(*count), GFP_KERNEL);
			if (!count) {
				free_counts(counts);
				return NULL;
			}
			atomic64_set(&count->left, left);
		}
		if (count)
			count->tables++;
		counts->of[i] = count;
	}
	return counts;
}

/* ---- probes ---- */

/* What makes two probes of a trace_array different. */
struct probe_key {
	const struct ftrace_func_command *command;
	void *data;
	bool counted;
};

/* P held. */
static struct ftrace_func_probe *find_probe(struct trace_array *tr, const struct probe_key *key)
{
	struct ftrace_func_probe *probe;

	list_for_each_entry (probe, &function_of(tr)->probes, list)
		if (probe->command == key->command && probe->data == key->data &&
		    probe->counted == key->counted)
			return probe;
	return NULL;
}

/* The callback of all probes. enabled_functions shows this name, as on Linux. Any context. */
static void function_trace_probe_call(unsigned long ip, unsigned long parent_ip,
				      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	probe_of(op)->func(ip, parent_ip, op, fregs);
}

static struct ftrace_func_probe *alloc_probe(struct trace_array *tr, const struct probe_key *key)
{
	const struct ftrace_func_command *command = key->command;
	struct ftrace_func_probe *probe = kzalloc(sizeof(*probe), GFP_KERNEL);

	if (!probe)
		return NULL;
	probe->ops.func = function_trace_probe_call;
	probe->func = key->counted && command->counted ? command->counted : command->func;
	probe->ops.private = tr;
	probe->tr = tr;
	probe->command = command;
	probe->data = key->data;
	probe->counted = key->counted;
	return probe;
}

/*
 * Replaces probe's functions and counts, and takes over both tables. On an error the probe stays
 * unchanged, and the tables are freed. P held.
 */
static int replace_functions(struct ftrace_func_probe *probe, struct ftrace_hash *functions,
			     struct probe_counts *counts)
{
	struct probe_counts *old = probe->counts;
	int error;

	smp_store_release(&probe->counts, counts);
	mutex_lock(&ftrace_lock);
	error = ftrace_replace_hashes(&probe->ops, functions, NULL);
	mutex_unlock(&ftrace_lock);
	if (error)
		smp_store_release(&probe->counts, old);
	if (old)
		synchronize_rcu(); /* ftrace_probe_take() may still read old */
	free_counts(error ? counts : old);
	return error;
}

/* Unregisters and frees the probe. E and P held. */
static void remove_probe(struct ftrace_func_probe *probe)
{
	unregister_ftrace_function(&probe->ops);
	mutex_lock(&ftrace_lock);
	list_del(&probe->list);
	mutex_unlock(&ftrace_lock);
	if (probe->command->stop)
		probe->command->stop(probe->tr, probe->data);
	free_counts(probe->counts);
	ftrace_free_filter(&probe->ops);
	kfree(probe);
}

/* Registers a new probe, which has its functions already. E and P held. */
static int add_probe(struct ftrace_func_probe *probe)
{
	const struct ftrace_func_command *command = probe->command;
	int error = command->start ? command->start(probe->tr, probe->data) : 0;

	if (error)
		return error;
	error = register_ftrace_function(&probe->ops);
	if (error) {
		if (command->stop)
			command->stop(probe->tr, probe->data);
		return error;
	}
	mutex_lock(&ftrace_lock);
	list_add(&probe->list, &function_of(probe->tr)->probes);
	mutex_unlock(&ftrace_lock);
	return 0;
}

/*
 * Makes copies of probe's functions and of its counts with word added or removed, and without the
 * functions of modules that have gone. New functions get `count`. *counts is NULL if no function is
 * left, or if the probe has no counts. 0, -EINVAL, -ENOMEM. P held.
 */
static int changed_functions(struct ftrace_func_probe *probe, const char *word, s64 count,
			     struct ftrace_hash **functions, struct probe_counts **counts)
{
	struct ftrace_hash *old = probe->ops.filter_hash;
	u32 before = 0;
	int error;

	*counts = NULL;
	mutex_lock(&ftrace_lock); /* no module goes */
	for (u32 i = 0; old && i < hash_slots(old); i++)
		before += old->slots[i] > FTRACE_HASH_PENDING;
	error = ftrace_match_records(old, word, functions);
	if (!error)
		ftrace_hash_remove(*functions, FTRACE_HASH_GONE);
	mutex_unlock(&ftrace_lock);
	if (error || ftrace_hash_empty(*functions))
		return error;
	if ((*functions)->count == before) {
		error = -EINVAL;
	} else if (probe->counted) {
		*counts = make_counts(probe->counts, *functions, count);
		error = *counts ? 0 : -ENOMEM;
	}
	if (error)
		ftrace_hash_free(*functions);
	return error;
}

/* E and P held. */
static int probe_add(struct trace_array *tr, const struct probe_key *key, const char *pattern,
		     s64 count)
{
	struct ftrace_func_probe *probe = find_probe(tr, key), *fresh = NULL;
	struct ftrace_hash *functions;
	struct probe_counts *counts;
	int error;

	if (!probe)
		probe = fresh = alloc_probe(tr, key);
	if (!probe)
		return -ENOMEM;
	error = changed_functions(probe, pattern, count, &functions, &counts);
	if (!error)
		error = replace_functions(probe, functions, counts);
	if (!error && fresh) {
		error = add_probe(fresh);
		if (!error)
			return 0;
		free_counts(fresh->counts);
		ftrace_free_filter(&fresh->ops);
	}
	kfree(fresh);
	return error;
}

/* pattern begins with '!'. E and P held. */
static int probe_remove(struct trace_array *tr, const struct probe_key *key, const char *pattern)
{
	struct ftrace_func_probe *probe = find_probe(tr, key);
	struct ftrace_hash *functions;
	struct probe_counts *counts;
	int error;

	if (!probe)
		return -ENODEV;
	error = changed_functions(probe, pattern, 0, &functions, &counts);
	if (error)
		return error;
	if (ftrace_hash_empty(functions)) { /* an empty filter would mean all functions */
		ftrace_hash_free(functions);
		remove_probe(probe);
		return 0;
	}
	return replace_functions(probe, functions, counts);
}

static void remove_all_probes(struct trace_array *tr)
{
	struct ftrace_func_probe *probe, *next;

	mutex_lock(&event_mutex);
	mutex_lock(&probe_lock);
	list_for_each_entry_safe (probe, next, &function_of(tr)->probes, list)
		remove_probe(probe);
	mutex_unlock(&probe_lock);
	mutex_unlock(&event_mutex);
}

/* ---- words ---- */

DEFINE_LINKER_TABLE(rodata, const struct ftrace_func_command, ftrace_func_commands);

static const struct ftrace_func_command *find_command(const char *name)
{
	for_each_linker_table_entry (c, ftrace_func_commands)
		if (name && strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

/*
 * Parses what follows the command's name: the command's own words, and the count. As on Linux, the
 * text of a count is not read to remove a probe: count is NULL then, and "count=0" may follow. E
 * held.
 */
static int parse_parameter(struct trace_array *tr, struct probe_key *key, char *parameter,
			   unsigned long *count)
{
	const struct ftrace_func_command *command = key->command;
	int error = command->parse ? command->parse(tr, &parameter, &key->data) : 0;

	if (error)
		return error;
	/* As in Linux, dump and cpudump ignore what follows their names. */
	key->counted = parameter && command->counted;
	if (key->counted && count &&
	    (!*parameter || kstrtoul(parameter, 0, count) || *count > INT64_MAX))
		return -EINVAL;
	if (command->fixed_count) {
		key->counted = true;
		if (count)
			*count = command->fixed_count;
	}
	return 0;
}

/*
 * Adds or removes the probe of "[!]FUNCTION:COMMAND[:COUNT]"; changes word. 0; -EINVAL (unknown
 * command, no function of this name, bad number, or no change), -ENODEV (to remove: the command is
 * not in use), -ENOMEM, or the error of start. Task context.
 */
static int probe_command(void *owner, char *word)
{
	struct trace_array *tr = ((struct ftrace_ops *)owner)->private;
	char *pattern = strsep(&word, ":"), *name = strsep(&word, ":");
	struct probe_key key = { .command = find_command(name) };
	bool remove = *pattern == '!';
	unsigned long count = 0;
	int error;

	if (!key.command || !pattern[remove])
		return -EINVAL;
	mutex_lock(&event_mutex);
	error = parse_parameter(tr, &key, word, remove ? NULL : &count);
	if (!error) {
		mutex_lock(&probe_lock);
		error = remove ? probe_remove(tr, &key, pattern)
			       : probe_add(tr, &key, pattern, (s64)count);
		mutex_unlock(&probe_lock);
	}
	mutex_unlock(&event_mutex);
	return error;
}

/* Prints a line for each function of each command, the newest command first. ftrace_lock held. */
static void probe_show(void *owner, struct seq_file *m)
{
	struct trace_array *tr = ((struct ftrace_ops *)owner)->private;
	const struct ftrace_func_probe *probe;

	list_for_each_entry (probe, &function_of(tr)->probes, list) {
		for (unsigned i = 0; i < ftrace_record_count(); i++) {
			const struct dyn_ftrace *rec = ftrace_record(i);
			const struct probe_count *count =
				probe->counts ? find_count(probe->counts, rec->offset) : NULL;

			if (!ftrace_hash_contains(probe->ops.filter_hash, rec->offset))
				continue;
			seq_printf(m, "%ps:%s:", (void *)ftrace_record_ip(rec),
				   probe->command->name);
			if (probe->command->print)
				probe->command->print(m, probe->data);
			if (count)
				seq_printf(m, "count=%ld\n", atomic64_read(&count->left));
			else
				seq_puts(m, "unlimited\n");
		}
	}
}

FUNCTION_WORDS = { .command = probe_command, .show = probe_show, .detach = remove_all_probes };
