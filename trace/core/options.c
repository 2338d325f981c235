/* Options: the file trace_options, the files in options/, and the effects of a change. */
#include "fs/file/file_owner.h"
#include "fs/vfs/seq_file.h"
#include "fs/tracefs/tracefs.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "trace/core/cmdlines.h"
#include "trace/core/files.h"
#include "trace/core/options.h"
#include "trace/core/trace_printk.h"

#define OPTION_NAME_MAX   64
#define BOOT_OPTIONS_SIZE 256

#define C(name, text) text,
static const char *const trace_option_names[] = { TRACE_FLAGS };
#undef C

/* The i_private of a file in options/: a bit of trace_flags, or an option of a tracer. */
struct trace_option {
	struct list_head list; /* [T] tr->options */
	struct trace_array *tr;
	u64 mask; /* TRACE_ITER_*, when tracer is NULL */
	struct tracer *tracer;
	const struct tracer_opt *opt;
	struct dentry *file;
	struct file_owner owner; /* of the file, if a module has the tracer */
};

/* Of other rooms, by the number of the bit; boot to write. NULL: no room has registered it. */
static struct trace_flag *trace_flags[TRACE_ITER_LAST_BIT];

/* trace_options= of the command line; later only its options that are still unknown. [T] */
static char boot_options[BOOT_OPTIONS_SIZE];
__setup_string("trace_options", boot_options);

/* Returns whether bit number i of trace_flags is an option of this kernel. */
static bool flag_exists(unsigned i)
{
	return !(TRACE_FLAGS_OF_ROOMS & BIT(i)) || trace_flags[i];
}

/* Returns the number of the option's bit in trace_flags, or -1. */
static int find_flag(const char *name)
{
	for (unsigned i = 0; i < TRACE_ITER_LAST_BIT; i++)
		if (flag_exists(i) && strcmp(trace_option_names[i], name) == 0)
			return (int)i;
	return -1;
}

int register_trace_flag(struct trace_flag *flag)
{
	unsigned i = 0;

	while (i < TRACE_ITER_LAST_BIT && strcmp(trace_option_names[i], flag->name) != 0)
		i++;
	if (i == TRACE_ITER_LAST_BIT || !(TRACE_FLAGS_OF_ROOMS & BIT(i)))
		return -EINVAL;
	mutex_lock(&trace_types_lock);
	flag->mask = BIT(i);
	trace_flags[i] = flag;
	if (global_trace.current_trace)
		trace_apply_boot_options();
	mutex_unlock(&trace_types_lock);
	return 0;
}

int set_tracer_flag(struct trace_array *tr, u64 mask, bool enabled)
{
	if (!!(tr->trace_flags & mask) == enabled)
		return 0;
	if (tr->name && mask & TOP_LEVEL_TRACE_FLAGS)
		return -EINVAL;
	/* It goes from one trace_array to another one; what clears it gives it to the top level. */
	if (mask == TRACE_ITER_TRACE_PRINTK)
		return enabled    ? trace_printk_set_dest(tr)
		       : tr->name ? trace_printk_set_dest(&global_trace)
				  : -EINVAL;
	if (enabled)
		tr->trace_flags |= mask;
	else
		tr->trace_flags &= ~mask;

	if (mask & (TRACE_ITER_RECORD_CMD | TRACE_ITER_RECORD_TGID))
		trace_update_recorded_tasks();
	for (unsigned i = 0; i < TRACE_ITER_LAST_BIT; i++)
		if (trace_flags[i] && trace_flags[i]->mask == mask && trace_flags[i]->changed)
			trace_flags[i]->changed(tr, enabled);
	for (unsigned i = 0; mask == TRACE_ITER_OVERWRITE && i < ARRAY_SIZE(tr->buffers); i++)
		ring_buffer_change_overwrite(tr->buffers[i], enabled);
	return 0;
}

