/*
 * Tracepoints: attaching probes to them, and removing probes.
 *
 * The probes of a tracepoint are an array. A reader is a CPU in __traceiter_NAME(), with preemption
 * off. It may be in NMI, so it takes no lock. A writer builds a new array and publishes it with one
 * store; a reader sees the old array or the new one. The old array is freed after a grace period.
 *
 * The static branch follows at the end of the batch: on, if the tracepoint has an array. So there
 * are moments with an array and no branch (the probe is not called yet), and with a branch and no
 * array (__traceiter_NAME() calls a function that does nothing).
 *
 * Most tracepoints have no probe or one. That array is a part of the tracepoint, so attaching the
 * first probe allocates nothing. It is used again only after a grace period.
 */
#include "kernel/tracepoint.h"

#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"

DEFINE_LINKER_TABLE(data, struct tracepoint, tracepoints);

/* An array of probes that was allocated. */
struct probe_array {
	struct probe_array *next;   /* [T] in retired_arrays */
	struct tracepoint_func all; /* tracepoint.call of an array with several probes */
	struct tracepoint_func funcs[];
};

static DEFINE_MUTEX(tracepoints_mutex);        /* [T] */
static unsigned batch_depth;                   /* [T] */
static struct tracepoint *changed_tracepoints; /* [T] linked by next_changed */
static struct probe_array *retired_arrays;     /* [T] to free after a grace period */
static bool must_wait;                         /* [T] readers may use an array that was replaced */

/* Stands for a removed probe when there was no memory for a shorter array, and for no probe. */
static void removed_probe(void)
{
}

const struct tracepoint_func tracepoint_no_probe = { .func = (void *)removed_probe };
EXPORT_SYMBOL_GPL(tracepoint_no_probe);

static bool is_probe(const struct tracepoint_func *f)
{
	return f->func != (void *)removed_probe;
}

/* Returns the entry, or NULL. T held. */
static struct tracepoint_func *find_probe(struct tracepoint *tp, const void *probe,
					  const void *data)
{
	for (struct tracepoint_func *f = tp->funcs; f && f->func; f++) {
		if (f->func == probe && f->data == data)
			return f;
	}
	return NULL;
}

static size_t count_probes(const struct tracepoint *tp)
{
	size_t count = 0;

	for (const struct tracepoint_func *f = tp->funcs; f && f->func; f++)
		count += is_probe(f);
	return count;
}

/* Returns an array for count probes and the end, or NULL. T held. */
static struct tracepoint_func *new_array(struct tracepoint *tp, size_t count)
{
	struct probe_array *array;

	if (count == 1 && tp->funcs != tp->single && !tp->single_retired)
		return tp->single;
	array = kmalloc(sizeof(*array) + (count + 1) * sizeof(array->funcs[0]), GFP_KERNEL);
	return array ? array->funcs : NULL;
}

static struct probe_array *array_of(struct tracepoint_func *funcs)
{
	return container_of(funcs, struct probe_array, funcs[0]);
}

/* Frees an array that was not published. T held. */
static void free_array(struct tracepoint *tp, struct tracepoint_func *funcs)
{
	if (funcs != tp->single)
		kfree(array_of(funcs));
}

/* Frees an array when no reader can use it any more. T held. */
static void retire_array(struct tracepoint *tp, struct tracepoint_func *funcs)
{
	if (!funcs)
		return;
	must_wait = true;
	if (funcs == tp->single) {
		tp->single_retired = true;
	} else {
		struct probe_array *array = array_of(funcs);

		array->next = retired_arrays;
		retired_arrays = array;
	}
}

/* What calls the probes of the array. T held. */
static const struct tracepoint_func *call_of(const struct tracepoint *tp,
					     struct tracepoint_func *funcs)
{
	struct probe_array *array;

	if (!funcs)
		return &tracepoint_no_probe;
	if (!funcs[1].func)
		return funcs;
	array = array_of(funcs);
	array->all = (struct tracepoint_func){ .func = tp->call_all, .data = funcs };
	return &array->all;
}

/* Publishes a new array, or NULL: no probe. T held. */
static void replace_array(struct tracepoint *tp, struct tracepoint_func *funcs)
{
	struct tracepoint_func *old = tp->funcs;
	void *direct;

	tp->funcs = funcs;
	rcu_assign_pointer(tp->call, call_of(tp, funcs));
	direct = funcs && !funcs[1].func && !tp->conditional ? funcs->direct : NULL;
	rcu_assign_pointer(tp->iter, direct ? direct : tp->traceiter);
	retire_array(tp, old);
	if (!tp->changed) {
		tp->changed = true;
		tp->next_changed = changed_tracepoints;
		changed_tracepoints = tp;
	}
}

