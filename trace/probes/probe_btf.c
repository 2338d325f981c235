/*
 * Parameters of functions by their names, and fields of structures behind them, in the arguments of
 * probes: Documentation/trace/fprobetrace.rst, "BTF arguments". The kernel knows its types if it
 * was built with pahole (kernel/btf/btf.h).
 *
 *	file->f_path.dentry->d_inode
 *
 * Each "->" is a dereference. Each "." behind it adds to its offset.
 */
#include "kernel/btf/btf.h"
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "trace/probes/internal.h"

/* The types of the kernel, read at the first use; NULL: it was built without them. */
static const struct btf *get_btf(void)
{
	btf_vmlinux_load();
	return btf_vmlinux();
}

/* The prototype of the probed function; NULL: not known. */
static const struct btf_type *get_proto(const struct probe_command *command)
{
	return get_btf() && command->func ? btf_proto_at(command->func) : NULL;
}

static u32 count_named(const struct btf_type *proto)
{
	return btf_vlen(proto) - btf_is_variadic(proto);
}

static bool is_structure(const struct btf_type *t)
{
	return t && btf_is_structure(t);
}

/* ---- names ---- */

bool probe_is_btf_name(const struct probe_parser *p, const char *text)
{
	return !(p->sources->flags & (PROBE_FL_FIELDS | PROBE_FL_USER)) &&
	       (isalpha(*text) || *text == '_') && get_btf();
}

static size_t name_length(const char *text)
{
	size_t length = 0;

	while (isalnum(text[length]) || text[length] == '_')
		length++;
	return length;
}

/* Finds the parameter with the name of that length. Sets the source, and the field's type. */
static int find_parameter(const struct probe_parser *p, const struct btf_type *proto,
			  const char *text, size_t length)
{
	const struct btf *btf = btf_vmlinux();

	for (u32 i = 0; i < count_named(proto); i++) {
		const struct btf_param *param = &btf_params(proto)[i];
		const char *name = btf_name_by_offset(btf, param->name_off);
		const struct btf_type *t = btf_type_skip_modifiers(btf, param->type, NULL);

		/* How many registers does it take? */
		if (is_structure(t))
			return probe_parse_error(p, PROBE_ERR_NOSUP_DAT_ARG, text);
		if (strlen(name) != length || memcmp(name, text, length) != 0)
			continue;
		p->field->type = t;
		return probe_set_argument(p, i + 1, text);
	}
	return probe_parse_error(p, PROBE_ERR_NO_BTFARG, text);
}

/* ---- fields ---- */

bool probe_find_fields(const struct btf_type **t, const char **text, u32 *offset, u32 *bits)
{
	const struct btf *btf = btf_vmlinux();
	char name[PROBE_TEXT_MAX + 1];

	*offset = 0;
	for (;; ++*text) {
		size_t length = min(name_length(*text), sizeof(name) - 1);
		const struct btf_member *member;
		u32 inner;

		if (!is_structure(*t))
			return false;
		strscpy(name, *text, length + 1);
		member = length ? btf_find_struct_member(btf, *t, name, &inner, bits) : NULL;
		if (!member)
			return false;
		*offset += inner;
		*t = btf_type_skip_modifiers(btf, member->type, NULL);
		*text += length;
		if (**text != '.')
			return true;
	}
}

/* The same in the structure of p->field, for the argument. 0 or -EINVAL. */
static int parse_fields(const struct probe_parser *p, const char **text, u32 *offset, u32 *bits)
{
	if (probe_find_fields(&p->field->type, text, offset, bits))
		return 0;
	return probe_parse_error(
		p, is_structure(p->field->type) ? PROBE_ERR_NO_BTF_FIELD : PROBE_ERR_NO_PTR_STRCT,
		*text);
}

/* Places a bit field in the integer that contains it. Returns the offset of that in bits. */
static u32 place_bits(const struct probe_parser *p, u32 offset, u32 bits)
{
	u32 container = 8 * p->field->type->size;

	if (p->arg->type || !bits || !container)
		return offset; /* a type was asked for */
	p->arg->bit_width = (u8)bits;
	p->arg->bit_shift = (u8)(offset % container);
	return offset - offset % container;
}

/*
 * Parses "->FIELD[.FIELD…]" behind a pointer that points into the structure p->field->type, base
 * bytes behind its start. *text becomes what follows.
 */
static int parse_member(const struct probe_parser *p, const char **text, u32 base)
{
	const char *arrow = *text;
	u32 offset, bits = 0;
	int error;

	*text += 2;
	error = parse_fields(p, text, &offset, &bits);
	if (error)
		return error;
	if (!**text)
		offset = place_bits(p, offset, bits);
	return probe_add_deref(p, (long)(offset / 8) - (long)base, false, arrow);
}

