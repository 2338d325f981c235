/* Parses a print fmt: expressions of C, by recursive descent. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "print_fmt.h"

#define DEPTH_MAX 100
#define NODES_MAX 20000

struct parser {
	struct print_fmt *print;
	const struct event_field *fields;
	unsigned nr_fields, room, depth;
	const char *at;
	char *string; /* where the next text goes */
	bool failed;
};

static unsigned parse_expression(struct parser *p);
static unsigned parse_unary(struct parser *p);

static unsigned fail(struct parser *p)
{
	p->failed = true;
	return NO_NODE;
}

static unsigned add(struct parser *p, struct node node)
{
	struct print_fmt *print = p->print;

	if (p->failed || print->nr_nodes == NODES_MAX)
		return fail(p);
	if (print->nr_nodes == p->room) {
		struct node *nodes = realloc(print->nodes, 2 * p->room * sizeof(*nodes));

		if (!nodes)
			return fail(p);
		print->nodes = nodes;
		p->room *= 2;
	}
	print->nodes[print->nr_nodes] = node;
	return print->nr_nodes++;
}

/* ---- tokens ---- */

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

/* Takes this text, if it is next. */
static bool take(struct parser *p, const char *text)
{
	skip_blanks(p);
	if (strncmp(p->at, text, strlen(text)))
		return false;
	p->at += strlen(text);
	return true;
}

