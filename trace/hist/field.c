/* struct hist_field: a field of an event with a modifier, and its text. */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/events/event.h"
#include "trace/hist/hist.h"

struct hist_field *hist_field_alloc(u32 flags)
{
	struct hist_field *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return NULL;
	f->flags = flags;
	f->refs = 1;
	f->size = 8;
	f->type = "u64";
	return f;
}

void hist_field_put(struct hist_field *f)
{
	if (!f || --f->refs)
		return;
	hist_field_put(f->operands[0]);
	hist_field_put(f->operands[1]);
	kfree(f->var_name);
	kfree(f->ref_text);
	kfree(f);
}

bool hist_field_is_string(const struct hist_field *f)
{
	return f->flags & HIST_FIELD_STRING;
}

bool hist_field_is_composite(const struct hist_field *f)
{
	return f->flags & (HIST_FIELD_STRING | HIST_FIELD_STACKTRACE);
}

struct hist_field *hist_field_of_stack(u32 flags)
{
	struct hist_field *f = hist_field_alloc(flags | HIST_FIELD_STACKTRACE);

	if (!f)
		return NULL;
	f->fn = HIST_FN_STACK;
	f->size = HIST_STACK_SIZE;
	f->type = "unsigned long[]";
	return f;
}

static int set_number_fn(struct hist_field *f)
{
	switch (f->size) {
	case 8:
		f->fn = HIST_FN_U64;
		return 0;
	case 4:
		f->fn = f->is_signed ? HIST_FN_S32 : HIST_FN_U32;
		return 0;
	case 2:
		f->fn = f->is_signed ? HIST_FN_S16 : HIST_FN_U16;
		return 0;
	case 1:
		f->fn = f->is_signed ? HIST_FN_S8 : HIST_FN_U8;
		return 0;
	}
	return -EINVAL;
}

static int set_fn(struct hist_field *f)
{
	const struct trace_event_field *field = f->field;

	if (f->flags & HIST_FIELD_STACKTRACE) {
		f->fn = HIST_FN_DYN_STACK;
		f->size = HIST_STACK_SIZE;
		return 0;
	}
	switch (trace_field_filter_type(field)) {
	case FILTER_STATIC_STRING:
		f->fn = HIST_FN_STATIC_STRING;
		f->flags |= HIST_FIELD_STRING;
		return 0;
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
		f->fn = HIST_FN_DYN_STRING;
		f->flags |= HIST_FIELD_STRING;
		f->size = HIST_STRING_SIZE;
		return 0;
	default: /* a pointer to a text is a number, as in Linux: it may be a program's */
		return set_number_fn(f);
	}
}

/* Makes the numbers of an inner field classes: powers of 2, or buckets of a size. */
static struct hist_field *classify(struct hist_field *inner, u32 flags, u64 bucket)
{
	struct hist_field *f = hist_field_alloc(flags);

	if (!f) {
		hist_field_put(inner);
		return NULL;
	}
	f->fn = flags & HIST_FIELD_LOG2 ? HIST_FN_LOG2 : HIST_FN_BUCKET;
	f->operands[0] = inner;
	f->field = inner->field;
	f->size = 8;
	f->type = inner->type;
	f->constant = bucket;
	return f;
}

struct hist_field *hist_field_of_event(const struct trace_event_field *field, u32 flags)
{
	struct hist_field *f = hist_field_alloc(flags);

	if (!f)
		return ERR_PTR(-ENOMEM);
	if (flags & HIST_FIELD_TIMESTAMP) {
		f->fn = HIST_FN_TIMESTAMP;
		return f;
	}
	if (flags & HIST_FIELD_CPU) {
		f->field = field; /* "cpu"; NULL: "common_cpu" */
		f->fn = HIST_FN_CPU;
		f->size = 4;
		f->type = "unsigned int";
		return f;
	}
	f->field = field;
	f->type = field->type;
	f->offset = field->offset;
	f->size = field->size;
	f->is_signed = field->is_signed;
	if (set_fn(f)) {
		hist_field_put(f);
		return ERR_PTR(-EINVAL);
	}
	return f;
}

