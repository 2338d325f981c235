/*
 * Filters for the functions of a module: "PATTERN:mod:MODULE" in set_ftrace_filter and
 * set_ftrace_notrace; "PATTERN:mod:!MODULE" for those outside it. If no function matches, the word
 * is kept, and applied when a module with just that name comes, before its init runs.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module/module.h"
#include "trace/ftrace/internal.h"
#include "trace/ftrace/module.h"
#include "trace/ftrace_files/filter.h"

/* A word that waits for its module. All [F] ftrace_lock. */
struct pending_word {
	struct list_head list;
	struct ftrace_hash *(*get)(void *owner); /* of the filter, as the next two */
	int (*replace)(void *owner, struct ftrace_hash *hash);
	void *owner;
	char module[MODULE_NAME_LEN];
	char pattern[FTRACE_WORD_MAX + 1]; /* "": all functions */
};

static LIST_HEAD(pending_words); /* newest first, as Linux shows them */

static bool is_loaded(const char *module)
{
	bool loaded;

	rcu_read_lock();
	loaded = find_module(module);
	rcu_read_unlock();
	return loaded;
}

static void drop(struct pending_word *word)
{
	list_del(&word->list);
	kfree(word);
}

static int add_pending(const struct ftrace_filter *filter, const char *pattern, const char *module)
{
	struct pending_word *word = kzalloc(sizeof(*word), GFP_KERNEL);

	if (!word)
		return -ENOMEM;
	word->get = filter->get;
	word->replace = filter->replace;
	word->owner = filter->owner;
	strscpy(word->module, module, sizeof(word->module));
	strscpy(word->pattern, pattern, sizeof(word->pattern));
	list_add(&word->list, &pending_words);
	return 0;
}

/*
 * '!' before a pattern: removes words of the same pattern; an empty one or "*": all of the module.
 */
static int remove_pending(const struct ftrace_filter *filter, const char *pattern,
			  const char *module)
{
	bool all = !*pattern || strcmp(pattern, "*") == 0;
	struct pending_word *word, *next;
	int error = -EINVAL;

	list_for_each_entry_safe (word, next, &pending_words, list) {
		if (word->owner == filter->owner && word->get == filter->get &&
		    strcmp(word->module, module) == 0 &&
		    (all || strcmp(word->pattern, pattern) == 0)) {
			drop(word);
			error = 0;
		}
	}
	return error;
}

static bool has_pending(const struct ftrace_filter *filter)
{
	const struct pending_word *word;

	list_for_each_entry (word, &pending_words, list)
		if (word->owner == filter->owner && word->get == filter->get)
			return true;
	return false;
}

static int filter_module(const struct ftrace_filter *filter, const struct ftrace_hash *hash,
			 const char *word, struct ftrace_hash **result)
{
	const char *separator = strchr(word, ':'), *module = separator + strlen(":mod");
	char pattern[FTRACE_WORD_MAX + 1];
	int error;

	strscpy(pattern, word, (size_t)(separator - word) + 1);
	if (!*module) { /* "PATTERN:mod" is PATTERN */
		error = ftrace_match_records(hash, pattern, result);
		/* Linux tries to keep the word, and has no name of a module to keep. */
		return error == -EINVAL && *pattern != '!' ? -ENOMEM : error;
	}
	module++;
	if (strlen(module) >= MODULE_NAME_LEN)
		return -EINVAL;
	error = ftrace_match_module(hash, pattern, module, result);
	if (error != -ENOENT)
		return error;
	*result = ftrace_hash_copy(hash, 1);
	if (!*result)
		return -ENOMEM;
	if (is_loaded(module)) /* it has no such function */
		return 0;
	if (*pattern == '!')
		error = remove_pending(filter, pattern + 1, module);
	else
		error = add_pending(filter, pattern, module);
	/* A set whose functions are not there yet must not be empty if that meant all functions. */
	if (filter->all_when_empty && has_pending(filter))
		ftrace_hash_add(*result, FTRACE_HASH_PENDING);
	else
		ftrace_hash_remove(*result, FTRACE_HASH_PENDING);
	if (error)
		ftrace_hash_free(*result);
	return error;
}

static void show_words(const struct ftrace_filter *filter, struct seq_file *m)
{
	const struct pending_word *word;

	list_for_each_entry (word, &pending_words, list)
		if (word->owner == filter->owner && word->get == filter->get)
			seq_printf(m, "%s:mod:%s\n", word->pattern, word->module);
}

static void forget_words(const void *owner, struct ftrace_hash *(*get)(void *owner))
{
	struct pending_word *word, *next;

	mutex_lock(&ftrace_lock);
	list_for_each_entry_safe (word, next, &pending_words, list)
		if (word->owner == owner && (!get || word->get == get))
			drop(word);
	mutex_unlock(&ftrace_lock);
}

/* A module has come. An error leaves a set as it was: the module is loaded, but not traced. */
static void apply_pending(const char *module)
{
	struct pending_word *word, *next;

	mutex_lock(&ftrace_lock);
	list_for_each_entry_safe (word, next, &pending_words, list) {
		struct ftrace_hash *hash;

		if (strcmp(word->module, module) != 0)
			continue;
		if (!ftrace_match_module(word->get(word->owner), word->pattern, module, &hash))
			(void)word->replace(word->owner, hash);
		drop(word);
	}
	mutex_unlock(&ftrace_lock);
}

static const struct ftrace_module_user module_filter_user = { .coming = apply_pending };
static const struct ftrace_module_filters module_filters = { .match = filter_module,
							     .show = show_words,
							     .forget = forget_words };

static int __init module_filter_init(void)
{
	ftrace_module_filters = &module_filters;
	ftrace_set_module_user(&module_filter_user);
	return 0;
}
core_initcall(module_filter_init);
