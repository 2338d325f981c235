/* The formats of trace_printk() in modules. */
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module/module.h"
#include "kernel/sched/mutex.h"
#include "trace/core/trace_printk.h"

/* A copy of a format. It stays for ever, because entries with its address may. */
struct module_format {
	struct list_head list; /* [module_formats_lock] in module_formats */
	char text[];           /* constant */
};

static DEFINE_MUTEX(module_formats_lock);
static LIST_HEAD(module_formats);

/* Returns the copy of a text, or NULL. module_formats_lock held. */
static const char *hold_format(const char *text)
{
	struct module_format *format;

	list_for_each_entry (format, &module_formats, list)
		if (strcmp(format->text, text) == 0)
			return format->text;
	format = kmalloc(sizeof(*format) + strlen(text) + 1, GFP_KERNEL);
	if (!format)
		return NULL;
	memcpy(format->text, text, strlen(text) + 1);
	list_add_tail(&format->list, &module_formats);
	return format->text;
}

/* Replaces the formats of a module by copies. */
static int printk_module_coming(struct module *mod)
{
	int error = 0;

	mutex_lock(&module_formats_lock);
	for (unsigned i = 0; i < mod->num_trace_printk_formats; i++) {
		const char **format = &mod->trace_printk_formats[i];

		const char *copy = *format ? hold_format(*format) : NULL;

		if (*format && !copy)
			error = -ENOMEM;
		*format = copy;
	}
	mutex_unlock(&module_formats_lock);
	return error;
}

/* module_formats_hook */
static void show_formats(struct seq_file *m, trace_printk_show_t *show)
{
	const struct module_format *format;

	mutex_lock(&module_formats_lock);
	list_for_each_entry (format, &module_formats, list)
		show(m, format->text);
	mutex_unlock(&module_formats_lock);
}

static int __init module_formats_init(void)
{
	module_formats_hook = show_formats;
	return 0;
}
core_initcall(module_formats_init);

MODULE_NOTIFIER(MODULE_CHAIN_FORMATS) = { .coming = printk_module_coming };