struct modifier {
	const char *name;
	u32 flag;
};
static const struct modifier modifiers[] = {
	{ "hex", HIST_FIELD_HEX },
	{ "sym", HIST_FIELD_SYM },
	{ "sym-offset", HIST_FIELD_SYM_OFFSET },
	{ "syscall", HIST_FIELD_SYSCALL },
	{ "log2", HIST_FIELD_LOG2 },
	{ "usecs", HIST_FIELD_USECS },
	{ "stacktrace", HIST_FIELD_STACKTRACE },
	{ "execname", HIST_FIELD_EXECNAME }, /* the rest only in some places */
	{ "percent", HIST_FIELD_PERCENT },
	{ "graph", HIST_FIELD_GRAPH },
};

/* Adds the modifier's flag to *flags. False: there is no such modifier for this field. */
static bool parse_modifier(struct trace_array *tr, const char *name, const char *modifier,
			   u32 *flags, u64 *bucket)
{
	u32 flag = 0;

	if (strstarts(modifier, "bucket")) {
		unsigned long size;
		const char *value = modifier + 6 + (modifier[6] == 's');

		*flags |= HIST_FIELD_BUCKET;
		if (*value != '=' || !value[1]) {
			hist_err(tr, HIST_ERR_BAD_FIELD_MODIFIER, NULL);
			return false;
		}
		if (kstrtoul(value + 1, 0, &size) || !size) {
			hist_err(tr, HIST_ERR_BAD_FIELD_MODIFIER, value + 1);
			return false;
		}
		*bucket = size;
		return true;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(modifiers); i++)
		if (strcmp(modifier, modifiers[i].name) == 0)
			flag = modifiers[i].flag;
	if (flag == HIST_FIELD_EXECNAME && strcmp(name, "common_pid") != 0)
		flag = 0;
	if ((flag & (HIST_FIELD_PERCENT | HIST_FIELD_GRAPH)) &&
	    (*flags & (HIST_FIELD_VAR | HIST_FIELD_KEY)))
		flag = 0;
	if (!flag)
		hist_err(tr, HIST_ERR_BAD_FIELD_MODIFIER, modifier);
	*flags |= flag;
	return flag != 0;
}

/* Makes the field of a name. */
static struct hist_field *make_named(struct hist_trigger_data *h, struct trace_event_file *file,
				     const char *name, u32 flags)
{
	const struct trace_event_field *field = NULL;

	if (strcmp(name, "common_timestamp") == 0) {
		h->use_timestamp = true;
		return hist_field_of_event(NULL, flags | HIST_FIELD_TIMESTAMP);
	}
	if (strcmp(name, "common_cpu") == 0)
		return hist_field_of_event(NULL, flags | HIST_FIELD_CPU);
	field = trace_find_event_field(file->call, name);
	if (field && field->filter_type == FILTER_CPU)
		return hist_field_of_event(field, flags | HIST_FIELD_CPU);
	if (!field || !field->size) {
		hist_err(file->tr, HIST_ERR_FIELD_NOT_FOUND, name);
		return ERR_PTR(-EINVAL);
	}
	return hist_field_of_event(field, flags);
}

static bool holds_stack(const struct hist_field *f)
{
	return f->field && trace_field_filter_type(f->field) == FILTER_STACKTRACE;
}

/* In a variable "stacktrace" is the older name, unless a field has it (Linux 6.3). */
static bool is_stack(const struct trace_event_file *file, const char *name, u32 flags)
{
	return strcmp(name, "common_stacktrace") == 0 ||
	       (strcmp(name, "stacktrace") == 0 && (flags & HIST_FIELD_VAR) &&
		!trace_find_event_field(file->call, name));
}

