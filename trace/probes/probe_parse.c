/* The parser for the arguments of probes: trace/probes/probe_arg.h. */
#include "arch/unwind/regs.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "trace/probes/internal.h"

/* ---- sources ---- */

/*
 * The program of an argument has at most this many steps behind the first one: dereferences, one
 * more for @ADDRESS, and two more for @SYMBOL. Linux has this limit.
 */
#define STEPS_MAX 14

/* Sets where an argument is at the entry of a function. */
static void set_place_at_entry(struct probe_source *source, unsigned long number)
{
	int offset = regs_argument_offset((unsigned)number - 1);

	source->kind = offset < 0 ? PROBE_SOURCE_STACK : PROBE_SOURCE_REGISTER;
	/* On the stack, the return address is before the arguments. */
	source->value = offset < 0 ? number - REGS_ARGUMENTS : (unsigned)offset;
}

/* The same in a context that has arguments as words. */
static void set_place_in_words(const struct probe_parser *p, unsigned long number)
{
	struct probe_source *source = &p->arg->source;
	bool in_words = number <= p->sources->nr_args;

	source->kind = in_words ? PROBE_SOURCE_REGISTER : PROBE_SOURCE_STACK;
	source->value = in_words ? p->sources->args + (number - 1) * sizeof(u64)
				 : number - p->sources->nr_args;
}

/* Adds an argument to those that are kept until the return, unless another one has done so. */
static int keep_argument(const struct probe_parser *p, unsigned long number, const char *at)
{
	struct probe_entry_args *kept = p->command->entry_args;
	unsigned index = 0;

	while (index < kept->count && kept->numbers[index] != number)
		index++;
	if (index == PROBE_ENTRY_ARGS_MAX)
		return probe_parse_error(p, PROBE_ERR_TOO_MANY_EARGS, at);
	if (index == kept->count)
		kept->numbers[kept->count++] = (u16)number;
	p->arg->source.kind = PROBE_SOURCE_ENTRY_ARG;
	p->arg->source.value = index;
	return 0;
}

int probe_set_argument(const struct probe_parser *p, unsigned long number, const char *at)
{
	if (!(p->sources->flags & PROBE_FL_ENTRY))
		return keep_argument(p, number, at);
	if (p->sources->args)
		set_place_in_words(p, number);
	else
		set_place_at_entry(&p->arg->source, number);
	return 0;
}

/* Parses "$argN". */
static int parse_argument(const struct probe_parser *p, const char *text, unsigned long number)
{
	if (!number || number > PROBE_STACK_MAX)
		return probe_parse_error(p, PROBE_ERR_BAD_ARG_NUM, text);
	if (!probe_btf_has_argument(p, number))
		return probe_parse_error(p, PROBE_ERR_NO_BTFARG, text);
	if (text == p->command->argv[p->word]) /* no name was given */
		probe_btf_use_argument_type(p, number);
	return probe_set_argument(p, number, text);
}

/* Returns N if text begins with "$argN", and sets *end behind it; or 0. */
static unsigned long argument_number(const char *text, char **end)
{
	if (strncmp(text, "$arg", 4) != 0 || !isdigit(text[4]))
		return 0;
	return simple_strtoul(text + 4, end, 10);
}

/* Parses "$argN", "$stack", "$stackN", "$retval". */
static int parse_variable(const struct probe_parser *p, const char *text)
{
	struct probe_source *source = &p->arg->source;
	u32 flags = p->sources->flags;
	unsigned long number;

	if (strcmp(text, "$retval") == 0 || strstarts(text, "$retval->")) {
		if (!(flags & PROBE_FL_RETURN))
			return probe_parse_error(p, PROBE_ERR_RETVAL_ON_PROBE, text);
		source->kind = PROBE_SOURCE_REGISTER;
		source->value = REGS_RESULT_OFFSET;
		return probe_parse_btf_retval(p, text);
	}
	if (strcmp(text, "$stack") == 0) {
		source->kind = PROBE_SOURCE_STACK_POINTER;
		return 0;
	}
	if (strncmp(text, "$stack", 6) == 0 && isdigit(text[6]) &&
	    !kstrtoul(text + 6, 10, &number)) {
		if (number > PROBE_STACK_MAX && !(flags & PROBE_FL_USER))
			return probe_parse_error(p, PROBE_ERR_BAD_STACK_NUM, text);
		source->kind = PROBE_SOURCE_STACK;
		source->value = number;
		return 0;
	}
	if (probe_has_arguments(p) && strncmp(text, "$arg", 4) == 0 && isdigit(text[4]) &&
	    !kstrtoul(text + 4, 10, &number))
		return parse_argument(p, text, number);
	return probe_parse_error(p, PROBE_ERR_BAD_VAR, text);
}

