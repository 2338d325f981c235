/*
 * Filters of ops: the functions ftrace_set_filter() and similar, the files set_ftrace_filter and
 * set_ftrace_notrace (Documentation/trace/ftrace.rst, "The File System"), and the command line.
 */
#include "trace/ftrace_files/filter.h"

#include "fs/vfs/seq_file.h"
#include "fs/tracefs/tracefs.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/glob.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "trace/ftrace/internal.h"

enum filter_kind { FILTER, NOTRACE };

/* The application of a word to a set. */
struct matching {
	struct ftrace_match match; /* the meaning of the word */
	const char *module;        /* only functions of modules with this pattern; NULL: of all */
	bool outside;              /* only functions of no such module */
	struct ftrace_hash *hash;  /* the copy that changes */
	unsigned matches;          /* sites that the word matched */
};

/* Adds or removes rec, which the word matches. 0 or -ENOMEM. */
static int apply_match(struct matching *m, const struct dyn_ftrace *rec)
{
	m->matches++;
	if (!m->match.remove)
		return ftrace_hash_insert(&m->hash, rec->offset);
	ftrace_hash_remove(m->hash, rec->offset);
	return 0;
}

/* Adds or removes rec if its name matches. 0 or -ENOMEM. */
static int match_record(struct matching *m, const struct dyn_ftrace *rec)
{
	char name[KSYM_NAME_LEN], module[KSYM_MODULE_LEN];
	unsigned long ip = ftrace_record_ip(rec);

	if (m->module) {
		bool inside = kallsyms_lookup_module(ip, NULL, NULL, name, module) &&
			      glob_match(m->module, module);

		if (inside == m->outside)
			return 0;
	}
	if ((!m->module || m->outside) && !kallsyms_lookup(ip, NULL, NULL, name))
		return 0;
	return glob_match(m->match.pattern, name) ? apply_match(m, rec) : 0;
}

/*
 * A symbol with the plain name is at address. The address may have no call site, or its site may
 * have another name, because an address may have several names.
 */
static int match_symbol(void *m, unsigned long address)
{
	const struct dyn_ftrace *rec = ftrace_location(address);

	return rec ? match_record(m, rec) : 0;
}

/*
 * Three kinds of words. A number is the number of a record. For a plain name, kallsyms finds the
 * addresses with that name; it knows the image only, so the records of modules are compared one by
 * one. For a pattern, all records are compared, which is slow.
 */
static int match_word(struct matching *m)
{
	const unsigned long number = m->match.number;
	const unsigned n = ftrace_record_count();
	unsigned first = 0;
	int error = 0;

	if (number)
		return number <= n ? apply_match(m, ftrace_record((unsigned)number - 1)) : 0;
	if (m->match.is_plain) {
		error = kallsyms_on_each_match_symbol(match_symbol, m->match.pattern, m);
		first = n - ftrace_nr_module_records;
	}
	for (unsigned i = first; i < n && !error; i++)
		error = match_record(m, ftrace_record(i));
	return error;
}

int ftrace_match_module(const struct ftrace_hash *hash, const char *word, const char *module,
			struct ftrace_hash **result)
{
	struct matching m = { .outside = *module == '!' };
	unsigned n = ftrace_record_count(), first;
	int error = 0;

	module += m.outside;
	m.module = *module ? module : "*";
	first = m.outside ? 0 : n - ftrace_nr_module_records;
	if (ftrace_parse_word(*word ? word : "*", &m.match) || m.match.number)
		return -EINVAL;
	if (!*m.match.pattern)
		m.match.pattern = "*";
	m.hash = ftrace_hash_copy(hash, m.outside ? 0 : 1);
	if (!m.hash)
		return -ENOMEM;
	for (unsigned i = first; i < n && !error; i++)
		error = match_record(&m, ftrace_record(i));
	if (!error && !m.matches)
		error = -ENOENT;
	if (error)
		ftrace_hash_free(m.hash);
	else
		*result = m.hash;
	return error;
}

int ftrace_match_records(const struct ftrace_hash *hash, const char *word,
			 struct ftrace_hash **result)
{
	struct matching m = { .matches = 0 };
	int error;

	if (ftrace_parse_word(word, &m.match))
		return -EINVAL;
	m.hash = ftrace_hash_copy(hash, 0); /* grows with each match */
	if (!m.hash)
		return -ENOMEM;
	error = match_word(&m);
	if (!error && !m.matches)
		error = -EINVAL;
	if (error)
		ftrace_hash_free(m.hash);
	else
		*result = m.hash;
	return error;
}

