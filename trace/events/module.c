/*
 * The events of modules. They are added to all trace_arrays when the module comes, as dynamic
 * events, and removed when it goes. Whatever keeps an event (an open file, a trigger, a histogram,
 * an event probe) keeps the module. An event that is only enabled does not: it is disabled, as in
 * Linux.
 *
 * A word of set_event can name a module, "MATCH:mod:MODULE". If the module has not come, the word
 * waits, and is applied before the module's init runs.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/module/module.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "kernel/tracepoint.h"
#include "trace/events/event.h"

/* ---- words of set_event that wait for their modules ---- */

#define MATCH_MAX (2 * MAX_EVENT_NAME) /* bytes of "SYSTEM:NAME" with its NUL */

struct waiting_word {
	struct list_head list;
	struct trace_array *tr; /* removed together with the word */
	char module[MODULE_NAME_LEN];
	char match[MATCH_MAX];
};

static LIST_HEAD(waiting_words); /* [E] newest first, as Linux shows them */

/* Writes out what an empty part of a match means: "*". 0, or -EINVAL: it is too long. */
static int canonical(const char *match, char buf[MATCH_MAX])
{
	const char *colon = strchr(match, ':'), *name = colon ? colon + 1 : "";
	int system = colon ? (int)(colon - match) : (int)strlen(match);
	int length;

	if (!colon && *match && strcmp(match, "*") != 0)
		length = snprintf(buf, MATCH_MAX, "%s", match);
	else
		length = snprintf(buf, MATCH_MAX, "%.*s:%s", system ? system : 1,
				  system ? match : "*", *name ? name : "*");
	return length < MATCH_MAX ? 0 : -EINVAL;
}

/* Drops the words of tr for that module and match; NULL: for all. False: there is none. E held. */
static bool drop_words(const struct trace_array *tr, const char *module, const char *match)
{
	struct waiting_word *word, *next;
	bool found = false;

	list_for_each_entry_safe (word, next, &waiting_words, list) {
		if (word->tr != tr || (module && strcmp(word->module, module) != 0) ||
		    (match && strcmp(word->match, match) != 0))
			continue;
		list_del(&word->list);
		kfree(word);
		found = true;
	}
	return found;
}

static int add_word(struct trace_array *tr, const char *module, const char *match)
{
	struct waiting_word *word = kmalloc(sizeof(*word), GFP_KERNEL);

	if (!word)
		return -ENOMEM;
	word->tr = tr;
	strscpy(word->module, module, sizeof(word->module));
	strscpy(word->match, match, sizeof(word->match));
	list_add(&word->list, &waiting_words);
	return 0;
}

static int set_clr_module_events(struct trace_array *tr, const char *match, const char *name,
				 bool enable)
{
	char module[MODULE_NAME_LEN], text[MATCH_MAX];
	const struct module *mod;
	int error = canonical(match, text);

	if (error || strlen(name) >= MODULE_NAME_LEN)
		return -EINVAL;
	strscpy(module, name, sizeof(module));
	for (char *c = module; *c; c++) /* as modules' names are */
		if (*c == '-')
			*c = '_';
	rcu_read_lock();
	mod = find_module(module); /* only compared: no event of a module comes or goes without E */
	rcu_read_unlock();
	if (mod)
		return trace_set_clr_event(tr, text, mod, enable);
	if (enable)
		return add_word(tr, module, text);
	return drop_words(tr, module, strcmp(text, "*:*") == 0 ? NULL : text) ? 0 : -EINVAL;
}

static void show_module_words(struct seq_file *m, const struct trace_array *tr)
{
	const struct waiting_word *word;

	list_for_each_entry (word, &waiting_words, list)
		if (word->tr == tr)
			seq_printf(m, "%s:mod:%s\n", word->match, word->module);
}

static void forget_module_words(const struct trace_array *tr)
{
	(void)drop_words(tr, NULL, NULL);
}

static const struct event_module_words module_words LINKER_TABLE_ENTRY(rodata, event_module_words,
								       "") = {
	.set_clr = set_clr_module_events, .show = show_module_words, .forget = forget_module_words
};

/* The events of mod are there: applies and drops its words. An error leaves an event off. */
static void apply_words(const struct module *mod)
{
	struct waiting_word *word, *next;

	mutex_lock(&event_mutex);
	tracepoint_batch_begin();
	list_for_each_entry_safe (word, next, &waiting_words, list) {
		if (strcmp(word->module, mod->name) != 0)
			continue;
		(void)trace_set_clr_event(word->tr, word->match, mod, true);
		list_del(&word->list);
		kfree(word);
	}
	(void)tracepoint_batch_end();
	mutex_unlock(&event_mutex);
}

/* ---- the events ---- */

static unsigned count_calls(const struct module *mod)
{
	return (unsigned)(mod->trace_events_size / sizeof(*mod->trace_events));
}

/*
 * Returns a file of the event that is enabled and that no trigger keeps in soft mode, or NULL. E
 * held: it keeps the file.
 */
static struct trace_event_file *find_enabled(const struct trace_event_call *call)
{
	struct trace_event_file *file, *found = NULL;
	struct trace_array *tr;

	mutex_lock(&trace_types_lock);
	for_each_trace_array (tr) {
		list_for_each_entry (file, &trace_events_of(tr)->files, list)
			if (file->call == call && (file->flags & EVENT_FILE_FL_ENABLED) &&
			    !file->sm_ref)
				found = file;
	}
	mutex_unlock(&trace_types_lock);
	return found;
}

/* Disables the event everywhere. E held. */
static void disable_everywhere(const struct trace_event_call *call)
{
	struct trace_event_file *file;

	tracepoint_batch_begin();
	while ((file = find_enabled(call)))
		(void)trace_event_enable_disable(file, false, false);
	(void)tracepoint_batch_end();
}

/* An open file of the event's system may have no reference to this module: waits until it is
 * closed. */
static void remove_call(struct trace_event_call *call)
{
	int error;

	for (;;) {
		mutex_lock(&event_mutex);
		disable_everywhere(call);
		error = trace_remove_event_call(call);
		mutex_unlock(&event_mutex);
		if (!error)
			return;
		msleep(10);
	}
}

static void remove_calls(struct module *mod, unsigned count)
{
	while (count--)
		remove_call(&mod->trace_events[count]);
}

static int add_call(struct module *mod, struct trace_event_call *call)
{
	int error = -EEXIST;

	call->event.fields = call->get_fields();
	call->mod = mod;
	mutex_lock(&event_mutex);
	if (!trace_find_event_call(trace_event_system(call), trace_event_name(call)))
		error = trace_add_event_call(call);
	mutex_unlock(&event_mutex);
	if (error)
		pr_warn("%s: cannot add the event %s:%s: error %d\n", mod->name,
			trace_event_system(call), trace_event_name(call), error);
	return error;
}

static int events_module_coming(struct module *mod)
{
	for (unsigned i = 0; i < count_calls(mod); i++) {
		int error = add_call(mod, &mod->trace_events[i]);

		if (error) {
			remove_calls(mod, i);
			return error;
		}
	}
	apply_words(mod);
	return 0;
}

static void events_module_going(struct module *mod)
{
	remove_calls(mod, count_calls(mod));
}

MODULE_NOTIFIER(MODULE_CHAIN_OTHERS) = {
	.coming = events_module_coming,
	.going = events_module_going,
};