struct hist_field *hist_parse_field(struct hist_trigger_data *h, struct trace_event_file *file,
				    char *text, u32 flags)
{
	char *modifier = text, *name = strsep(&modifier, ".");
	u32 classes = HIST_FIELD_LOG2 | HIST_FIELD_BUCKET;
	struct hist_field *f;
	u64 bucket = 0;

	if (!modifier && is_stack(file, name, flags)) {
		f = hist_field_of_stack(flags);
		return f ? f : ERR_PTR(-ENOMEM);
	}
	if (modifier && !parse_modifier(file->tr, name, modifier, &flags, &bucket))
		return ERR_PTR(-EINVAL);
	f = make_named(h, file, name, flags & ~classes);
	if (!IS_ERR(f) && (flags & classes) && (flags & HIST_FIELD_VAR)) {
		/* As in Linux, the whole value of a variable cannot be a class. */
		modifier[-1] = '.'; /* for the caret: the first place of the whole text */
		hist_err(file->tr, HIST_ERR_BAD_FIELD_MODIFIER, text);
		hist_field_put(f);
		return ERR_PTR(-EINVAL);
	}
	if (!IS_ERR(f) && (flags & HIST_FIELD_STACKTRACE) && !holds_stack(f)) {
		hist_err(file->tr, HIST_ERR_BAD_FIELD_MODIFIER, modifier);
		hist_field_put(f);
		return ERR_PTR(-EINVAL);
	}
	if (!IS_ERR(f) && (flags & classes)) {
		f = classify(f, flags, bucket);
		return f ? f : ERR_PTR(-ENOMEM);
	}
	return f;
}

static void put_modifier(struct seq_file *m, const struct hist_field *f)
{
	if (f->flags & HIST_FIELD_BUCKET) {
		seq_printf(m, ".buckets=%lu", f->constant);
		return;
	}
	if ((f->flags & HIST_FIELD_STACKTRACE) && f->fn == HIST_FN_STACK)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(modifiers); i++)
		if (f->flags & modifiers[i].flag)
			seq_printf(m, ".%s", modifiers[i].name);
}

static const char *operator_text(enum hist_fn fn)
{
	switch (fn) {
	case HIST_FN_PLUS:
		return "+";
	case HIST_FN_MINUS:
		return "-";
	case HIST_FN_MULT:
		return "*";
	default:
		return "/";
	}
}

void hist_field_puts(struct seq_file *m, const struct hist_field *f, bool with_modifier)
{
	if (f->fn == HIST_FN_NEGATE) {
		seq_puts(m, "-(");
		hist_field_puts(m, f->operands[0], true);
		seq_putc(m, ')');
	} else if (f->flags & HIST_FIELD_EXPR) {
		hist_field_puts(m, f->operands[0], true);
		seq_puts(m, operator_text(f->fn));
		hist_field_puts(m, f->operands[1], true);
	} else if (f->fn == HIST_FN_ALIAS) {
		hist_field_puts(m, f->operands[0], with_modifier);
	} else if (f->fn == HIST_FN_VAR_REF) {
		seq_puts(m, f->ref_text);
	} else if (f->fn == HIST_FN_CONST) {
		seq_printf(m, "%lu", f->constant);
	} else if (f->fn == HIST_FN_LOG2 || f->fn == HIST_FN_BUCKET) {
		hist_field_puts(m, f->operands[0], false);
		if (with_modifier)
			put_modifier(m, f);
	} else {
		if (f->flags & HIST_FIELD_HITCOUNT)
			seq_puts(m, "hitcount");
		else if (f->flags & HIST_FIELD_CPU)
			seq_puts(m, "common_cpu");
		else if (f->flags & HIST_FIELD_TIMESTAMP)
			seq_puts(m, "common_timestamp");
		else if (f->fn == HIST_FN_STACK) /* the name that a variable's command has */
			seq_puts(m, f->flags & HIST_FIELD_KEY ? "stacktrace" : "common_stacktrace");
		else
			seq_puts(m, f->field->name);
		if (with_modifier)
			put_modifier(m, f);
	}
}
