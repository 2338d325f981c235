/* The parser for the arguments of probes: trace/probes/probe_arg.h. */
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "trace/core/error_log.h"
#include "trace/core/trace_array.h"
#include "trace/probes/probe_arg.h"

static const char *const probe_error_texts[] = {
	[PROBE_ERR_NO_GROUP_NAME] = "Group name is not specified",
	[PROBE_ERR_GROUP_TOO_LONG] = "Group name is too long",
	[PROBE_ERR_BAD_GROUP_NAME] = "Group name must follow the same rules as C identifiers",
	[PROBE_ERR_NO_EVENT_NAME] = "Event name is not specified",
	[PROBE_ERR_EVENT_TOO_LONG] = "Event name is too long",
	[PROBE_ERR_BAD_EVENT_NAME] = "Event name must follow the same rules as C identifiers",
	[PROBE_ERR_EVENT_EXIST] = "Given group/event name is already used by another event",
	[PROBE_ERR_BAD_VAR] = "Invalid $-variable specified",
	[PROBE_ERR_BAD_MEM_ADDR] = "Invalid memory address",
	[PROBE_ERR_BAD_IMM] = "Invalid immediate value",
	[PROBE_ERR_IMMSTR_NO_CLOSE] = "String is not closed with '\"'",
	[PROBE_ERR_BAD_DEREF_OFFS] = "Invalid dereference offset",
	[PROBE_ERR_DEREF_NEED_BRACE] = "Dereference needs a brace",
	[PROBE_ERR_DEREF_OPEN_BRACE] = "Dereference brace is not closed",
	[PROBE_ERR_TOO_MANY_OPS] = "Dereference is too much nested",
	[PROBE_ERR_BAD_FETCH_ARG] = "Invalid fetch argument",
	[PROBE_ERR_FILE_ON_KPROBE] = "File offset is not available with kprobe",
	[PROBE_ERR_ARRAY_NO_CLOSE] = "Array is not closed",
	[PROBE_ERR_BAD_ARRAY_SUFFIX] = "Array has wrong suffix",
	[PROBE_ERR_BAD_ARRAY_NUM] = "Invalid array size",
	[PROBE_ERR_ARRAY_TOO_BIG] = "Array number is too big",
	[PROBE_ERR_BAD_TYPE] = "Unknown type is specified",
	[PROBE_ERR_BAD_STRING] = "String accepts only memory argument",
	[PROBE_ERR_BAD_BITFIELD] = "Invalid bitfield",
	[PROBE_ERR_TOO_MANY_ARGS] = "Too many arguments are specified",
	[PROBE_ERR_ARG_NAME_TOO_LONG] = "Argument name is too long",
	[PROBE_ERR_NO_ARG_NAME] = "Argument name is not specified",
	[PROBE_ERR_BAD_ARG_NAME] = "Argument name must follow the same rules as C identifiers",
	[PROBE_ERR_USED_ARG_NAME] = "This argument name is already used",
	[PROBE_ERR_NO_ARG_BODY] = "No argument expression",
	[PROBE_ERR_ARG_TOO_LONG] = "Argument expression is too long",
	[PROBE_ERR_BAD_ATTACH_EVENT] = "Attached event does not exist",
	[PROBE_ERR_BAD_ATTACH_ARG] = "Attached event does not have this field",
	[PROBE_ERR_NO_EVENT_INFO] = "This requires both group and event name to attach",
	[PROBE_ERR_NO_EP_FILTER] = "No filter rule after 'if'",
};

/* ---- commands ---- */

static char *copy_word(const char **text)
{
	const char *start = skip_spaces(*text);
	size_t length = 0;

	while (start[length] && !isspace(start[length]))
		length++;
	*text = start + length;
	return kstrndup(start, length, GFP_KERNEL);
}

int probe_command_init(struct probe_command *command, const char *location, const char *text)
{
	size_t at = 0;

	*command = (struct probe_command){ .location = location };
	command->command = kzalloc(strlen(text) + 1, GFP_KERNEL);
	command->argv = kcalloc(strlen(text) / 2 + 2, sizeof(*command->argv), GFP_KERNEL);
	if (!command->command || !command->argv)
		return -ENOMEM;
	while (*(text = skip_spaces(text))) {
		char *word = copy_word(&text);

		if (!word)
			return -ENOMEM;
		if (at)
			command->command[at++] = ' ';
		memcpy(command->command + at, word, strlen(word));
		at += strlen(word);
		command->argv[command->argc++] = word;
	}
	return 0;
}

void probe_command_free(struct probe_command *command)
{
	for (unsigned i = 0; i < command->argc; i++)
		kfree(command->argv[i]);
	kfree(command->argv);
	kfree(command->command);
}

