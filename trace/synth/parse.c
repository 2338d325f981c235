/* The parser for definitions of synthetic events: trace/synth/parse.h. */
#include "trace/synth/parse.h"

#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

const char *const synth_error_texts[] = {
	[SYNTH_ERR_BAD_NAME] = "Illegal name",
	[SYNTH_ERR_INVALID_CMD] = "Command must be of the form: <name> field[;field] ...",
	[SYNTH_ERR_INVALID_DYN_CMD] =
		"Command must be of the form: s or -:[synthetic/]<name> field[;field] ...",
	[SYNTH_ERR_EVENT_EXISTS] = "Event already exists",
	[SYNTH_ERR_TOO_MANY_FIELDS] = "Too many fields",
	[SYNTH_ERR_INCOMPLETE_TYPE] = "Incomplete type",
	[SYNTH_ERR_INVALID_TYPE] = "Invalid type",
	[SYNTH_ERR_INVALID_FIELD] = "Invalid field",
	[SYNTH_ERR_INVALID_ARRAY_SPEC] = "Invalid array specification",
};

#define SPACES        " \t\r\v\f\n"
#define LENGTH_DIGITS 3 /* characters of N in char[N] */

static const struct synth_integer {
	const char *type;
	u8 size;
	const char *fmt;
} integers[] = {
	{ "s64", 8, "%lld" },
	{ "u64", 8, "%llu" },
	{ "s32", 4, "%d" },
	{ "u32", 4, "%u" },
	{ "s16", 2, "%d" },
	{ "u16", 2, "%u" },
	{ "s8", 1, "%d" },
	{ "u8", 1, "%u" },
	{ "char", 1, "%d" },
	{ "int", 4, "%d" },
	{ "long", 8, "%ld" },
	{ "bool", 1, "%d" },
	{ "pid_t", 4, "%d" },
	{ "gfp_t", 4, "%x" },
	{ "unsigned char", 1, "%u" },
	{ "unsigned int", 4, "%u" },
	{ "unsigned long", 8, "%lu" },
};

/* A word of the definition, not terminated. */
struct word {
	const char *text;
	size_t length;
};