/* Parses "->FIELD[.FIELD…]…" behind a value of the type p->field->type. */
static int parse_members(const struct probe_parser *p, const char *text)
{
	int error = 0;

	while (*text && !error) {
		const struct btf_type *t = p->field->type;

		if (*text == '.')
			return probe_parse_error(p, PROBE_ERR_NOSUP_DAT_ARG, text);
		if (text[0] != '-' || text[1] != '>')
			return probe_parse_error(
				p, *text == '-' ? PROBE_ERR_BAD_HYPHEN : PROBE_ERR_BAD_FETCH_ARG,
				text);
		if (!t || btf_kind(t) != BTF_KIND_PTR)
			return probe_parse_error(p, PROBE_ERR_NO_PTR_STRCT, text + 2);
		p->field->type = btf_type_skip_modifiers(btf_vmlinux(), t->type, NULL);
		error = parse_member(p, &text, 0);
	}
	return error;
}

/* ---- casts ---- */

const char *probe_find_cast(const char *text, const struct btf_type **t, u32 *base)
{
	size_t length = name_length(text + 1);
	char name[PROBE_TEXT_MAX + 1];
	const struct btf_type *inner;
	u32 bits;

	*base = 0;
	if (!get_btf() || length >= sizeof(name))
		return NULL;
	strscpy(name, text + 1, length + 1);
	*t = inner = btf_find_structure(btf_vmlinux(), name);
	text += 1 + length;
	if (*t && *text == ',') {
		text++;
		if (!probe_find_fields(&inner, &text, base, &bits))
			return NULL;
		*base /= 8;
	}
	return *t && *text == ')' ? text + 1 : NULL;
}

/* The end of what is cast: the "->" behind it, or behind its closing brace. NULL: there is none. */
static char *find_members(char *operand)
{
	unsigned depth = 0;

	for (; *operand; operand++) {
		depth += *operand == '(';
		depth -= depth && *operand == ')';
		if (!depth && operand[0] == '-' && operand[1] == '>')
			return operand;
	}
	return NULL;
}

int probe_parse_cast(const struct probe_parser *p, char *text)
{
	const struct btf_type *t;
	char *operand, *members, *last;
	const char *rest;
	u32 base;
	int error;

	if (p->sources->flags & PROBE_FL_USER)
		return probe_parse_error(p, PROBE_ERR_NOSUP_BTFARG, text);
	rest = probe_find_cast(text, &t, &base);
	if (!rest)
		return probe_parse_error(p, PROBE_ERR_NO_PTR_STRCT, text + 1);
	operand = text + (rest - text);
	members = find_members(operand);
	if (!members)
		return probe_parse_error(p, PROBE_ERR_NO_BTF_FIELD, text + strlen(text));
	*members = '\0';
	last = members - 1;
	if (*operand == '(' && *last == ')') {
		operand++;
		*last = '\0';
	}
	error = probe_parse_operand(p, operand);
	*members = '-';
	if (error)
		return error;
	p->field->type = t;
	rest = members;
	error = parse_member(p, &rest, base);
	return error ? error : parse_members(p, rest);
}

int probe_parse_btf_name(const struct probe_parser *p, const char *text)
{
	const struct btf_type *proto;
	size_t length = name_length(text);
	int error;

	if (!probe_has_arguments(p))
		return probe_parse_error(p, PROBE_ERR_NOSUP_BTFARG, text);
	proto = get_proto(p->command);
	if (!proto)
		return probe_parse_error(p, PROBE_ERR_NO_BTF_ENTRY, text);
	error = find_parameter(p, proto, text, length);
	return error ? error : parse_members(p, text + length);
}

int probe_parse_btf_retval(const struct probe_parser *p, const char *text)
{
	const char *members = text + strlen("$retval");
	const struct btf_type *proto = get_proto(p->command);

	if (!proto)
		return *members ? probe_parse_error(p, PROBE_ERR_NO_BTF_ENTRY, text) : 0;
	if (!proto->type)
		return probe_parse_error(p, PROBE_ERR_NO_RETVAL, text);
	if (!*members && !(p->sources->flags & PROBE_FL_BTF))
		return 0; /* x64 as always: Linux before 6.6 */
	p->field->type = btf_type_skip_modifiers(btf_vmlinux(), proto->type, NULL);
	return parse_members(p, members);
}

bool probe_btf_has_argument(const struct probe_parser *p, unsigned long number)
{
	const struct btf_type *proto = get_proto(p->command);

	return !proto || btf_is_variadic(proto) || number <= btf_vlen(proto);
}

/* The parameter with that number, from 1 on; NULL: its register is not known. */
static const struct btf_param *get_parameter(const struct probe_parser *p, unsigned long number)
{
	const struct btf_type *proto = get_proto(p->command);

	if (!(p->sources->flags & PROBE_FL_BTF) || !proto || number > count_named(proto))
		return NULL;
	for (u32 i = 0; i < number; i++)
		if (is_structure(btf_type_skip_modifiers(btf_vmlinux(), btf_params(proto)[i].type,
							 NULL)))
			return NULL;
	return &btf_params(proto)[number - 1];
}