/* Parses "$addr" and "$value" of a watchpoint. */
static int parse_watched(const struct probe_parser *p, const char *text)
{
	bool is_value = strcmp(text, "$value") == 0;

	if (!is_value && strcmp(text, "$addr") != 0)
		return probe_parse_error(p, PROBE_ERR_BAD_VAR, text);
	p->arg->source.kind = PROBE_SOURCE_REGISTER;
	p->arg->source.value = p->sources->args;
	return is_value ? probe_add_deref(p, 0, false, text) : 0;
}

/* Parses the name of a field of the event. */
static int parse_field(const struct probe_parser *p, const char *name)
{
	int error;

	p->arg->source.kind = PROBE_SOURCE_FIELD;
	error = p->sources->parse(name, &p->arg->source, p->data);
	if (error)
		(void)probe_parse_error(p, PROBE_ERR_BAD_ATTACH_ARG, NULL);
	return error;
}

static int parse_dollar(const struct probe_parser *p, const char *text)
{
	if (strcmp(text, "$comm") == 0 || strcmp(text, "$COMM") == 0) {
		p->arg->source.kind = PROBE_SOURCE_COMM;
		return 0;
	}
	if (p->sources->flags & PROBE_FL_WATCH)
		return parse_watched(p, text);
	if (!(p->sources->flags & PROBE_FL_FIELDS))
		return parse_variable(p, text);
	return parse_field(p, text + 1);
}

static int parse_register(const struct probe_parser *p, const char *text)
{
	int offset;

	if (!(p->sources->flags & PROBE_FL_REGS)) {
		(void)probe_parse_error(p, PROBE_ERR_BAD_VAR, text);
		return probe_parse_error(p, PROBE_ERR_BAD_FETCH_ARG, text);
	}
	offset = regs_query_register_offset(text + 1);
	if (offset < 0)
		return probe_parse_error(p, PROBE_ERR_BAD_REG_NAME, text);
	p->arg->source.kind = PROBE_SOURCE_REGISTER;
	p->arg->source.value = (unsigned)offset;
	return 0;
}

/* Logs a number that is none (-EINVAL) or too large (-ERANGE). Returns error. */
static int log_number(const struct probe_parser *p, enum probe_error reason, const char *at,
		      int error)
{
	(void)probe_parse_error(p, reason, at);
	return error;
}

/* Parses "@ADDRESS", "@SYMBOL[+|-OFFSET]", "@+FILE_OFFSET". All of them end in a dereference. */
static int parse_address(const struct probe_parser *p, const char *text)
{
	struct probe_source *source = &p->arg->source;
	bool user = p->sources->flags & PROBE_FL_USER;
	int error;

	p->arg->derefs[p->arg->nr_derefs++].offset = 0;
	if (isdigit(text[1])) {
		error = kstrtoul(text + 1, 0, &source->value);
		if (error)
			return log_number(p, PROBE_ERR_BAD_MEM_ADDR, text, error);
	} else if (text[1] == '+') {
		long offset;

		if (!user)
			return probe_parse_error(p, PROBE_ERR_FILE_ON_KPROBE, text);
		error = kstrtol(text + 2, 0, &offset);
		if (error)
			return log_number(p, PROBE_ERR_BAD_FILE_OFFS, text, error);
		source->kind = PROBE_SOURCE_FILE;
		source->value = (u64)offset;
	} else {
		if (user)
			return probe_parse_error(p, PROBE_ERR_SYM_ON_UPROBE, text);
		source->kind = PROBE_SOURCE_SYMBOL;
		source->text = kstrdup(text + 1, GFP_KERNEL);
		if (!source->text)
			return -ENOMEM;
	}
	return 0;
}