/* T held. */
static int set_tracer_option(struct trace_array *tr, struct tracer *tracer,
			     const struct tracer_opt *opt, bool enabled)
{
	u32 *flags = &tr->tracers[tracer->index].flags;
	int error = 0;

	if (!!(*flags & opt->bit) == enabled)
		return 0;
	/* A tracer that does not run reads its options in init(). */
	if (tracer->set_flag && (tr->current_trace == tracer || tracer == &nop_trace))
		error = tracer->set_flag(tr, *flags, opt->bit, enabled);
	if (error)
		return error;
	WRITE_ONCE(*flags, *flags ^ opt->bit);
	return 0;
}

static const struct tracer_opt *find_option(const struct tracer *tracer, const char *name)
{
	if (!tracer->flags)
		return NULL;
	for (const struct tracer_opt *opt = tracer->flags->opts; opt->name; opt++)
		if (strcmp(opt->name, name) == 0)
			return opt;
	return NULL;
}

int trace_set_options_locked(struct trace_array *tr, const char *option)
{
	const struct tracer_opt *opt;
	bool enabled = true;
	int index, error = -EINVAL;

	index = find_flag(option);
	opt = index < 0 ? find_option(tr->current_trace, option) : NULL;
	if (index < 0 && !opt && strstarts(option, "no")) {
		enabled = false;
		option += 2;
		index = find_flag(option);
		opt = index < 0 ? find_option(tr->current_trace, option) : NULL;
	}
	if (index >= 0)
		error = set_tracer_flag(tr, BIT(index), enabled);
	else if (opt)
		error = set_tracer_option(tr, tr->current_trace, opt, enabled);
	return error;
}

/* The unknown options may belong to a tracer or to a room that registers them later. */
void trace_apply_boot_options(void)
{
	char unknown[BOOT_OPTIONS_SIZE] = "", *rest = boot_options, *option;
	size_t length = 0;

	while ((option = strsep(&rest, ",")) != NULL)
		if (*option && trace_set_options_locked(&global_trace, option))
			length += (size_t)scnprintf(unknown + length, sizeof(unknown) - length,
						    "%s,", option);
	strscpy(boot_options, unknown, sizeof(boot_options));
}

static int __init check_boot_options(void)
{
	char *rest = boot_options, *option;

	while ((option = strsep(&rest, ",")) != NULL)
		if (*option)
			pr_warn("trace_options=%s: no such option\n", option);
	return 0;
}
late_initcall(check_boot_options);

/* ---- trace_options ---- */

static int tracing_trace_options_show(struct seq_file *m, void *v __unused)
{
	struct trace_array *tr = ((struct trace_cpu *)m->private)->tr;
	const struct tracer_flags *flags;

	mutex_lock(&trace_types_lock);
	for (unsigned i = 0; i < TRACE_ITER_LAST_BIT; i++)
		if (flag_exists(i))
			seq_printf(m, "%s%s\n", tr->trace_flags & BIT(i) ? "" : "no",
				   trace_option_names[i]);
	flags = tr->current_trace->flags;
	if (flags)
		for (const struct tracer_opt *opt = flags->opts; opt->name; opt++)
			seq_printf(m, "%s%s\n",
				   tracer_flags_of(tr, tr->current_trace) & opt->bit ? "" : "no",
				   opt->name);
	mutex_unlock(&trace_types_lock);
	return 0;
}

static ssize_t tracing_trace_options_write(struct file *file, const char *buf, size_t count,
					   loff_t *pos)
{
	char option[OPTION_NAME_MAX];
	int error = trace_get_word(option, sizeof(option), buf, count);

	if (error)
		return error;
	mutex_lock(&trace_types_lock);
	error = trace_set_options_locked(trace_file_tr(file), option);
	mutex_unlock(&trace_types_lock);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

DEFINE_SHOW_STORE_ATTRIBUTE(tracing_trace_options);

/* ---- options/NAME: 0 or 1 ---- */

static bool option_is_set(const struct trace_option *o)
{
	return o->tracer ? tracer_flags_of(o->tr, o->tracer) & o->opt->bit
			 : READ_ONCE(o->tr->trace_flags) & o->mask;
}

static ssize_t trace_option_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(buf, count, pos,
				       option_is_set(file->f_inode->i_private) ? "1\n" : "0\n", 2);
}