int probe_error(const struct probe_command *command, enum probe_error error, unsigned word,
		const char *at)
{
	const char *text = command->command;

	/* argv may be changed, but the words in command->command are whole. */
	for (unsigned i = 0; i < word; i++)
		text += strcspn(text, " ") + 1;
	if (at)
		text += at - command->argv[word];
	tracing_log_err(&global_trace, command->location, command->command, probe_error_texts,
			(u8)error, (u16)(text - command->command));
	return -EINVAL;
}

/* also: one more character that may follow the first one; 0: none. */
static bool is_name(const char *name, char also)
{
	if (!isalpha(*name) && *name != '_')
		return false;
	while (isalnum(*++name) || *name == '_' || (*name && *name == also))
		;
	return !*name;
}

bool probe_is_good_name(const char *name)
{
	return is_name(name, 0);
}

int probe_parse_event_name(const struct probe_command *command, unsigned word, char *text,
			   const char **group, const char **event)
{
	char *slash = strchr(text, '/');

	if (!slash)
		slash = strchr(text, '.');
	if (slash) {
		if (slash == text)
			return probe_error(command, PROBE_ERR_NO_GROUP_NAME, word, text);
		if (slash - text >= PROBE_EVENT_MAX)
			return probe_error(command, PROBE_ERR_GROUP_TOO_LONG, word, text);
		*slash = '\0';
		if (!is_name(text, '-'))
			return probe_error(command, PROBE_ERR_BAD_GROUP_NAME, word, text);
		*group = text;
		text = slash + 1;
		if (!*text)
			return 0;
	}
	if (!*text)
		return probe_error(command, PROBE_ERR_NO_EVENT_NAME, word, text);
	if (strlen(text) >= PROBE_EVENT_MAX)
		return probe_error(command, PROBE_ERR_EVENT_TOO_LONG, word, text);
	if (!probe_is_good_name(text))
		return probe_error(command, PROBE_ERR_BAD_EVENT_NAME, word, text);
	*event = text;
	return 0;
}

/* ---- types ---- */

static const struct probe_type types[] = {
	{ .name = "x64", .size = 8, .fmt = "0x%Lx", .field_type = "u64" }, /* without a type */
	{ .name = "u8", .size = 1, .fmt = "%u", .field_type = "u8" },
	{ .name = "u16", .size = 2, .fmt = "%u", .field_type = "u16" },
	{ .name = "u32", .size = 4, .fmt = "%u", .field_type = "u32" },
	{ .name = "u64", .size = 8, .fmt = "%Lu", .field_type = "u64" },
	{ .name = "s8", .size = 1, .is_signed = true, .fmt = "%d", .field_type = "s8" },
	{ .name = "s16", .size = 2, .is_signed = true, .fmt = "%d", .field_type = "s16" },
	{ .name = "s32", .size = 4, .is_signed = true, .fmt = "%d", .field_type = "s32" },
	{ .name = "s64", .size = 8, .is_signed = true, .fmt = "%Ld", .field_type = "s64" },
	{ .name = "x8", .size = 1, .fmt = "0x%x", .field_type = "u8" },
	{ .name = "x16", .size = 2, .fmt = "0x%x", .field_type = "u16" },
	{ .name = "x32", .size = 4, .fmt = "0x%x", .field_type = "u32" },
	{ .name = "char", .size = 1, .fmt = "'%c'", .field_type = "u8" },
	{ .name = "symbol", .size = 8, .fmt = "%pS", .field_type = "u64" },
	{ .name = "string",
	  .size = 4,
	  .is_signed = true,
	  .is_string = true,
	  .fmt = "\\\"%s\\\"",
	  .field_type = "char[]" },
	{ .name = "ustring",
	  .size = 4,
	  .is_signed = true,
	  .is_string = true,
	  .is_user = true,
	  .fmt = "\\\"%s\\\"",
	  .field_type = "char[]" },
	{ .name = "symstr",
	  .size = 4,
	  .is_signed = true,
	  .is_string = true,
	  .is_symbol_text = true,
	  .fmt = "\\\"%s\\\"",
	  .field_type = "char[]" },
};