/* Parses what follows the backslash: "NUMBER" or "\"TEXT\"". */
static int parse_immediate(const struct probe_parser *p, const char *text)
{
	struct probe_source *source = &p->arg->source;
	size_t length = strlen(text);
	int error = -EINVAL;
	long value = 0;

	if (*text == '"') {
		if (length < 2 || text[length - 1] != '"')
			return probe_parse_error(p, PROBE_ERR_IMMSTR_NO_CLOSE, text + length);
		source->kind = PROBE_SOURCE_TEXT;
		source->text = kstrndup(text + 1, length - 2, GFP_KERNEL);
		return source->text ? 0 : -ENOMEM;
	}
	if (isdigit(*text))
		error = kstrtoul(text, 0, &source->value);
	else if (*text == '-' || *text == '+')
		error = kstrtol(text + (*text == '+'), 0, &value);
	if (error)
		return log_number(p, PROBE_ERR_BAD_IMM, text, error);
	if (!isdigit(*text))
		source->value = (u64)value;
	return 0;
}

static int parse_source(const struct probe_parser *p, char *text)
{
	switch (*text) {
	case '(':
		return probe_parse_cast(p, text);
	case '$':
		return parse_dollar(p, text);
	case '%':
		return parse_register(p, text);
	case '@':
		return parse_address(p, text);
	case '\\':
		return parse_immediate(p, text + 1);
	default:
		if (probe_is_btf_name(p, text))
			return probe_parse_btf_name(p, text);
		return probe_parse_error(p, PROBE_ERR_BAD_FETCH_ARG, text);
	}
}

/* ---- dereferences ---- */

/* The +OFF(…) of an argument, the outermost first. */
struct nesting {
	struct {
		long offset;
		bool user;
		const char *inner; /* what the braces hold */
	} levels[PROBE_TEXT_MAX / 3 + 1];
	unsigned depth;
};

/* Takes "+[u]OFFSET(" and its brace off. *text is then what the braces hold. */
static int open_deref(const struct probe_parser *p, char **text, struct nesting *nesting)
{
	char *start = *text, *number = start, *open = strchr(start, '('), *close;
	unsigned level = nesting->depth;
	int error;

	nesting->levels[level].user = start[1] == 'u';
	if (start[1] == 'u') {
		number = start + 1;
		*number = *start; /* the sign */
	}
	if (!open)
		return probe_parse_error(p, PROBE_ERR_DEREF_NEED_BRACE, start);
	*open = '\0';
	error = kstrtol(number + (*number == '+'), 0, &nesting->levels[level].offset);
	if (error)
		return log_number(p, PROBE_ERR_BAD_DEREF_OFFS, start, error);
	*text = open + 1;
	close = strrchr(*text, ')');
	if (!close)
		return probe_parse_error(p, PROBE_ERR_DEREF_OPEN_BRACE, *text + strlen(*text));
	*close = '\0';
	nesting->levels[level].inner = *text;
	nesting->depth++;
	return 0;
}

int probe_add_deref(const struct probe_parser *p, long offset, bool user, const char *at)
{
	struct probe_arg *arg = p->arg;

	if (arg->nr_derefs + 1 + (arg->source.kind == PROBE_SOURCE_SYMBOL) > STEPS_MAX)
		return probe_parse_error(p, PROBE_ERR_TOO_MANY_OPS, at);
	arg->derefs[arg->nr_derefs].offset = offset;
	arg->derefs[arg->nr_derefs].user = user;
	arg->nr_derefs++;
	return 0;
}

/* Appends the dereferences to the program, the innermost first. */
static int add_derefs(const struct probe_parser *p, const struct nesting *nesting)
{
	const struct probe_arg *arg = p->arg;

	if (nesting->depth)
		p->field->type = NULL; /* no type is known there */
	for (unsigned level = nesting->depth; level-- > 0;) {
		if (!(p->sources->flags & PROBE_FL_FIELDS) &&
		    (arg->source.kind == PROBE_SOURCE_COMM ||
		     arg->source.kind == PROBE_SOURCE_TEXT))
			return probe_parse_error(p, PROBE_ERR_COMM_CANT_DEREF,
						 nesting->levels[level].inner);
		if (probe_add_deref(p, nesting->levels[level].offset, nesting->levels[level].user,
				    nesting->levels[level].inner))
			return -EINVAL;
	}
	return 0;
}