static int set_hash(struct ftrace_ops *ops, enum filter_kind kind, const char *pattern,
		    size_t length, bool reset)
{
	struct ftrace_hash *old, *new = NULL;
	char word[FTRACE_WORD_MAX + 1];
	int error = 0;

	if (length > FTRACE_WORD_MAX)
		return -EINVAL;
	memcpy(word, pattern, length);
	word[length] = '\0';
	mutex_lock(&ftrace_lock);
	old = kind == FILTER ? ops->filter_hash : ops->notrace_hash;
	if (length)
		error = ftrace_match_records(reset ? NULL : old, word, &new);
	else if (!reset)
		error = -EINVAL;
	if (!error)
		error = kind == FILTER ? ftrace_replace_hashes(ops, new, ops->notrace_hash)
				       : ftrace_replace_hashes(ops, ops->filter_hash, new);
	mutex_unlock(&ftrace_lock);
	return error;
}

int ftrace_set_filter(struct ftrace_ops *ops, const char *pattern, size_t length, bool reset)
{
	return set_hash(ops, FILTER, pattern, length, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter);

int ftrace_set_notrace(struct ftrace_ops *ops, const char *pattern, size_t length, bool reset)
{
	return set_hash(ops, NOTRACE, pattern, length, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_notrace);

/* Copies a filter (NULL: empty), and adds or removes ip in the copy. */
static int change_ip(const struct ftrace_hash *old, unsigned long ip, bool remove,
		     struct ftrace_hash **result)
{
	const struct dyn_ftrace *rec = ftrace_location(ip);
	struct ftrace_hash *new;

	if (!rec)
		return -EINVAL;
	new = ftrace_hash_copy(old, 1);
	if (!new)
		return -ENOMEM;
	if (!remove) {
		ftrace_hash_add(new, rec->offset);
	} else if (!ftrace_hash_remove(new, rec->offset)) {
		ftrace_hash_free(new);
		return -ENOENT;
	}
	*result = new;
	return 0;
}

int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, bool remove, bool reset)
{
	struct ftrace_hash *new;
	int error;

	mutex_lock(&ftrace_lock);
	error = change_ip(reset ? NULL : ops->filter_hash, ip, remove, &new);
	if (!error)
		error = ftrace_replace_hashes(ops, new, ops->notrace_hash);
	mutex_unlock(&ftrace_lock);
	return error;
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ip);

const struct ftrace_module_filters *ftrace_module_filters;

static void forget_module_words(const void *owner, struct ftrace_hash *(*get)(void *owner))
{
	if (ftrace_module_filters)
		ftrace_module_filters->forget(owner, get);
}

void ftrace_free_filter(struct ftrace_ops *ops)
{
	mutex_lock(&ftrace_lock);
	if (!WARN_ON(ops->flags & FTRACE_OPS_FL_ENABLED))
		ftrace_replace_hashes(ops, NULL, NULL);
	mutex_unlock(&ftrace_lock);
	forget_module_words(ops, NULL);
}
EXPORT_SYMBOL_GPL(ftrace_free_filter);

/* ---- files ---- */

/*
 * An open filter file. Written words change hash, which takes effect when the file is closed. A
 * refused word changes nothing: as on Linux, the words before it take effect, and a file that was
 * opened with O_TRUNC is empty if there are none.
 *
 * [W] lock; the opening and the last close, which are alone, write without it.
 */
struct filter_file {
	struct mutex lock; /* one write at a time: pwrite(2) does not lock the file's position */
	const struct ftrace_filter *filter;
	struct ftrace_hash *hash;         /* [W] NULL: empty */
	struct ftrace_word_parser parser; /* [W] */
};

static struct ftrace_hash *file_hash(const struct filter_file *f)
{
	return f->filter->get(f->filter->owner);
}

static bool filter_shows(const struct filter_file *f, unsigned index)
{
	const struct ftrace_hash *hash = file_hash(f);

	return !ftrace_hash_empty(hash) && ftrace_hash_contains(hash, ftrace_record(index)->offset);
}

#define SHOW_COMMANDS ((void *)2)

/* Position 0: the text of an empty filter. i + 1: record i. After the last record: the commands. */
static void *filter_find(struct filter_file *f, loff_t *pos)
{
	const loff_t commands = (loff_t)ftrace_record_count() + 1;

	if (!*pos && ftrace_hash_empty(file_hash(f)))
		return SEQ_START_TOKEN;
	if (ftrace_hash_empty(file_hash(f)))
		*pos = max(*pos, commands);
	else
		*pos = max(*pos, (loff_t)1);
	for (; *pos < commands; ++*pos)
		if (filter_shows(f, (unsigned)*pos - 1))
			return ftrace_record((unsigned)*pos - 1);
	return *pos == commands && (f->filter->show_commands || f->filter->remember) ? SHOW_COMMANDS
										     : NULL;
}

static void *filter_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&ftrace_lock);
	return filter_find(m->private, pos);
}