static bool expect(struct parser *p, const char *text)
{
	if (take(p, text))
		return true;
	p->failed = true;
	return false;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Takes a word. Returns its length; 0: another token is next. */
static size_t take_word(struct parser *p, const char **word)
{
	skip_blanks(p);
	*word = p->at;
	if (isdigit((unsigned char)*p->at))
		return 0;
	while (in_word(*p->at))
		p->at++;
	return (size_t)(p->at - *word);
}

static bool is(const char *word, size_t length, const char *text)
{
	return strlen(text) == length && !memcmp(word, text, length);
}

/* Returns the character of an escape whose backslash was taken. */
static char take_escape(struct parser *p)
{
	static const char letters[] = "abfnrtv", characters[] = "\a\b\f\n\r\t\v";
	unsigned value = 0;
	const char *letter;
	char c = *p->at;

	if (!c)
		return '\\';
	if (c >= '0' && c <= '7') {
		for (int i = 0; i < 3 && *p->at >= '0' && *p->at <= '7'; i++)
			value = value * 8 + (unsigned)(*p->at++ - '0');
		return (char)value;
	}
	p->at++;
	if (c == 'x') {
		while (isxdigit((unsigned char)*p->at)) {
			char digit = *p->at++;

			value = value * 16 + (unsigned)(isdigit((unsigned char)digit) ? digit - '0' : (digit | 32) - 'a' + 10);
		}
		return (char)value;
	}
	letter = strchr(letters, c);
	return letter ? characters[letter - letters] : c;
}

/* Takes strings that follow each other: they are one. */
static const char *take_strings(struct parser *p)
{
	char *text = p->string;

	while (take(p, "\"")) {
		while (*p->at && *p->at != '"') {
			char c = *p->at++;

			*p->string++ = c == '\\' ? take_escape(p) : c;
		}
		if (*p->at)
			p->at++;
		else
			p->failed = true;
	}
	*p->string++ = '\0';
	return text;
}

/* ---- types ---- */

static const struct {
	const char *name;
	struct type type;
} types[] = {
	{ "char", { 1, false, false } },  { "short", { 2, false, false } }, { "int", { 4, false, false } },
	{ "long", { 8, false, false } },  { "unsigned", { 4, true, false } }, { "signed", { 4, false, false } },
	{ "bool", { 1, true, false } },	  { "_Bool", { 1, true, false } },  { "size_t", { 8, true, false } },
	{ "ssize_t", { 8, false, false } }, { "u8", { 1, true, false } },   { "u16", { 2, true, false } },
	{ "u32", { 4, true, false } },	  { "u64", { 8, true, false } },    { "s8", { 1, false, false } },
	{ "s16", { 2, false, false } },	  { "s32", { 4, false, false } },   { "s64", { 8, false, false } },
	{ "__u8", { 1, true, false } },	  { "__u16", { 2, true, false } },  { "__u32", { 4, true, false } },
	{ "__u64", { 8, true, false } },  { "__s8", { 1, false, false } },  { "__s16", { 2, false, false } },
	{ "__s32", { 4, false, false } }, { "__s64", { 8, false, false } }, { "uint8_t", { 1, true, false } },
	{ "uint16_t", { 2, true, false } }, { "uint32_t", { 4, true, false } }, { "uint64_t", { 8, true, false } },
	{ "int8_t", { 1, false, false } }, { "int16_t", { 2, false, false } }, { "int32_t", { 4, false, false } },
	{ "int64_t", { 8, false, false } }, { "pid_t", { 4, false, false } }, { "gfp_t", { 4, true, false } },
	{ "umode_t", { 2, true, false } }, { "dev_t", { 4, true, false } }, { "loff_t", { 8, false, false } },
	{ "sector_t", { 8, true, false } }, { "ino_t", { 8, true, false } }, { "void", { 1, true, false } },
};

static const struct type *find_type(const char *word, size_t length)
{
	for (unsigned i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (is(word, length, types[i].name))
			return &types[i].type;
	return NULL;
}

/*
 * Takes the words of a type, with its stars. False if these words are no type: then the text is a variable in parentheses.
 * A type that is not in the table is one if a value follows, and then it has no effect on that value.
 */
static bool take_type(struct parser *p, struct type *type, bool *known)
{
	bool is_unsigned = false, is_signed = false, tagged = false;
	unsigned words = 0;
	const char *word;
	size_t length;

	*type = (struct type){ .size = 0 };
	*known = false;
	while ((length = take_word(p, &word))) {
		const struct type *found = find_type(word, length);

		words++;
		if (is(word, length, "struct") || is(word, length, "union") || is(word, length, "enum")) {
			*type = (struct type){ .size = word[0] == 'e' ? 4 : 0 };
			*known = tagged = true;
		} else if (is(word, length, "unsigned")) {
			is_unsigned = true;
		} else if (is(word, length, "signed")) {
			is_signed = true;
		}
		/* "unsigned long int" is as long as its longest word but "int" and "unsigned". */
		if (found && !tagged && (!*known || (found->size != 4 && type->size != 8)))
			*type = *found;
		*known |= found != NULL;
	}
	if (is_unsigned || is_signed)
		type->is_unsigned = is_unsigned;
	while (take(p, "*")) {
		if (type->is_pointer)
			type->size = 8;
		type->is_pointer = *known = true;
	}
	return words;
}

/* ---- expressions ---- */

static unsigned parse_number(struct parser *p)
{
	char *end;
	const bool decimal = *p->at != '0';
	struct node node = { .kind = NODE_NUMBER, .type = { 4, false, false } };

	node.number = strtoull(p->at, &end, 0);
	p->at = end;
	for (; *p->at && strchr("uUlL", *p->at); p->at++) {
		if (*p->at == 'u' || *p->at == 'U')
			node.type.is_unsigned = true;
		else
			node.type.size = 8;
	}
	if (in_word(*p->at))
		return fail(p);
	/* The first type that can hold the number. A decimal number is signed, unless a suffix says otherwise. */
	if (node.type.size == 4 && !node.type.is_unsigned && node.number > INT32_MAX && !decimal && node.number <= UINT32_MAX)
		node.type.is_unsigned = true;
	if (node.number > (node.type.is_unsigned ? UINT32_MAX : INT32_MAX))
		node.type.size = 8;
	if (node.number > INT64_MAX)
		node.type.is_unsigned = true;
	return add(p, node);
}

static const struct event_field *find_field(struct parser *p)
{
	const char *word;
	size_t length = take_word(p, &word);

	for (unsigned i = 0; i < p->nr_fields; i++)
		if (is(word, length, p->fields[i].name))
			return &p->fields[i];
	p->failed = true;
	return NULL;
}

static const struct {
	const char *name;
	enum function function;
	const char *arguments; /* f: the name of a field; e: an expression; l: a list */
} functions[] = {
	{ "__get_str", GET_STRING, "f" },
	{ "__get_rel_str", GET_STRING, "f" },
	{ "__get_dynamic_array", GET_ARRAY, "f" },
	{ "__get_rel_dynamic_array", GET_ARRAY, "f" },
	{ "__get_dynamic_array_len", GET_LENGTH, "f" },
	{ "__get_rel_dynamic_array_len", GET_LENGTH, "f" },
	{ "__get_bitmask", GET_BITMASK, "f" },
	{ "__get_rel_bitmask", GET_BITMASK, "f" },
	{ "__get_cpumask", GET_BITMASK, "f" },
	{ "__get_rel_cpumask", GET_BITMASK, "f" },
	{ "__get_stacktrace", GET_STACK, "f" },
	{ "__print_flags", PRINT_FLAGS, "eel" },
	{ "__print_flags_u64", PRINT_FLAGS, "eel" },
	{ "__print_symbolic", PRINT_SYMBOLIC, "el" },
	{ "__print_symbolic_u64", PRINT_SYMBOLIC, "el" },
	{ "__print_hex", PRINT_HEX, "ee" },
	{ "__print_hex_str", PRINT_HEX_TOGETHER, "ee" },
	{ "__print_array", PRINT_ARRAY, "eee" },
};

/* Takes `{ value, "name" }` pairs with commas between them. */
static unsigned parse_list(struct parser *p)
{
	unsigned first = NO_NODE, last = NO_NODE;

	do {
		struct node pair = { .kind = NODE_UNKNOWN };
		unsigned node;

		if (!expect(p, "{"))
			return NO_NODE;
		pair.a = parse_expression(p);
		if (!expect(p, ","))
			return NO_NODE;
		pair.b = parse_expression(p);
		if (!expect(p, "}"))
			return NO_NODE;
		node = add(p, pair);
		if (last)
			p->print->nodes[last].next = node;
		else
			first = node;
		last = node;
	} while (!p->failed && take(p, ","));
	return first;
}

/* Skips the arguments of a function that is not known here, behind its opening parenthesis. */
static void skip_arguments(struct parser *p)
{
	unsigned open = 1;

	for (; *p->at && open; p->at++) {
		if (*p->at == '"') {
			for (p->at++; *p->at && *p->at != '"'; p->at++)
				if (*p->at == '\\' && p->at[1])
					p->at++;
			if (!*p->at)
				break;
		}
		open += *p->at == '(';
		open -= *p->at == ')';
	}
	if (open)
		p->failed = true;
}

static unsigned parse_call(struct parser *p, const char *word, size_t length)
{
	struct node node = { .kind = NODE_CALL };
	unsigned i = 0, *argument = &node.a;

	while (i < sizeof(functions) / sizeof(*functions) && !is(word, length, functions[i].name))
		i++;
	if (i == sizeof(functions) / sizeof(*functions)) {
		skip_arguments(p);
		return add(p, (struct node){ .kind = NODE_UNKNOWN });
	}
	node.op = functions[i].function;
	for (const char *kind = functions[i].arguments; *kind && !p->failed; kind++) {
		if (kind != functions[i].arguments && !expect(p, ","))
			break;
		if (*kind == 'f')
			node.field = find_field(p);
		else if (*kind == 'l')
			node.list = parse_list(p);
		else
			*argument = parse_expression(p), argument = argument == &node.a ? &node.b : &node.c;
	}
	/* __get_str(name[2]): an element of an array of strings. */
	if (node.field && take(p, "[")) {
		node.a = parse_expression(p);
		expect(p, "]");
	}
	expect(p, ")");
	return add(p, node);
}

static unsigned parse_primary(struct parser *p)
{
	const char *word;
	size_t length;
	unsigned node;

	skip_blanks(p);
	if (*p->at == '"')
		return add(p, (struct node){ .kind = NODE_TEXT, .text = take_strings(p) });
	if (isdigit((unsigned char)*p->at))
		return parse_number(p);
	if (take(p, "'")) {
		char c = *p->at ? *p->at++ : '\0';

		node = add(p, (struct node){ .kind = NODE_NUMBER, .type = { 4, false, false },
					     .number = (uint64_t)(c == '\\' ? take_escape(p) : c) });
		expect(p, "'");
		return node;
	}
	if (take(p, "(")) {
		node = parse_expression(p);
		expect(p, ")");
		return node;
	}
	length = take_word(p, &word);
	if (!length)
		return fail(p);
	if (is(word, length, "REC") && take(p, "->"))
		return add(p, (struct node){ .kind = NODE_FIELD, .field = find_field(p) });
	if (take(p, "("))
		return parse_call(p, word, length);
	memcpy(p->string, word, length);
	p->string += length;
	*p->string++ = '\0';
	return add(p, (struct node){ .kind = NODE_SYMBOL, .text = p->string - length - 1 });
}

static unsigned parse_postfix(struct parser *p)
{
	unsigned node = parse_primary(p);

	while (!p->failed && take(p, "[")) {
		unsigned index = parse_expression(p);

		expect(p, "]");
		node = add(p, (struct node){ .kind = NODE_INDEX, .a = node, .b = index });
	}
	return node;
}

/* Takes `(type)`. False, and nothing is taken, if it is not next. */
static bool take_cast(struct parser *p, struct type *type)
{
	const char *start = p->at;
	bool known;

	if (take(p, "(") && take_type(p, type, &known) && take(p, ")")) {
		skip_blanks(p);
		if (known || in_word(*p->at) || *p->at == '(')
			return true;
	}
	p->at = start;
	return false;
}

static unsigned parse_unary(struct parser *p)
{
	struct type type;
	unsigned node = NO_NODE;

	if (p->failed || p->depth == DEPTH_MAX)
		return fail(p);
	p->depth++;
	skip_blanks(p);
	if (take_cast(p, &type))
		node = add(p, (struct node){ .kind = NODE_CAST, .type = type, .a = parse_unary(p) });
	else if (*p->at && strchr("-~!+&*", *p->at)) {
		int op = *p->at++;

		node = add(p, (struct node){ .kind = NODE_UNARY, .op = op, .a = parse_unary(p) });
	} else {
		node = parse_postfix(p);
	}
	p->depth--;
	return node;
}

static const struct {
	const char *text;
	int op, level; /* a higher level binds more tightly */
} operators[] = {
	{ "||", OP_OR, 1 },    { "&&", OP_AND, 2 },	 { "==", OP_EQUAL, 6 }, { "!=", OP_UNEQUAL, 6 },
	{ "<=", OP_AT_MOST, 7 }, { ">=", OP_AT_LEAST, 7 }, { "<<", OP_LEFT, 8 },	{ ">>", OP_RIGHT, 8 },
	{ "|", '|', 3 },       { "^", '^', 4 },		 { "&", '&', 5 },	{ "<", '<', 7 },
	{ ">", '>', 7 },       { "+", '+', 9 },		 { "-", '-', 9 },	{ "*", '*', 10 },
	{ "/", '/', 10 },      { "%", '%', 10 },
};

static unsigned parse_binary(struct parser *p, int level)
{
	unsigned left = parse_unary(p);

	while (!p->failed) {
		unsigned i = 0, right;

		skip_blanks(p);
		while (i < sizeof(operators) / sizeof(*operators) &&
		       strncmp(p->at, operators[i].text, strlen(operators[i].text)))
			i++;
		if (i == sizeof(operators) / sizeof(*operators) || operators[i].level < level)
			break;
		p->at += strlen(operators[i].text);
		right = parse_binary(p, operators[i].level + 1);
		left = add(p, (struct node){ .kind = NODE_BINARY, .op = operators[i].op, .a = left, .b = right });
	}
	return left;
}

static unsigned parse_expression(struct parser *p)
{
	unsigned condition, yes, no;

	if (p->failed || p->depth == DEPTH_MAX)
		return fail(p);
	p->depth++;
	condition = parse_binary(p, 1);
	if (!p->failed && take(p, "?")) {
		yes = parse_expression(p);
		expect(p, ":");
		no = parse_expression(p);
		condition = add(p, (struct node){ .kind = NODE_CONDITION, .a = condition, .b = yes, .c = no });
	}
	p->depth--;
	return condition;
}

static void parse(struct parser *p)
{
	unsigned last = NO_NODE;

	skip_blanks(p);
	if (*p->at != '"') {
		p->failed = true;
		return;
	}
	p->print->text = take_strings(p);
	while (!p->failed && take(p, ",")) {
		unsigned argument;

		skip_blanks(p);
		if (!*p->at && !last) /* a print fmt without arguments may end with a comma */
			return;
		/* A node of its own: the argument's node may be one with a `next` already. */
		argument = add(p, (struct node){ .kind = NODE_CAST, .type = { 0, false, false }, .a = parse_expression(p) });
		if (last)
			p->print->nodes[last].next = argument;
		else
			p->print->arguments = argument;
		last = argument;
	}
	skip_blanks(p);
	if (*p->at)
		p->failed = true;
}

static bool is_number(const struct print_fmt *print, unsigned node)
{
	return !node || print->nodes[node].kind == NODE_NUMBER;
}

/* Computes what is constant now, instead of for each event. A node comes behind the nodes that it uses. */
static void fold(struct print_fmt *print)
{
	struct record none = { .print = print };

	for (unsigned i = 1; i < print->nr_nodes; i++) {
		struct node *node = &print->nodes[i];
		struct value value;

		if (node->kind != NODE_CAST && node->kind != NODE_UNARY && node->kind != NODE_BINARY)
			continue;
		if (!is_number(print, node->a) || !is_number(print, node->b))
			continue;
		value = print_eval(&none, i);
		if (!value.unknown && !value.type.is_pointer)
			*node = (struct node){ .kind = NODE_NUMBER, .type = value.type, .number = value.number,
					       .next = node->next };
	}
}

struct print_fmt *print_fmt_parse(const char *line, const struct event_field *fields, unsigned nr_fields)
{
	struct parser p = { .fields = fields, .nr_fields = nr_fields, .room = 16, .at = line };

	p.print = calloc(1, sizeof(*p.print));
	if (!p.print)
		return NULL;
	p.print->nodes = calloc(p.room, sizeof(*p.print->nodes));
	/* No text is longer than its source, and each has at least one quote, for the NUL. */
	p.string = p.print->strings = malloc(strlen(line) + 2);
	p.print->nr_nodes = 1;
	if (p.print->nodes && p.print->strings)
		parse(&p);
	if (!p.failed && p.print->text) {
		fold(p.print);
		return p.print;
	}
	print_fmt_free(p.print);
	return NULL;
}

void print_fmt_free(struct print_fmt *print)
{
	if (!print)
		return;
	free(print->nodes);
	free(print->strings);
	free(print);
}