const char *probe_btf_argument_name(const struct probe_parser *p, unsigned long number)
{
	const struct btf_param *param = get_parameter(p, number);
	const char *name = param ? btf_name_by_offset(btf_vmlinux(), param->name_off) : "";

	return *name ? name : NULL;
}

void probe_btf_use_argument_type(const struct probe_parser *p, unsigned long number)
{
	const struct btf_param *param = get_parameter(p, number);

	if (param)
		p->field->type = btf_type_skip_modifiers(btf_vmlinux(), param->type, NULL);
}

/* ---- types ---- */

static const char *integer_name(const struct probe_parser *p, u32 size, bool is_signed)
{
	static const char *const names[][2] = {
		{ "u8", "s8" }, { "u16", "s16" }, { "u32", "s32" }, { "u64", "s64" }
	};

	if (!size || size > 8 || (size & (size - 1)))
		return "x64";
	return names[__builtin_ctz(size)][is_signed && !p->arg->bit_width];
}

const char *probe_btf_type_name(const struct probe_parser *p)
{
	const struct btf_type *t = p->field->type;

	switch (t ? btf_kind(t) : BTF_KIND_UNKN) {
	case BTF_KIND_INT:
		return integer_name(p, t->size, btf_int_is_signed(t));
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return integer_name(p, t->size, btf_kflag(t));
	default:
		return "x64";
	}
}

static bool is_char(u32 type)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf_vmlinux(), type, NULL);

	return t && btf_kind(t) == BTF_KIND_INT && t->size == 1;
}

/* The argument behind "NAME=". */
static const char *start_of_value(const struct probe_parser *p)
{
	const char *word = p->command->argv[p->word], *equals = strchr(word, '=');

	return equals ? equals + 1 : word;
}

int probe_check_btf_string(const struct probe_parser *p, const char *text)
{
	const struct btf_type *t = p->field->type;

	if (!t)
		return 0; /* not by a name */
	if (btf_kind(t) == BTF_KIND_PTR && is_char(t->type))
		return probe_add_deref(p, 0, false, text);
	if (btf_kind(t) == BTF_KIND_ARRAY && is_char(btf_array(t)->type))
		return 0;
	return probe_parse_error(p, PROBE_ERR_BAD_TYPE4STR, start_of_value(p));
}

/* ---- $arg* ---- */

/* Appends a copy of text to the words. 0 or -ENOMEM. */
static int add_word(char **words, unsigned *count, const char *text)
{
	words[*count] = kstrdup(text, GFP_KERNEL);
	return words[(*count)++] ? 0 : -ENOMEM;
}

/* Appends the names of all parameters, "$arg1" for one without a name. */
static int add_names(char **words, unsigned *count, const struct btf_type *proto)
{
	int error = 0;

	for (u32 i = 0; i < count_named(proto) && !error; i++) {
		const char *name = btf_name_by_offset(btf_vmlinux(), btf_params(proto)[i].name_off);
		char number[16];

		snprintf(number, sizeof(number), "$arg%u", i + 1);
		error = add_word(words, count, *name ? name : number);
	}
	return error;
}

/* Replaces the word by the names. */
static int replace_word(struct probe_command *command, unsigned word, const struct btf_type *proto)
{
	char **words = kcalloc(command->argc + count_named(proto) + 1, sizeof(*words), GFP_KERNEL);
	unsigned count = word;
	int error;

	if (!words)
		return -ENOMEM;
	error = add_names(words, &count, proto);
	if (error) {
		while (count-- > word)
			kfree(words[count]);
		kfree(words);
		return error;
	}
	command->expanded_word = word;
	command->expanded_count = count - word;
	memcpy(words, command->argv, word * sizeof(*words));
	memcpy(words + count, command->argv + word + 1,
	       (command->argc - word - 1) * sizeof(*words));
	command->argc += command->expanded_count - 1;
	kfree(command->argv[word]);
	kfree(command->argv);
	command->argv = words;
	return 0;
}

int probe_expand_args(struct probe_command *command, u32 flags)
{
	const struct btf_type *proto;
	unsigned found = 0;

	for (unsigned i = 2; i < command->argc; i++) {
		const char *at = strstr(command->argv[i], "$arg*");

		if (!at || !get_btf())
			continue;
		if (strcmp(command->argv[i], "$arg*") != 0)
			return probe_error(command, PROBE_ERR_BAD_VAR_ARGS, i, at);
		if (!(flags & PROBE_FL_ENTRY) && !command->entry_args)
			return probe_error(command, PROBE_ERR_NOFENTRY_ARGS, i, NULL);
		if (found)
			return probe_error(command, PROBE_ERR_DOUBLE_ARGS, i, NULL);
		found = i;
	}
	if (!found)
		return 0;
	proto = get_proto(command);
	if (!proto)
		return probe_error(command, PROBE_ERR_NO_BTF_ENTRY, found, NULL);
	return replace_word(command, found, proto);
}