static void *filter_next(struct seq_file *m, void *v __unused, loff_t *pos)
{
	++*pos;
	return filter_find(m->private, pos);
}

static void filter_stop(struct seq_file *m __unused, void *v __unused)
{
	mutex_unlock(&ftrace_lock);
}

static int filter_show(struct seq_file *m, void *v)
{
	const struct filter_file *f = m->private;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, f->filter->when_empty);
	} else if (v == SHOW_COMMANDS) {
		if (ftrace_module_filters)
			ftrace_module_filters->show(f->filter, m);
		if (f->filter->show_commands)
			f->filter->show_commands(f->filter->owner, m);
	} else {
		seq_printf(m, "%ps\n", (void *)ftrace_record_ip(v));
	}
	return 0;
}

static const struct seq_operations filter_sops = {
	.start = filter_start, .next = filter_next, .stop = filter_stop, .show = filter_show
};

/* A file that is open for reading, or for both, is a seq_file. */
static struct filter_file *filter_file_of(const struct file *file)
{
	return file->f_mode & FMODE_READ ? ((struct seq_file *)file->private_data)->private
					 : file->private_data;
}

/* Begins with a copy of the present set, to which a writer adds (the shell's >>). */
static int begin_writing(struct filter_file *f)
{
	mutex_lock(&ftrace_lock);
	f->hash = ftrace_hash_copy(file_hash(f), 0);
	mutex_unlock(&ftrace_lock);
	return f->hash ? 0 : -ENOMEM;
}

/* The shell's > opens with O_TRUNC: the writer begins with the empty set, f->hash NULL. */
static int filter_open(struct inode *inode, struct file *file)
{
	struct filter_file *f;
	int error = 0;

	if (ftrace_is_dead())
		return -ENODEV;
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	mutex_init(&f->lock);
	f->filter = inode->i_private;
	if ((file->f_mode & FMODE_WRITE) && !(file->f_flags & O_TRUNC))
		error = begin_writing(f);
	else if (file->f_mode & FMODE_WRITE)
		forget_module_words(f->filter->owner, f->filter->get);
	if (!error && (file->f_mode & FMODE_READ))
		error = seq_open(file, &filter_sops);
	if (error) {
		ftrace_hash_free(f->hash);
		kfree(f);
		return error;
	}
	if (file->f_mode & FMODE_READ)
		((struct seq_file *)file->private_data)->private = f;
	else
		file->private_data = f;
	return 0;
}

/* Whether the command of a word is "mod". */
static bool names_module(const char *word)
{
	const char *command = strchr(word, ':');

	return command && !strncmp(command, ":mod", 4) && (!command[4] || command[4] == ':');
}

/*
 * Applies the complete word: a command at once, a pattern to the copy of the set. Only words with a
 * colon are commands or name a module; all others go to filter->match(), for set_ftrace_filter
 * ftrace_match_records().
 */
static int filter_apply_word(struct filter_file *f)
{
	struct ftrace_hash *changed;
	char *word = f->parser.word;
	int error;

	if (f->filter->remember && names_module(word)) {
		mutex_lock(&ftrace_lock);
		error = ftrace_module_filters
				? ftrace_module_filters->match(f->filter, f->hash, word, &changed)
				: -EINVAL;
		mutex_unlock(&ftrace_lock);
	} else if (f->filter->command && strchr(word, ':')) {
		return f->filter->command(f->filter->owner, word);
	} else {
		mutex_lock(&ftrace_lock); /* records of modules come and go */
		error = f->filter->match(f->hash, word, &changed);
		mutex_unlock(&ftrace_lock);
	}
	if (error)
		return error;
	ftrace_hash_free(f->hash);
	f->hash = changed;
	return 0;
}

/* found: the result of ftrace_next_word() or ftrace_last_word(). */
static int filter_end_word(struct filter_file *f, int found)
{
	return found > 0 ? filter_apply_word(f) : found;
}

/* A word may be split between two writes. The last word ends when the file is closed. */
static ssize_t filter_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct filter_file *f = filter_file_of(file);
	size_t left = count;
	int found, error;

	mutex_lock(&f->lock);
	do {
		found = ftrace_next_word(&f->parser, &buf, &left);
		error = filter_end_word(f, found);
	} while (found && !error);
	mutex_unlock(&f->lock);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

/* Makes the written words take effect. */
static int end_writing(struct filter_file *f)
{
	int word_error = filter_end_word(f, ftrace_last_word(&f->parser)), error;

	mutex_lock(&ftrace_lock);
	error = f->filter->replace(f->filter->owner, f->hash);
	mutex_unlock(&ftrace_lock);
	return error ? error : word_error;
}