static bool is_word(struct word word, const char *text)
{
	return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

bool is_good_name(const char *name)
{
	if (!isalpha(*name) && *name != '_')
		return false;
	while (isalnum(*++name) || *name == '_')
		;
	return !*name;
}

/* As in Linux, the position is that of the first place where the text of the word stands. */
static int fail(struct synth_error *error, enum synth_error_type type, const char *command,
		struct word word)
{
	const char *at = command;

	while (word.length && *at && strncmp(at, word.text, word.length) != 0)
		at++;
	*error = (struct synth_error){ (u8)type, *at ? (u16)(at - command) : 0 };
	return -EINVAL;
}

static int fail_at_start(struct synth_error *error, enum synth_error_type type)
{
	*error = (struct synth_error){ (u8)type, 0 };
	return -EINVAL;
}

/* Returns the next word of [*text, end), or a word of length 0. */
static struct word next_word(const char **text, const char *end)
{
	struct word word;

	while (*text < end && isspace(**text))
		++*text;
	word.text = *text;
	while (*text < end && !isspace(**text))
		++*text;
	word.length = (size_t)(*text - word.text);
	return word;
}

int synth_parse_name(const char *command, const char *definition, char **name, const char **fields,
		     struct synth_error *error)
{
	const char *first = definition, *end = definition + strcspn(definition, ";");
	unsigned words = 0;
	size_t length = strcspn(definition, SPACES);

	/* At least the name and one field: NAME TYPE FIELD. */
	while (next_word(&first, end).length)
		words++;
	if (!length || words < 3)
		return fail_at_start(error, SYNTH_ERR_INVALID_CMD);
	*name = kstrndup(definition, length, GFP_KERNEL);
	if (!*name)
		return -ENOMEM;
	*fields = definition + length;
	if (is_good_name(*name))
		return 0;
	return fail(error, SYNTH_ERR_BAD_NAME, command, (struct word){ definition, length });
}

/* ---- types ---- */

/*
 * Parses "[N]" or "[]" at the end of a type. Returns N, 0 without a number, or -EINVAL. As in
 * Linux, N has at most three characters, and 0x and 0 are prefixes.
 */
static int array_length(const char *bracket)
{
	char digits[LENGTH_DIGITS + 1];
	const char *end = strchr(bracket, ']');
	size_t length = end ? (size_t)(end - bracket - 1) : sizeof(digits);
	unsigned number;

	if (length >= sizeof(digits) || end[1])
		return -EINVAL;
	if (!length)
		return 0;
	strscpy(digits, bracket + 1, length + 1);
	if (kstrtouint(digits, 0, &number) || number > SYNTH_STRING_MAX)
		return -EINVAL;
	return (int)number;
}

/* Returns the bracket of an array of element, or NULL. */
static const char *bracket_of(const char *type, const char *element)
{
	size_t length = strlen(element);

	if (strstarts(type, "unsigned "))
		type += strlen("unsigned ");
	return strncmp(type, element, length) == 0 && type[length] == '[' ? type + length : NULL;
}

/* Sets what follows from field->type. -EINVAL: no such type. */
static int set_type(struct synth_field *field)
{
	const char *bracket;
	int length;

	field->is_signed = field->type[0] != 'u' && strcmp(field->type, "gfp_t") != 0;
	field->fmt = "%s";
	bracket = bracket_of(field->type, "char");
	if (bracket) {
		length = array_length(bracket);
		field->kind = length ? SYNTH_STRING : SYNTH_DYNAMIC_STRING;
		field->size = (u16)max(length, 0);
		return length < 0 ? -EINVAL : 0;
	}
	bracket = bracket_of(field->type, "long");
	if (bracket) {
		field->kind = SYNTH_STACK;
		return array_length(bracket) < 0 ? -EINVAL : 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
		if (strcmp(field->type, integers[i].type) == 0) {
			field->kind = SYNTH_INTEGER;
			field->size = integers[i].size;
			field->fmt = integers[i].fmt;
			return 0;
		}
	}
	return -EINVAL;
}

/* ---- fields ---- */

/* Returns the text of up to three pieces, each of which may be empty, or NULL. */
static char *join(const char *prefix, struct word word, struct word suffix)
{
	size_t length = strlen(prefix);
	char *text = kmalloc(length + word.length + suffix.length + 1, GFP_KERNEL);

	if (!text)
		return NULL;
	memcpy(text, prefix, length);
	memcpy(text + length, word.text, word.length);
	memcpy(text + length + word.length, suffix.text, suffix.length);
	text[length + word.length + suffix.length] = '\0';
	return text;
}

/*
 * Parses "[unsigned] TYPE NAME[N]" at *text. The brackets may stand behind the name or the type;
 * the type gets them.
 */
static int parse_field(const char *command, const char **text, const char *end,
		       struct synth_field *field, struct synth_error *error)
{
	struct word first = next_word(text, end), type = first, name, array;
	bool is_unsigned = is_word(first, "unsigned");

	if (is_unsigned)
		type = next_word(text, end);
	name = next_word(text, end);
	if (!name.length)
		return fail(error,
			    is_unsigned ? SYNTH_ERR_INCOMPLETE_TYPE : SYNTH_ERR_INVALID_FIELD,
			    command, first);
	array = name;
	while (array.length && *array.text != '[') {
		array.text++;
		array.length--;
	}
	field->name = kstrndup(name.text, name.length - array.length, GFP_KERNEL);
	field->type = join(is_unsigned ? "unsigned " : "", type, array);
	if (!field->name || !field->type)
		return -ENOMEM;
	if (!is_good_name(field->name))
		return fail(error, SYNTH_ERR_BAD_NAME, command, name);
	if (set_type(field) == 0)
		return 0;
	if (array.length && (bracket_of(field->type, "char") || bracket_of(field->type, "long")))
		return fail(error, SYNTH_ERR_INVALID_ARRAY_SPEC, command, name);
	return fail(error, SYNTH_ERR_INVALID_TYPE, command, type);
}

int synth_parse_fields(const char *command, const char *fields, struct synth_definition *definition,
		       struct synth_error *error)
{
	const char *end;
	int result;

	definition->fields = kcalloc(SYNTH_FIELDS_MAX, sizeof(*definition->fields), GFP_KERNEL);
	if (!definition->fields)
		return -ENOMEM;
	for (;; fields = end + 1) {
		end = fields + strcspn(fields, ";");
		for (;;) {
			while (fields < end && isspace(*fields))
				fields++;
			if (fields == end)
				break;
			if (definition->nr_fields == SYNTH_FIELDS_MAX)
				return fail_at_start(error, SYNTH_ERR_TOO_MANY_FIELDS);
			result = parse_field(command, &fields, end,
					     &definition->fields[definition->nr_fields++], error);
			if (result)
				return result;
		}
		if (!*end)
			return 0;
	}
}

void synth_definition_free(struct synth_definition *definition)
{
	for (unsigned i = 0; i < definition->nr_fields; i++) {
		kfree(definition->fields[i].type);
		kfree(definition->fields[i].name);
	}
	kfree(definition->fields);
	kfree(definition->name);
}
