/* Parameters of modules: their types, and the text that gives their values. */
#include "kernel/module/moduleparam.h"

#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/mutex.h"

DEFINE_MUTEX(kernel_param_mutex);

/* ---- types ---- */

static int parse_signed(const char *val, long min, long max, long *value)
{
	int error = val ? kstrtol(val, 0, value) : -EINVAL;

	return error ? error : *value < min || *value > max ? -ERANGE : 0;
}

static int parse_unsigned(const char *val, unsigned long max, unsigned long *value)
{
	int error = val ? kstrtoul(val, 0, value) : -EINVAL;

	return error ? error : *value > max ? -ERANGE : 0;
}

#define SIGNED_PARAM(name, type, min, max, format)                                                 \
	static int param_set_##name(const char *val, const struct kernel_param *kp)                \
	{                                                                                          \
		long value;                                                                        \
		int error = parse_signed(val, min, max, &value);                                   \
                                                                                                   \
		if (!error)                                                                        \
			*(type *)kp->arg = (type)value;                                            \
		return error;                                                                      \
	}                                                                                          \
	static int param_get_##name(char *buffer, const struct kernel_param *kp)                   \
	{                                                                                          \
		return scnprintf(buffer, PAGE_SIZE, format "\n", *(type *)kp->arg);                \
	}                                                                                          \
	const struct kernel_param_ops param_ops_##name = { .set = param_set_##name,                \
							   .get = param_get_##name }
#define UNSIGNED_PARAM(name, type, max, format)                                                    \
	static int param_set_##name(const char *val, const struct kernel_param *kp)                \
	{                                                                                          \
		unsigned long value;                                                               \
		int error = parse_unsigned(val, max, &value);                                      \
                                                                                                   \
		if (!error)                                                                        \
			*(type *)kp->arg = (type)value;                                            \
		return error;                                                                      \
	}                                                                                          \
	static int param_get_##name(char *buffer, const struct kernel_param *kp)                   \
	{                                                                                          \
		return scnprintf(buffer, PAGE_SIZE, format "\n", *(type *)kp->arg);                \
	}                                                                                          \
	const struct kernel_param_ops param_ops_##name = { .set = param_set_##name,                \
							   .get = param_get_##name }

SIGNED_PARAM(int, int, -0x7fffffffL - 1, 0x7fffffffL, "%d");
EXPORT_SYMBOL(param_ops_int);
SIGNED_PARAM(short, short, -0x8000L, 0x7fffL, "%hd");
EXPORT_SYMBOL(param_ops_short);
SIGNED_PARAM(long, long, -0x7fffffffffffffffL - 1, 0x7fffffffffffffffL, "%ld");
EXPORT_SYMBOL(param_ops_long);
UNSIGNED_PARAM(byte, unsigned char, 0xffUL, "%hhu");
EXPORT_SYMBOL(param_ops_byte);
UNSIGNED_PARAM(ushort, unsigned short, 0xffffUL, "%hu");
EXPORT_SYMBOL(param_ops_ushort);
UNSIGNED_PARAM(uint, unsigned, 0xffffffffUL, "%u");
EXPORT_SYMBOL(param_ops_uint);
UNSIGNED_PARAM(hexint, unsigned, 0xffffffffUL, "%#08x");
EXPORT_SYMBOL(param_ops_hexint);
UNSIGNED_PARAM(ulong, unsigned long, ~0UL, "%lu");
EXPORT_SYMBOL(param_ops_ulong);
UNSIGNED_PARAM(ullong, unsigned long long, ~0UL, "%llu");
EXPORT_SYMBOL(param_ops_ullong);

static int set_bool(const char *val, bool *value)
{
	if (!val) {
		*value = true;
		return 0;
	}
	return kstrtobool(val, value);
}

static int param_set_bool(const char *val, const struct kernel_param *kp)
{
	return set_bool(val, kp->arg);
}

static int param_set_invbool(const char *val, const struct kernel_param *kp)
{
	bool value;
	int error = set_bool(val, &value);

	if (!error)
		*(bool *)kp->arg = !value;
	return error;
}

static int param_get_bool(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%c\n", *(bool *)kp->arg ? 'Y' : 'N');
}

static int param_get_invbool(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%c\n", *(bool *)kp->arg ? 'N' : 'Y');
}

const struct kernel_param_ops param_ops_bool = { .flags = KERNEL_PARAM_OPS_FL_NOARG,
						 .set = param_set_bool,
						 .get = param_get_bool };
EXPORT_SYMBOL(param_ops_bool);
const struct kernel_param_ops param_ops_invbool = { .set = param_set_invbool,
						    .get = param_get_invbool };
EXPORT_SYMBOL(param_ops_invbool);

/*
 * A charp that was set is a copy. Its first bytes tell it from a text that the module has set
 * itself, which must not be freed.
 */
struct param_text {
	struct list_head list; /* [kernel_param_mutex] in param_texts */
	char text[];
};
static LIST_HEAD(param_texts);

static void free_text(const char *text)
{
	struct param_text *copy, *next;

	list_for_each_entry_safe (copy, next, &param_texts, list) {
		if (copy->text == text) {
			list_del(&copy->list);
			kfree(copy);
		}
	}
}