static int filter_release(struct inode *inode, struct file *file)
{
	struct filter_file *f = filter_file_of(file);
	int error = file->f_mode & FMODE_WRITE ? end_writing(f) : 0;

	kfree(f);
	if (file->f_mode & FMODE_READ)
		seq_release(inode, file);
	return error;
}

static loff_t filter_lseek(struct file *file, loff_t offset, int whence)
{
	return file->f_mode & FMODE_READ ? seq_lseek(file, offset, whence) : 0;
}

static const struct file_operations filter_fops = {
	.open = filter_open,
	.read = seq_read,
	.write = filter_write,
	.llseek = filter_lseek,
	.release = filter_release,
};

/* The file uses filter as long as it exists. */
static int create_set_file(const char *name, umode_t mode, struct dentry *parent,
			   struct ftrace_filter *filter)
{
	struct dentry *file = tracefs_create_file(name, mode, parent, filter, &filter_fops);

	return IS_ERR_OR_NULL(file) ? -ENOMEM : 0;
}

int ftrace_create_set_file(const char *name, umode_t mode, struct dentry *parent,
			   const struct ftrace_filter *filter)
{
	struct ftrace_filter *copy = kmemdup(filter, sizeof(*filter), GFP_KERNEL);
	int error = copy ? create_set_file(name, mode, parent, copy) : -ENOMEM;

	if (error)
		kfree(copy);
	return error;
}

/* ---- set_ftrace_filter, set_ftrace_notrace ---- */

static struct ftrace_hash *get_filter_hash(void *ops)
{
	return ((struct ftrace_ops *)ops)->filter_hash;
}

static struct ftrace_hash *get_notrace_hash(void *ops)
{
	return ((struct ftrace_ops *)ops)->notrace_hash;
}

static int replace_filter_hash(void *owner, struct ftrace_hash *hash)
{
	struct ftrace_ops *ops = owner;

	return ftrace_replace_hashes(ops, hash, ops->notrace_hash);
}

static int replace_notrace_hash(void *owner, struct ftrace_hash *hash)
{
	struct ftrace_ops *ops = owner;

	return ftrace_replace_hashes(ops, ops->filter_hash, hash);
}

static struct ftrace_filter filter_of(struct ftrace_ops *ops)
{
	return (struct ftrace_filter){
		.when_empty = "#### all functions enabled ####\n",
		.all_when_empty = true,
		.get = get_filter_hash,
		.replace = replace_filter_hash,
		.match = ftrace_match_records,
		.remember = true,
		.owner = ops,
	};
}

static struct ftrace_filter notrace_of(struct ftrace_ops *ops)
{
	return (struct ftrace_filter){
		.when_empty = "#### no functions disabled ####\n",
		.get = get_notrace_hash,
		.replace = replace_notrace_hash,
		.match = ftrace_match_records,
		.remember = true,
		.owner = ops,
	};
}

int ftrace_create_filter_file(const char *name, struct ftrace_ops *ops,
			      struct ftrace_filter *filter, struct dentry *parent)
{
	*filter = filter_of(ops);
	return create_set_file(name, 0640, parent, filter);
}

int ftrace_create_filter_files(struct ftrace_ops *ops, struct ftrace_filter filters[2],
			       struct dentry *parent)
{
	int error = ftrace_create_filter_file("set_ftrace_filter", ops, &filters[0], parent);

	filters[1] = notrace_of(ops);
	return error ? error : create_set_file("set_ftrace_notrace", 0640, parent, &filters[1]);
}

/* ---- the command line ---- */

static char early_filter[256] __initdata, early_notrace[256] __initdata;

__setup_string("ftrace_filter", early_filter);
__setup_string("ftrace_notrace", early_notrace);

static int __init set_early_word(const struct ftrace_filter *filter, const char *word)
{
	struct ftrace_hash *hash;
	int error;

	mutex_lock(&ftrace_lock);
	error = filter->match(filter->get(filter->owner), word, &hash);
	if (!error)
		error = filter->replace(filter->owner, hash);
	mutex_unlock(&ftrace_lock);
	return error;
}

void __init ftrace_set_early(const struct ftrace_filter *filter, char *list)
{
	char *word;

	while ((word = strsep(&list, ",")))
		if (*word && set_early_word(filter, word))
			pr_warn("ftrace: no function matches \"%s\"\n", word);
}

void __init ftrace_set_early_filter(struct ftrace_ops *ops, char *list)
{
	struct ftrace_filter filter = filter_of(ops);

	ftrace_set_early(&filter, list);
}

void __init ftrace_set_early_filters(struct ftrace_ops *ops)
{
	struct ftrace_filter notrace_filter = notrace_of(ops);

	ftrace_set_early_filter(ops, early_filter);
	ftrace_set_early(&notrace_filter, early_notrace);
}