static const struct probe_type *find_type(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

/* One argument while it is parsed. */
struct parser {
	const struct probe_command *command;
	unsigned word;
	struct probe_arg *arg;
	const struct probe_arg_sources *sources;
	void *data;
};

static int fail(const struct parser *p, enum probe_error error, const char *at)
{
	return probe_error(p->command, error, p->word, at);
}

/* Parses "b<width>@<offset>/<container size>". */
static int parse_bitfield(const struct parser *p, const char *text)
{
	static const char *const containers[] = { "u8", "u16", "u32", "u64" };
	char *end;
	unsigned long width = simple_strtoul(text + 1, &end, 0), offset, size;

	if (end == text + 1 || *end != '@')
		return fail(p, PROBE_ERR_BAD_TYPE, text);
	offset = simple_strtoul(end + 1, &end, 0);
	if (*end != '/')
		return fail(p, PROBE_ERR_BAD_TYPE, text);
	size = simple_strtoul(end + 1, &end, 0);
	if (*end || size < 8 || size > 64 || (size & (size - 1)))
		return fail(p, PROBE_ERR_BAD_TYPE, text);
	if (!width || width >= 64 || offset >= 64 || width + offset > size)
		return fail(p, PROBE_ERR_BAD_BITFIELD, text);
	p->arg->type = find_type(containers[__builtin_ctzl(size) - 3]);
	p->arg->bit_width = (u8)width;
	p->arg->bit_shift = (u8)offset;
	return 0;
}

/* Parses "[N]" and cuts it off the type. */
static int parse_array(const struct parser *p, char *bracket)
{
	char *close = strchr(bracket, ']');
	unsigned count;

	if (!close)
		return fail(p, PROBE_ERR_ARRAY_NO_CLOSE, bracket + strlen(bracket));
	if (close[1])
		return fail(p, PROBE_ERR_BAD_ARRAY_SUFFIX, close + 1);
	*close = '\0';
	if (kstrtouint(bracket + 1, 0, &count) || !count)
		return fail(p, PROBE_ERR_BAD_ARRAY_NUM, bracket + 1);
	if (count > PROBE_ARRAY_MAX)
		return fail(p, PROBE_ERR_ARRAY_TOO_BIG, bracket + 1);
	*bracket = '\0';
	p->arg->count = (u8)count;
	return 0;
}

static int parse_type(const struct parser *p, char *text)
{
	char *bracket = strchr(text, '[');
	int error = bracket ? parse_array(p, bracket) : 0;

	if (error)
		return error;
	p->arg->type = find_type(text);
	if (p->arg->type)
		return 0;
	return *text == 'b' ? parse_bitfield(p, text) : fail(p, PROBE_ERR_BAD_TYPE, text);
}

/* Gives the argument the type that its source has by itself, and checks that they fit. */
static int check_type(const struct parser *p, const char *type)
{
	struct probe_arg *arg = p->arg;
	bool is_text =
		arg->source.kind == PROBE_SOURCE_TEXT || arg->source.kind == PROBE_SOURCE_COMM;

	if (!type)
		arg->type = find_type(is_text && !arg->nr_derefs ? "string" : "x64");
	/* An array is in memory. An array of strings may be at the address that a field holds. */
	if (arg->count && !arg->nr_derefs && !arg->type->is_string)
		return fail(p, PROBE_ERR_BAD_STRING, type);
	return 0;
}

/* ---- sources ---- */

/* "ADDRESS" or "SYMBOL[+|-OFFSET]", behind '@'. */
static int parse_address(const struct parser *p, char *text)
{
	char *sign = text + strcspn(text, "+-");
	long offset = 0;

	if (isdigit(*text)) {
		unsigned long address;

		if (kstrtoul(text, 0, &address))
			return fail(p, PROBE_ERR_BAD_MEM_ADDR, text);
		p->arg->source.value = address;
	} else if (*text == '+') {
		return fail(p, PROBE_ERR_FILE_ON_KPROBE, text);
	} else {
		char c = *sign;

		if (c && kstrtol(sign, 0, &offset))
			return -EINVAL;
		*sign = '\0';
		p->arg->source.value = kallsyms_lookup_name(text);
		*sign = c;
		if (!p->arg->source.value)
			return -ENOENT;
	}
	p->arg->derefs[p->arg->nr_derefs].offset = offset;
	p->arg->nr_derefs++;
	return 0;
}

/* "NUMBER" or "\"TEXT\"", behind the backslash. */
static int parse_immediate(const struct parser *p, char *text)
{
	size_t length = strlen(text);
	long value;

	if (*text == '"') {
		if (length < 2 || text[length - 1] != '"')
			return fail(p, PROBE_ERR_IMMSTR_NO_CLOSE, text + length);
		p->arg->source.kind = PROBE_SOURCE_TEXT;
		p->arg->source.text = kstrndup(text + 1, length - 2, GFP_KERNEL);
		return p->arg->source.text ? 0 : -ENOMEM;
	}
	if (kstrtol(text, 0, &value))
		return fail(p, PROBE_ERR_BAD_IMM, text);
	p->arg->source.value = (u64)value;
	return 0;
}

static int parse_source(const struct parser *p, char *text)
{
	enum probe_error reason = PROBE_ERR_BAD_VAR;
	int error;

	switch (*text) {
	case '$':
		if (strcmp(text, "$comm") == 0 || strcmp(text, "$COMM") == 0) {
			p->arg->source.kind = PROBE_SOURCE_COMM;
			return 0;
		}
		fallthrough;
	case '%':
		error = p->sources->parse(text, &p->arg->source, p->data, &reason);
		if (!error)
			return 0;
		if (reason == PROBE_ERR_BAD_ATTACH_ARG) {
			(void)fail(p, reason, NULL);
			return error;
		}
		(void)fail(p, reason, text);
		break;
	case '@':
		return parse_address(p, text + 1);
	case '\\':
		return parse_immediate(p, text + 1);
	default:
		break;
	}
	return fail(p, PROBE_ERR_BAD_FETCH_ARG, text);
}

/* Takes "+[u]OFFSET(" and its brace off. *text is then what the braces hold. */
static int open_deref(const struct parser *p, char **text, long *offset, bool *user)
{
	char *start = *text, *number = start, *open = strchr(start, '('), *close;

	*user = start[1] == 'u';
	if (*user) {
		number = start + 1;
		*number = *start; /* the sign */
	}
	if (!open)
		return fail(p, PROBE_ERR_DEREF_NEED_BRACE, start);
	*open = '\0';
	if (kstrtol(number, 0, offset))
		return fail(p, PROBE_ERR_BAD_DEREF_OFFS, start);
	*text = open + 1;
	close = strrchr(*text, ')');
	if (!close)
		return fail(p, PROBE_ERR_DEREF_OPEN_BRACE, *text + strlen(*text));
	*close = '\0';
	return 0;
}

/* Parses "+8(-4($x))": the outermost dereference comes first in the text, and last in the program.
 */
static int parse_body(const struct parser *p, char *text)
{
	struct probe_arg *arg = p->arg;
	long offsets[PROBE_DEREFS_MAX];
	bool users[PROBE_DEREFS_MAX];
	unsigned depth = 0;
	int error;

	while (*text == '+' || *text == '-') {
		/* One place is left for '@', which is a dereference itself. */
		if (depth == PROBE_DEREFS_MAX - 1)
			return fail(p, PROBE_ERR_TOO_MANY_OPS, text);
		error = open_deref(p, &text, &offsets[depth], &users[depth]);
		if (error)
			return error;
		depth++;
	}
	error = parse_source(p, text);
	if (error)
		return error;
	while (depth-- > 0) {
		arg->derefs[arg->nr_derefs].offset = offsets[depth];
		arg->derefs[arg->nr_derefs].user = users[depth];
		arg->nr_derefs++;
	}
	return 0;
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

/* Sets the name, and *body to what follows it. */
static int parse_name(const struct parser *p, struct probe_arg *args, unsigned index, char **body)
{
	char *word = p->command->argv[p->word], *equals = strchr(word, '=');
	char name[PROBE_NAME_MAX];

	*body = equals ? equals + 1 : word;
	if (equals) {
		if (equals == word)
			return fail(p, PROBE_ERR_NO_ARG_NAME, word);
		if (equals - word >= PROBE_NAME_MAX)
			return fail(p, PROBE_ERR_ARG_NAME_TOO_LONG, word);
		strscpy(name, word, (size_t)(equals - word) + 1);
	} else {
		snprintf(name, sizeof(name), "arg%u", index + 1);
	}
	if (!probe_is_good_name(name))
		return fail(p, PROBE_ERR_BAD_ARG_NAME, word);
	if (is_taken(name, args, index))
		return fail(p, PROBE_ERR_USED_ARG_NAME, word);
	if (!**body)
		return fail(p, PROBE_ERR_NO_ARG_BODY, *body);
	if (strlen(*body) > PROBE_TEXT_MAX)
		return fail(p, PROBE_ERR_ARG_TOO_LONG, *body);
	p->arg->name = kstrdup(name, GFP_KERNEL);
	p->arg->text = kstrdup(*body, GFP_KERNEL);
	return p->arg->name && p->arg->text ? 0 : -ENOMEM;
}

/* Returns the colon before the type, or NULL. Text in quotes may hold colons. */
static char *find_type_colon(char *body)
{
	if (body[0] == '\\' && body[1] == '"') {
		char *close = strchr(body + 2, '"');

		return close ? strchr(close, ':') : NULL;
	}
	return strchr(body, ':');
}

int probe_arg_parse(const struct probe_command *command, unsigned word, struct probe_arg *args,
		    unsigned index, const struct probe_arg_sources *sources, void *data)
{
	const struct parser p = { command, word, &args[index], sources, data };
	char *body, *colon;
	int error;

	args[index] = (struct probe_arg){ .nr_derefs = 0 };
	error = parse_name(&p, args, index, &body);
	if (error)
		return error;
	colon = find_type_colon(body);
	if (colon) {
		*colon++ = '\0';
		error = parse_type(&p, colon);
	}
	if (!error)
		error = parse_body(&p, body);
	return error ? error : check_type(&p, colon);
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