/* Some types lead from an object of the kernel to its name. */
static int add_steps_of_type(const struct probe_parser *p, const char *text)
{
	const struct probe_type *type = p->arg->type;
	int error = 0;

	for (unsigned i = 0; i < type->nr_steps && !error; i++)
		error = probe_add_deref(p, type->steps[i], false, text);
	return error;
}

static int parse_body(const struct probe_parser *p, char *text)
{
	struct nesting nesting = { .depth = 0 };
	int error = 0;

	while (!error && (*text == '+' || *text == '-'))
		error = open_deref(p, &text, &nesting);
	if (!error)
		error = parse_source(p, text);
	return error ? error : add_derefs(p, &nesting);
}

int probe_parse_operand(const struct probe_parser *p, char *text)
{
	if ((p->sources->flags & PROBE_FL_FIELDS) && (isalpha(*text) || *text == '_'))
		return parse_field(p, text);
	return parse_body(p, text);
}

/* ---- arguments ---- */

static bool is_taken(const char *name, const struct probe_arg *args, unsigned count)
{
	static const char *const reserved[] = { "common_type",          "common_flags",
						"common_preempt_count", "common_pid",
						"common_tgid",          "__probe_ip",
						"__probe_ret_ip",       "__probe_func" };

	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (strcmp(reserved[i], name) == 0)
			return true;
	for (unsigned i = 0; i < count; i++)
		if (strcmp(args[i].name, name) == 0)
			return true;
	return false;
}

/* The parameter's name if the word is "$argN[:TYPE]" and gets it; *type: what follows. Or NULL. */
static const char *name_of_argument(const struct probe_parser *p, const char *word, char **type)
{
	unsigned long number = argument_number(word, type);

	if (!number || (**type && **type != ':'))
		return NULL;
	return probe_btf_argument_name(p, number);
}

/* A parameter without a name for it: its own. Others: "arg1". */
static void make_name(const struct probe_parser *p, const char *word, unsigned index,
		      char name[PROBE_NAME_MAX + 1])
{
	size_t length = strcspn(word, ":");
	const char *parameter;
	char *type;

	parameter = name_of_argument(p, word, &type);
	if (parameter && strlen(parameter) <= PROBE_NAME_MAX) {
		strscpy(name, parameter, PROBE_NAME_MAX + 1);
		return;
	}
	if (probe_is_btf_name(p, word) && length <= PROBE_NAME_MAX) {
		strscpy(name, word, length + 1);
		if (probe_is_good_name(name))
			return;
	}
	snprintf(name, PROBE_NAME_MAX + 1, "arg%u", index + 1);
}

/* The text of an argument as it is listed: "$argN" by itself becomes the parameter's name. */
static char *make_text(const struct probe_parser *p, const char *body)
{
	const char *parameter;
	char *type;

	parameter = body == p->command->argv[p->word] ? name_of_argument(p, body, &type) : NULL;
	return parameter ? kasprintf(GFP_KERNEL, "%s%s", parameter, type)
			 : kstrdup(body, GFP_KERNEL);
}

