/* The directory osnoise/: the settings of osnoise and timerlat, and the files that show them. */
#include "fs/vfs/seq_file.h"
#include "fs/tracefs/tracefs.h"
#include "kernel/init.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/string.h"
#include "trace/core/files.h"
#include "trace/tracers/noise/number_file.h"
#include "trace/tracers/noise/workload.h"
#include "trace/core/readme.h"

#define DEFAULT_OPTIONS BIT(OSN_WORKLOAD)
#define US_PER_SECOND   1000000
#define CPUS_TEXT_SIZE  1024

struct osnoise_settings osnoise_settings = {
	.period = US_PER_SECOND,
	.runtime = US_PER_SECOND,
	.timerlat_period = 1000,
	.options = DEFAULT_OPTIONS,
};

static const u64 timerlat_min_period = 100, timerlat_max_period = US_PER_SECOND;
static const struct number_file number_files[] = {
	{ "period_us", &osnoise_settings.period, &osnoise_settings.runtime, NULL },
	{ "runtime_us", &osnoise_settings.runtime, NULL, &osnoise_settings.period },
	{ "stop_tracing_us", &osnoise_settings.stop_tracing, NULL, NULL },
	{ "stop_tracing_total_us", &osnoise_settings.stop_tracing_total, NULL, NULL },
	{ "print_stack", &osnoise_settings.print_stack, NULL, NULL },
	{ "timerlat_period_us", &osnoise_settings.timerlat_period, &timerlat_min_period,
	  &timerlat_max_period },
	{ .name = NULL },
};

/* ---- cpus ---- */

static int cpus_show(struct seq_file *m, void *v __unused)
{
	char text[CPUS_TEXT_SIZE];

	mutex_lock(&trace_types_lock);
	cpulist_print(text, sizeof(text), &osnoise_settings.cpus);
	mutex_unlock(&trace_types_lock);
	seq_printf(m, "%s\n", text);
	return 0;
}

static ssize_t cpus_write(struct file *file __unused, const char *buf, size_t count, loff_t *pos)
{
	char text[CPUS_TEXT_SIZE];
	struct cpumask cpus;
	int error = trace_get_word(text, sizeof(text), buf, count);

	if (!error)
		error = cpulist_parse(text, &cpus);
	if (error)
		return error;
	mutex_lock(&trace_types_lock);
	workload_pause();
	osnoise_settings.cpus = cpus;
	workload_resume();
	mutex_unlock(&trace_types_lock);
	*pos += (loff_t)count;
	return (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(cpus);

/* ---- options ---- */

static const char *const option_names[OSN_OPTIONS] = {
	[OSN_DEFAULTS] = "DEFAULTS",
	[OSN_WORKLOAD] = "OSNOISE_WORKLOAD",
	[OSN_PANIC_ON_STOP] = "PANIC_ON_STOP",
	[OSN_PREEMPT_DISABLE] = "OSNOISE_PREEMPT_DISABLE",
	[OSN_IRQ_DISABLE] = "OSNOISE_IRQ_DISABLE",
};

static int options_show(struct seq_file *m, void *v __unused)
{
	u32 options = READ_ONCE(osnoise_settings.options);

	if (options == DEFAULT_OPTIONS)
		options |= BIT(OSN_DEFAULTS);
	for (unsigned i = 0; i < OSN_OPTIONS; i++)
		seq_printf(m, "%s%s ", options & BIT(i) ? "" : "NO_", option_names[i]);
	seq_putc(m, '\n');
	return 0;
}

/* Changes *options as the word says: NAME, NO_NAME or DEFAULTS. 0 or -EINVAL. */
static int change_option(u32 *options, const char *word)
{
	bool off = strncmp(word, "NO_", 3) == 0;

	if (strcmp(word, option_names[OSN_DEFAULTS]) == 0) {
		*options = DEFAULT_OPTIONS;
		return 0;
	}
	if (off)
		word += 3;
	for (unsigned i = OSN_DEFAULTS + 1; i < OSN_OPTIONS; i++) {
		if (strcmp(word, option_names[i]) == 0) {
			*options = off ? *options & ~BIT(i) : *options | BIT(i);
			return 0;
		}
	}
	return -EINVAL;
}

static ssize_t options_write(struct file *file __unused, const char *buf, size_t count, loff_t *pos)
{
	char word[32];
	u32 options;
	int error = trace_get_word(word, sizeof(word), buf, count);

	if (error)
		return error;
	mutex_lock(&trace_types_lock);
	options = osnoise_settings.options;
	error = change_option(&options, word);
	if (!error) {
		workload_pause();
		WRITE_ONCE(osnoise_settings.options, options);
		workload_resume();
	}
	mutex_unlock(&trace_types_lock);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(options);

static int __init osnoise_files_init(void)
{
	struct dentry *dir = tracefs_create_dir("osnoise", NULL);

	osnoise_settings.cpus = cpu_possible_mask;
	if (IS_ERR_OR_NULL(dir) ||
	    IS_ERR_OR_NULL(tracefs_create_file("cpus", 0640, dir, NULL, &cpus_fops)) ||
	    IS_ERR_OR_NULL(tracefs_create_file("options", 0640, dir, NULL, &options_fops)))
		return -ENOMEM;
	return create_number_files(number_files, dir);
}
device_initcall(osnoise_files_init);

TRACE_README(osnoise, "1e", "  osnoise/\t\t- the settings of the tracers osnoise and timerlat\n");