static ssize_t trace_option_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct trace_option *o = file->f_inode->i_private;
	bool on;
	int error = trace_get_switch(buf, count, &on);

	if (error)
		return error;
	mutex_lock(&trace_types_lock);
	error = o->tracer ? set_tracer_option(o->tr, o->tracer, o->opt, on)
			  : set_tracer_flag(o->tr, o->mask, on);
	mutex_unlock(&trace_types_lock);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations trace_option_fops = {
	.read = trace_option_read,
	.write = trace_option_write,
	.llseek = generic_file_llseek,
};

static void option_release(struct file_owner *owner)
{
	kfree(container_of(owner, struct trace_option, owner));
}

/* trace_free_options() frees the copy of *option. T held. */
static int create_option_file(const struct trace_option *option, const char *name)
{
	struct inode *dir = option->tr->options_dir->d_inode;
	struct trace_option *o = kmemdup(option, sizeof(*option), GFP_KERNEL);
	struct file_owner *inherited = dir->i_owner;

	if (!o)
		return -ENOMEM;
	/* A file inherits the owner of its directory, before it can be opened. */
	if (o->tracer && o->tracer->owner) {
		file_owner_init(&o->owner, NULL, option_release);
		o->owner.module = o->tracer->owner;
		dir->i_owner = &o->owner;
	}
	o->file = tracefs_create_file(name, 0640, option->tr->options_dir, o, &trace_option_fops);
	dir->i_owner = inherited;
	if (IS_ERR_OR_NULL(o->file)) {
		kfree(o);
		return -ENOMEM;
	}
	list_add_tail(&o->list, &option->tr->options);
	return 0;
}

void trace_free_options(struct trace_array *tr)
{
	struct trace_option *o, *next;

	list_for_each_entry_safe (o, next, &tr->options, list)
		kfree(o);
}

void remove_trace_option_files(struct trace_array *tr, const struct tracer *tracer)
{
	struct trace_option *o, *next;

	list_for_each_entry_safe (o, next, &tr->options, list) {
		if (o->tracer != tracer)
			continue;
		list_del(&o->list);
		tracefs_remove(o->file);
		file_owner_put(&o->owner);
	}
}

int create_trace_option_files(struct trace_array *tr, struct tracer *tracer)
{
	int error = 0;

	if (!tr->options_dir || !tracer->flags || !tracer_fits(tracer, tr))
		return 0;
	for (const struct tracer_opt *opt = tracer->flags->opts; opt->name && !error; opt++)
		error = create_option_file(
			&(struct trace_option){ .tr = tr, .tracer = tracer, .opt = opt },
			opt->name);
	return error;
}

int trace_create_options_dir(struct trace_array *tr)
{
	struct dentry *dir = tracefs_create_dir("options", tr->dir);
	int error = 0;

	if (IS_ERR_OR_NULL(dir))
		return -ENOMEM;
	tr->options_dir = dir;
	for (unsigned i = 0; i < TRACE_ITER_LAST_BIT && !error; i++) {
		struct trace_option option = { .tr = tr, .mask = BIT(i) };

		if (flag_exists(i) && (!tr->name || !(BIT(i) & TOP_LEVEL_TRACE_FLAGS)))
			error = create_option_file(&option, trace_option_names[i]);
	}
	for (struct tracer *t = trace_own_types; t && !error; t = t->next)
		error = create_trace_option_files(tr, t);
	return error;
}

TRACE_FILE(trace_options, 0640, &tracing_trace_options_fops);
