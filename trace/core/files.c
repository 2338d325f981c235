/* Creates the files of a trace_array: those of TRACE_FILE(), of parts and of tracers. */
#include "fs/tracefs/tracefs.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "trace/core/events.h"
#include "trace/core/files.h"
#include "trace/core/options.h"

DEFINE_LINKER_TABLE(rodata, const struct trace_file, trace_files);

int trace_get_word(char *word, size_t max, const char *buf, size_t count)
{
	char *text;

	if (count >= max)
		return -EINVAL;
	memcpy(word, buf, count);
	word[count] = '\0';
	text = strim(word);
	memmove(word, text, strlen(text) + 1);
	text = skip_spaces(word);
	memmove(word, text, strlen(text) + 1);
	return 0;
}
EXPORT_SYMBOL(trace_get_word);

int trace_get_number(const char *buf, size_t count, unsigned base, unsigned long *number)
{
	char text[32];

	if (count >= sizeof(text))
		return -EINVAL;
	memcpy(text, buf, count);
	text[count] = '\0';
	return kstrtoul(text, base, number);
}
EXPORT_SYMBOL(trace_get_number);

int trace_get_switch(const char *buf, size_t count, bool *on)
{
	unsigned long value;
	int error = trace_get_number(buf, count, 10, &value);

	if (error)
		return error;
	if (value > 1)
		return -EINVAL;
	*on = value;
	return 0;
}

static int create_files(struct trace_cpu *where, struct dentry *dir)
{
	bool per_cpu = where->cpu != RING_BUFFER_ALL_CPUS;

	for_each_linker_table_entry (file, trace_files) {
		if (per_cpu ? !file->per_cpu && !file->only_per_cpu : file->only_per_cpu)
			continue;
		if ((where->tr->name && file->only_top) ||
		    (!where->tr->persistent && file->only_persistent))
			continue;
		if (IS_ERR_OR_NULL(
			    tracefs_create_file(file->name, file->mode, dir, where, file->fops)))
			return -ENOMEM;
	}
	return 0;
}

static int create_per_cpu_dirs(struct trace_array *tr)
{
	struct dentry *per_cpu = tracefs_create_dir("per_cpu", tr->dir), *dir;
	char name[16];
	unsigned cpu;
	int error;

	if (IS_ERR_OR_NULL(per_cpu))
		return -ENOMEM;
	for_each_possible_cpu (cpu) {
		snprintf(name, sizeof(name), "cpu%u", cpu);
		dir = tracefs_create_dir(name, per_cpu);
		if (IS_ERR_OR_NULL(dir))
			return -ENOMEM;
		error = create_files(&tr->cpus[cpu], dir);
		if (error)
			return error;
	}
	return 0;
}

static int create_tracer_files(struct trace_array *tr)
{
	int error = 0;

	for (struct tracer *t = trace_own_types; t && !error; t = t->next)
		if (t->create_files && tracer_fits(t, tr))
			error = t->create_files(tr);
	return error;
}

int trace_create_files(struct trace_array *tr)
{
	int error = create_files(&tr->all, tr->dir);

	if (!error)
		error = create_per_cpu_dirs(tr);
	if (!error)
		error = trace_create_options_dir(tr);
	for (struct trace_array_part *part = trace_array_parts; part && !error; part = part->next)
		error = part->create_files ? part->create_files(tr) : 0;
	return error ? error : create_tracer_files(tr);
}

static int __init tracer_init_tracefs(void)
{
	int error = -ENOMEM;

	mutex_lock(&trace_types_lock);
	if (global_trace.buffer)
		error = trace_create_files(&global_trace);
	mutex_unlock(&trace_types_lock);
	return error;
}
device_initcall(tracer_init_tracefs);