/* Sets the name, and *body to what follows it. */
static int parse_name(const struct probe_parser *p, struct probe_arg *args, unsigned index,
		      char **body)
{
	char *word = p->command->argv[p->word], *equals = strchr(word, '=');
	char name[PROBE_NAME_MAX + 1];

	*body = equals ? equals + 1 : word;
	if (equals) {
		if (equals == word)
			return probe_parse_error(p, PROBE_ERR_NO_ARG_NAME, word);
		if (equals - word > PROBE_NAME_MAX)
			return probe_parse_error(p, PROBE_ERR_ARG_NAME_TOO_LONG, word);
		strscpy(name, word, (size_t)(equals - word) + 1);
	} else {
		make_name(p, word, index, name);
	}
	if (!probe_is_good_name(name))
		return probe_parse_error(p, PROBE_ERR_BAD_ARG_NAME, word);
	if (is_taken(name, args, index))
		return probe_parse_error(p, PROBE_ERR_USED_ARG_NAME, word);
	if (!**body)
		return probe_parse_error(p, PROBE_ERR_NO_ARG_BODY, *body);
	if (strlen(*body) > PROBE_TEXT_MAX)
		return probe_parse_error(p, PROBE_ERR_ARG_TOO_LONG, *body);
	p->arg->name = kstrdup(name, GFP_KERNEL);
	p->arg->text = make_text(p, *body);
	return p->arg->name && p->arg->text ? 0 : -ENOMEM;
}

/* Whether body, without its type, is a string by itself. Fields of events may have that name. */
static bool is_always_string(const struct probe_parser *p, const char *body)
{
	return !(p->sources->flags & PROBE_FL_FIELDS) &&
	       (strcmp(body, "$comm") == 0 || strcmp(body, "$COMM") == 0 ||
		strncmp(body, "\\\"", 2) == 0);
}

static bool is_plain(const struct probe_arg *arg)
{
	return arg->source.kind == PROBE_SOURCE_REGISTER && !arg->nr_derefs && !arg->bit_width &&
	       !arg->type->is_string;
}

size_t probe_args_layout(struct probe_arg *args, unsigned count, size_t from)
{
	for (unsigned i = 0; i < count; i++) {
		args[i].offset = (u16)from;
		args[i].size = (u16)(args[i].type->size * probe_arg_elements(&args[i]));
		args[i].plain_size = is_plain(&args[i]) ? args[i].type->size : 0;
		from += args[i].size;
	}
	return from;
}

int probe_arg_parse(const struct probe_command *command, unsigned word, struct probe_arg *args,
		    unsigned index, const struct probe_arg_sources *sources, void *data)
{
	struct probe_field field = { .type = NULL };
	const struct probe_parser p = { command, word, &args[index], sources, data, &field };
	char *body, *type;
	int error;

	args[index] = (struct probe_arg){ .nr_derefs = 0 };
	error = parse_name(&p, args, index, &body);
	if (error)
		return error;
	type = strchr(body, ':');
	if (type) {
		*type++ = '\0';
		error = probe_parse_array(&p, type);
		if (!error && is_always_string(&p, body) &&
		    (args[index].count || strcmp(type, "string") != 0))
			error = -EINVAL; /* Linux logs no reason */
		if (!error)
			error = probe_parse_type(&p, type);
	}
	if (!error)
		error = parse_body(&p, body);
	if (!error && type)
		error = add_steps_of_type(&p, type);
	error = error ?: probe_check_type(&p, type);
	if (!error && probe_args_layout(args, index + 1, 0) > PROBE_SIZE_MAX) {
		probe_parse_error(&p, PROBE_ERR_EVENT_TOO_BIG, body);
		error = -E2BIG;
	}
	return error;
}

/* ---- symbols ---- */

static int resolve(struct probe_source *source)
{
	char *sign = source->text + strcspn(source->text, "+-"), c = *sign;
	long offset = 0;
	unsigned long address;

	if (c && (!isdigit(sign[1]) || kstrtol(sign + (c == '+'), 0, &offset)))
		return -EINVAL;
	*sign = '\0';
	address = *source->text ? kallsyms_lookup_name(source->text) : 0;
	*sign = c;
	if (!address)
		return -ENOENT;
	source->kind = PROBE_SOURCE_VALUE;
	source->value = address + (u64)offset;
	return 0;
}

int probe_args_resolve(struct probe_arg *args, unsigned count)
{
	int error = 0;

	for (unsigned i = 0; i < count && !error; i++)
		if (args[i].source.kind == PROBE_SOURCE_SYMBOL)
			error = resolve(&args[i].source);
	return error;
}

void probe_args_free(struct probe_arg *args, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		kfree(args[i].name);
		kfree(args[i].text);
		kfree(args[i].source.text);
	}
	kfree(args);
}