static int param_set_charp(const char *val, const struct kernel_param *kp)
{
	struct param_text *copy;

	if (strlen(val) > 1024) {
		pr_err("%s: string parameter too long\n", kp->name);
		return -ENOSPC;
	}
	copy = kmalloc(sizeof(*copy) + strlen(val) + 1, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	memcpy(copy->text, val, strlen(val) + 1);
	free_text(*(char **)kp->arg);
	list_add(&copy->list, &param_texts);
	*(char **)kp->arg = copy->text;
	return 0;
}

static int param_get_charp(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%s\n", *(char **)kp->arg);
}

static void param_free_charp(void *arg)
{
	free_text(*(char **)arg);
}

const struct kernel_param_ops param_ops_charp = { .set = param_set_charp,
						  .get = param_get_charp,
						  .free = param_free_charp };
EXPORT_SYMBOL(param_ops_charp);

static int param_set_copystring(const char *val, const struct kernel_param *kp)
{
	if (strlen(val) + 1 > kp->str->maxlen) {
		pr_err("%s: string doesn't fit in %u chars.\n", kp->name, kp->str->maxlen - 1);
		return -ENOSPC;
	}
	strscpy(kp->str->string, val, kp->str->maxlen);
	return 0;
}

static int param_get_string(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%s\n", kp->str->string);
}

const struct kernel_param_ops param_ops_string = { .set = param_set_copystring,
						   .get = param_get_string };
EXPORT_SYMBOL(param_ops_string);

/* ---- arrays ---- */

static struct kernel_param element(const struct kernel_param *kp, unsigned index)
{
	struct kernel_param one = *kp;

	one.ops = kp->arr->ops;
	one.arg = (char *)kp->arr->elem + index * kp->arr->elemsize;
	return one;
}

static int param_array_set(const char *val, const struct kernel_param *kp)
{
	char *copy = kstrdup(val, GFP_KERNEL), *rest = copy, *word;
	unsigned count = 0;
	int error = 0;

	if (!copy)
		return -ENOMEM;
	while (!error && (word = strsep(&rest, ","))) {
		struct kernel_param one = element(kp, count);

		if (count++ == kp->arr->max) {
			pr_err("%s: can only take %u arguments\n", kp->name, kp->arr->max);
			error = -EINVAL;
		} else {
			error = one.ops->set(word, &one);
		}
	}
	if (!error && kp->arr->num)
		*kp->arr->num = count;
	kfree(copy);
	return error;
}

static int param_array_get(char *buffer, const struct kernel_param *kp)
{
	unsigned count = kp->arr->num ? *kp->arr->num : kp->arr->max;
	int length = 0;

	for (unsigned i = 0; i < count; i++) {
		struct kernel_param one = element(kp, i);
		char *text = kmalloc(PAGE_SIZE, GFP_KERNEL);

		if (!text)
			return -ENOMEM;
		one.ops->get(text, &one);
		text[strcspn(text, "\n")] = '\0';
		length += scnprintf(buffer + length, PAGE_SIZE - (size_t)length, "%s%s",
				    i ? "," : "", text);
		kfree(text);
	}
	return length + scnprintf(buffer + length, PAGE_SIZE - (size_t)length, "\n");
}

static void param_array_free(void *arg)
{
	const struct kparam_array *array = arg;

	if (array->ops->free)
		for (unsigned i = 0; i < (array->num ? *array->num : array->max); i++)
			array->ops->free((char *)array->elem + i * array->elemsize);
}

const struct kernel_param_ops param_array_ops = { .set = param_array_set,
						  .get = param_array_get,
						  .free = param_array_free };
EXPORT_SYMBOL(param_array_ops);

/* ---- the text ---- */

/* Takes the next word off *args, without its quotes, and cuts it at the '='. NULL: none. */
static char *next_param(char **args, char **value)
{
	char *word = *args, *to, *from;
	bool quoted = false;

	while (isspace(*word))
		word++;
	if (!*word)
		return NULL;
	*value = NULL;
	for (to = from = word; *from && (quoted || !isspace(*from)); from++) {
		if (*from == '"') {
			quoted = !quoted;
		} else if (*from == '=' && !*value) {
			*to++ = '\0';
			*value = to;
		} else {
			*to++ = *from;
		}
	}
	*args = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

/* As in Linux, '-' and '_' are the same in names. */
static bool same_param(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

static const struct kernel_param *find_param(const char *name, const struct kernel_param *params,
					     unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (same_param(params[i].name, name))
			return &params[i];
	return NULL;
}

static int set_param(const struct kernel_param *kp, const char *value)
{
	int error;

	if (!value && !(kp->ops->flags & KERNEL_PARAM_OPS_FL_NOARG))
		return -EINVAL;
	mutex_lock(&kernel_param_mutex);
	error = kp->ops->set(value, kp);
	mutex_unlock(&kernel_param_mutex);
	return error;
}

int parse_args(const char *module, char *args, const struct kernel_param *params, unsigned count)
{
	char *name, *value;

	while ((name = next_param(&args, &value))) {
		const struct kernel_param *kp = find_param(name, params, count);
		int error;

		if (!kp) {
			pr_warn("%s: unknown parameter '%s' ignored\n", module, name);
			continue;
		}
		error = set_param(kp, value);
		if (error == -ENOSPC)
			pr_err("%s: `%s' too large for parameter `%s'\n", module, value, name);
		else if (error)
			pr_err("%s: `%s' invalid for parameter `%s'\n", module, value ? value : "",
			       name);
		if (error)
			return error;
	}
	return 0;
}

void destroy_params(const struct kernel_param *params, unsigned count)
{
	mutex_lock(&kernel_param_mutex);
	for (unsigned i = 0; i < count; i++)
		if (params[i].ops->free)
			params[i].ops->free(params[i].arg);
	mutex_unlock(&kernel_param_mutex);
}