/* T held. */
static int add_probe(struct tracepoint *tp, const struct tracepoint_func *new)
{
	struct tracepoint_func *funcs, *to;
	bool placed = false;

	if (find_probe(tp, new->func, new->data))
		return -EEXIST;
	funcs = to = new_array(tp, count_probes(tp) + 1);
	if (!funcs)
		return -ENOMEM;
	if (tp->regfunc && !tp->reg_called) {
		int error = tp->regfunc();

		if (error) {
			free_array(tp, funcs);
			return error;
		}
		tp->reg_called = true;
	}
	/*
	 * LAB 13: The new array has the probes of the old one, too, by priority, then by age.
	 * Starts as: (void)placed, (void)is_probe;
	 * *to++ = *new;
	 */
	for (const struct tracepoint_func *f = tp->funcs; f && f->func; f++) {
		if (!placed && f->prio < new->prio) {
			*to++ = *new;
			placed = true;
		}
		if (is_probe(f))
			*to++ = *f;
	}
	if (!placed)
		*to++ = *new;
	/* END LAB 13 */
	*to = (struct tracepoint_func){ .func = NULL };
	replace_array(tp, funcs);
	return 0;
}

/* T held. */
static int remove_probe(struct tracepoint *tp, const void *probe, const void *data)
{
	struct tracepoint_func *funcs = NULL, *to, *gone = find_probe(tp, probe, data);
	size_t count;

	if (!gone)
		return -ENOENT;
	/*
	 * LAB 13: The others stay. Without memory for a new array, the old one keeps its length.
	 * Starts as: (void)to, (void)count, (void)removed_probe;
	 */
	count = count_probes(tp) - 1;
	if (count) {
		funcs = to = new_array(tp, count);
		if (!funcs) {
			WRITE_ONCE(gone->func, (void *)removed_probe);
			must_wait = true;
			return 0;
		}
		for (const struct tracepoint_func *f = tp->funcs; f->func; f++) {
			if (f != gone && is_probe(f))
				*to++ = *f;
		}
		*to = (struct tracepoint_func){ .func = NULL };
	}
	/* END LAB 13 */
	replace_array(tp, funcs);
	return 0;
}

void tracepoint_batch_begin(void)
{
	if (mutex_owner(&tracepoints_mutex) != current)
		mutex_lock(&tracepoints_mutex);
	batch_depth++;
}

/* Turns the branches of the changed tracepoints on or off. T held. */
static int switch_branches(void)
{
	if (!changed_tracepoints)
		return 0;
	static_key_batch_begin();
	for (struct tracepoint *tp = changed_tracepoints; tp; tp = tp->next_changed) {
		if (tp->sites && tp->uses_sites != !!tp->funcs) {
			tp->uses_sites = tp->funcs;
			static_key_batch_add(tp->sites, tp->funcs ? 1 : -1);
		}
		static_key_batch_set(&tp->key.key, tp->funcs);
	}
	return static_key_batch_end();
}

/* Empties the lists of the batch. No reader uses a retired array. T held. */
static void finish_changes(void)
{
	struct tracepoint *tp, *next;
	struct probe_array *array;

	while ((array = retired_arrays)) {
		retired_arrays = array->next;
		kfree(array);
	}
	for (tp = changed_tracepoints; tp; tp = next) {
		next = tp->next_changed;
		tp->changed = tp->single_retired = false;
		if (tp->reg_called && !tp->funcs) {
			tp->reg_called = false;
			tp->unregfunc();
		}
	}
	changed_tracepoints = NULL;
}

int tracepoint_batch_end(void)
{
	int error = 0;

	if (batch_depth == 1) {
		error = switch_branches();
		if (must_wait)
			synchronize_rcu();
		must_wait = false;
		finish_changes();
	}
	if (!--batch_depth)
		mutex_unlock(&tracepoints_mutex);
	return error;
}

int tracepoint_probe_register_direct(struct tracepoint *tp, void *probe, void *data, int prio,
				     void *direct)
{
	const struct tracepoint_func new = {
		.func = probe, .data = data, .prio = prio, .direct = direct
	};
	int error, batch_error;

	if (mutex_owner(&tracepoints_mutex) == current)
		return add_probe(tp, &new); /* in a batch of the caller */
	tracepoint_batch_begin();
	error = add_probe(tp, &new);
	batch_error = tracepoint_batch_end();
	if (!error && batch_error)
		tracepoint_probe_unregister(tp, probe, data);
	return error ? error : batch_error;
}

int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data, int prio)
{
	return tracepoint_probe_register_direct(tp, probe, data, prio, NULL);
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register);

int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	int error, batch_error;

	if (mutex_owner(&tracepoints_mutex) == current)
		return remove_probe(tp, probe, data);
	tracepoint_batch_begin();
	error = remove_probe(tp, probe, data);
	batch_error = tracepoint_batch_end();
	return error ? error : batch_error;
}
EXPORT_SYMBOL_GPL(tracepoint_probe_unregister);

void for_each_kernel_tracepoint(void (*fn)(struct tracepoint *tp, void *data), void *data)
{
	for_each_linker_table_entry (tp, tracepoints)
		fn(tp, data);
}
