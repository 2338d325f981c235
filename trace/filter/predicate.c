/* The compiler of filters: one predicate, FIELD OPERATOR VALUE, becomes one step. */
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "trace/core/events.h"
#include "trace/events/fields.h"
#include "trace/filter/program.h"

#define FIELD_NAME_MAX 128 /* bytes with the NUL */
#define NUMBER_MAX     24  /* bytes with the NUL; longer text is no number */
#define PATTERN_MAX    256 /* the same for strings, as in Linux */

/* The operators. One that begins with another one is before it. */
enum op { OP_EQ, OP_NE, OP_GLOB, OP_LE, OP_LT, OP_GE, OP_GT, OP_BAND, NR_OPS };
static const char *const op_texts[NR_OPS] = { "==", "!=", "~", "<=", "<", ">=", ">", "&" };

/* The comparison that answers a numeric operator. is_opposite: the answer is to be inverted. */
static const struct {
	u8 comparison;
	bool is_opposite;
} op_comparisons[NR_OPS] = {
	[OP_EQ] = { COMPARE_EQ, false },    [OP_NE] = { COMPARE_EQ, true },
	[OP_LT] = { COMPARE_LT, false },    [OP_GE] = { COMPARE_LT, true },
	[OP_LE] = { COMPARE_LE, false },    [OP_GT] = { COMPARE_LE, true },
	[OP_BAND] = { COMPARE_AND, false },
};

/* FIELD OPERATOR. */
struct predicate {
	const struct trace_event_field *field;
	enum trace_filter_type type;
	bool is_user, is_function; /* FIELD.ustring, FIELD.function */
	enum op op;
};

/* Refuses the predicate. As in Linux, the caret is one place behind position. */
static int refuse(struct filter_parser *p, enum filter_reason reason, unsigned position)
{
	return filter_refuse(p, reason, position + 1, -EINVAL);
}

static void skip_space(struct filter_parser *p)
{
	while (isspace(p->text[p->at]))
		p->at++;
}

static bool skip_word(struct filter_parser *p, const char *word)
{
	bool found = strstarts(p->text + p->at, word);

	if (found)
		p->at += strlen(word);
	return found;
}

static int parse_field(struct filter_parser *p, struct predicate *pred)
{
	const char *start = p->text + p->at;
	char name[FIELD_NAME_MAX];
	size_t length = 0;

	while (isalnum(start[length]) || start[length] == '_')
		length++;
	if (!length)
		return -EPERM; /* Linux has no reason for this */
	p->at += length;
	pred->field = NULL;
	if (length < sizeof(name)) {
		memcpy(name, start, length);
		name[length] = '\0';
		pred->field = trace_find_event_field(p->call, name);
	}
	if (pred->field)
		pred->type = trace_field_filter_type(pred->field);
	if (!pred->field || pred->type == FILTER_STACKTRACE)
		return refuse(p, FILTER_ERR_FIELD_NOT_FOUND, p->at);
	pred->is_user = skip_word(p, ".ustring");
	pred->is_function = skip_word(p, ".function");
	return 0;
}

static int parse_op(struct filter_parser *p, struct predicate *pred)
{
	skip_space(p);
	for (unsigned op = 0; op < NR_OPS; op++)
		if (skip_word(p, op_texts[op])) {
			pred->op = op;
			skip_space(p);
			return 0;
		}
	return refuse(p, FILTER_ERR_INVALID_OP, p->at);
}

static bool is_string(const struct predicate *pred)
{
	return pred->type == FILTER_STATIC_STRING || pred->type == FILTER_DYN_STRING ||
	       pred->type == FILTER_RDYN_STRING || pred->type == FILTER_PTR_STRING ||
	       pred->type == FILTER_COMM;
}

/* ---- strings ---- */

static enum filter_pattern pattern_type(const char *pattern, size_t length)
{
	const char *special = strpbrk(pattern, "*?[\\");
	bool star_in_front = length && *pattern == '*';

	if (!special)
		return PATTERN_FULL;
	if (star_in_front) {
		special = strpbrk(pattern + 1, "*?[\\");
		if (!special)
			return PATTERN_END;
	}
	if (*special != '*' || special != pattern + length - 1)
		return PATTERN_GLOB;
	return star_in_front ? PATTERN_MIDDLE : PATTERN_FRONT;
}

/* Copies the pattern for ~ without the parts that its type says: a ! at the start, and stars. */
static void set_glob(struct filter_parser *p, struct filter_step *step, const char *pattern,
		     size_t length)
{
	step->differs = length && *pattern == '!';
	pattern += step->differs;
	length -= step->differs;
	memcpy(p->patterns, pattern, length);
	p->patterns[length] = '\0';
	step->pattern_type = (u8)pattern_type(p->patterns, length);
	step->pattern = p->patterns;
	if (step->pattern_type == PATTERN_END || step->pattern_type == PATTERN_MIDDLE) {
		step->pattern++;
		length--;
	}
	if (step->pattern_type == PATTERN_FRONT || step->pattern_type == PATTERN_MIDDLE)
		length--;
	step->length = (u32)length;
}

static enum filter_string string_place(const struct predicate *pred)
{
	switch (pred->type) {
	case FILTER_STATIC_STRING:
		return STRING_STATIC;
	case FILTER_DYN_STRING:
		return STRING_DYNAMIC;
	case FILTER_RDYN_STRING:
		return STRING_RELATIVE;
	case FILTER_COMM:
		return STRING_COMM;
	default:
		return pred->is_user ? STRING_USER : STRING_POINTER;
	}
}

static int parse_string(struct filter_parser *p, const struct predicate *pred,
			struct filter_step *step)
{
	const char *pattern = p->text + p->at + 1, *end;
	size_t length;

	if (pred->op != OP_EQ && pred->op != OP_NE && pred->op != OP_GLOB)
		return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
	if (!is_string(pred))
		return refuse(p, FILTER_ERR_EXPECT_DIGIT, p->at);
	end = strchr(pattern, pattern[-1]);
	length = end ? (size_t)(end - pattern) : strlen(pattern);
	p->at += length + 1;
	if (!end)
		return refuse(p, FILTER_ERR_MISSING_QUOTE, p->at);
	if (length >= PATTERN_MAX)
		return refuse(p, FILTER_ERR_OPERAND_TOO_LONG, p->at);
	p->at++;
	step->op = FILTER_OP_STRING;
	step->string = (u8)string_place(pred);
	if (pred->op == OP_GLOB) {
		set_glob(p, step, pattern, length);
	} else {
		step->pattern_type = PATTERN_FULL;
		step->differs = pred->op == OP_NE;
		step->pattern = memcpy(p->patterns, pattern, length);
		step->length = (u32)length;
	}
	p->patterns += length + 1;
	return 0;
}

/* ---- numbers ---- */

/* Returns the type of a field's number; NR_NUMBERS: an array or a struct. */
static enum filter_number number_type(const struct trace_event_field *field)
{
	switch (field->size) {
	case 1:
		return field->is_signed ? NUMBER_S8 : NUMBER_U8;
	case 2:
		return field->is_signed ? NUMBER_S16 : NUMBER_U16;
	case 4:
		return field->is_signed ? NUMBER_S32 : NUMBER_U32;
	case 8:
		return field->is_signed ? NUMBER_S64 : NUMBER_U64;
	default:
		return NR_NUMBERS;
	}
}

/* Copies letters and digits, with a sign before them. False: too long. */
static bool copy_number(struct filter_parser *p, char number[NUMBER_MAX])
{
	const char *start = p->text + p->at;
	size_t length = *start == '-';

	while (isalnum(start[length]))
		length++;
	p->at += length;
	if (length >= NUMBER_MAX)
		return false;
	memcpy(number, start, length);
	number[length] = '\0';
	return true;
}

static int parse_number(struct filter_parser *p, const struct predicate *pred,
			struct filter_step *step, bool *invert)
{
	unsigned start = p->at, comparison = op_comparisons[pred->op].comparison;
	enum filter_number type = number_type(pred->field);
	unsigned long long value = 0;
	char number[NUMBER_MAX];
	long signed_value;
	int error;

	if (is_string(pred))
		return refuse(p, FILTER_ERR_EXPECT_STRING, p->at);
	if (pred->op == OP_GLOB)
		return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
	if (!copy_number(p, number))
		return refuse(p, FILTER_ERR_OPERAND_TOO_LONG, p->at);
	if (pred->field->is_signed) {
		error = kstrtol(number, 0, &signed_value);
		value = (unsigned long long)signed_value;
	} else {
		error = kstrtoull(number, 0, &value);
	}
	if (error)
		return refuse(p, FILTER_ERR_ILLEGAL_INTVAL, start);
	step->value = value;
	*invert = op_comparisons[pred->op].is_opposite;
	if (pred->type == FILTER_CPU) {
		step->op = FILTER_OP_CPU;
		step->comparison = (u8)FILTER_NUMBER(comparison, NUMBER_S32);
	} else if (type == NR_NUMBERS) {
		step->op = FILTER_OP_NEVER;
		*invert = false;
	} else {
		step->op = (u8)FILTER_NUMBER(comparison, type);
	}
	return 0;
}

/* ---- sets of CPUs ---- */

/*
 * Parses CPUS{LIST}. The field is a set of CPUs, or the number of one: == says that the set
 * contains the CPU and no other one. The list may be as long as the text; it is copied to the room
 * of the patterns.
 */
static int parse_cpus(struct filter_parser *p, const struct predicate *pred,
		      struct filter_step *step, bool *invert)
{
	unsigned start = p->at, list;
	bool is_mask = pred->type == FILTER_CPUMASK, is_single;
	enum filter_number type = pred->type == FILTER_CPU ? NUMBER_S32 : number_type(pred->field);

	if (is_string(pred) || pred->type == FILTER_TRACE_FN || type == NR_NUMBERS)
		return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, start);
	if (pred->op != OP_EQ && pred->op != OP_NE && pred->op != OP_BAND)
		return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, start);
	p->at += strlen("CPUS");
	if (p->text[p->at] != '{') /* as Linux, the place behind, but not behind the end */
		return refuse(p, FILTER_ERR_MISSING_BRACE_OPEN, p->at + (p->text[p->at] != '\0'));
	list = ++p->at;
	while (p->text[p->at] && p->text[p->at] != '}')
		p->at++;
	if (!p->text[p->at])
		return refuse(p, FILTER_ERR_MISSING_BRACE_CLOSE, p->at - 1);
	memcpy(p->patterns, p->text + list, p->at - list);
	p->patterns[p->at - list] = '\0';
	if (p->at == list || cpulist_parse(p->patterns, p->cpus))
		return refuse(p, FILTER_ERR_INVALID_CPULIST, p->at);
	p->at++;
	*invert = pred->op == OP_NE;
	is_single = cpumask_weight(p->cpus) == 1;
	if (is_mask) {
		step->op = FILTER_OP_CPUMASK;
		step->comparison = op_comparisons[pred->op].comparison;
	} else if (is_single) {
		step->value = cpumask_next_from(0, p->cpus);
		step->op = pred->type == FILTER_CPU ? (u8)FILTER_OP_CPU
						    : (u8)FILTER_NUMBER(COMPARE_EQ, type);
		step->comparison = (u8)FILTER_NUMBER(COMPARE_EQ, type);
		return 0;
	} else {
		step->op = pred->op == OP_BAND ? FILTER_OP_CPUS : FILTER_OP_NEVER;
		step->size = pred->type == FILTER_CPU ? 0 : step->size;
	}
	step->cpus = p->cpus++;
	return 0;
}

/* ---- functions ---- */

/* Parses the name of a function, or an address inside it. */
static int parse_function(struct filter_parser *p, const struct predicate *pred,
			  struct filter_step *step, bool *invert)
{
	const char *start = p->text + p->at;
	unsigned long address = 0, size, offset;
	char name[KSYM_NAME_LEN], number[NUMBER_MAX];
	size_t length = 0;

	if (pred->field->size != sizeof(long))
		return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
	if (pred->op != OP_EQ && pred->op != OP_NE)
		return refuse(p, FILTER_ERR_INVALID_OP, p->at);
	if (isdigit(*start)) {
		if (!copy_number(p, number))
			return refuse(p, FILTER_ERR_OPERAND_TOO_LONG, p->at);
		if (kstrtoul(number, 0, &address))
			return refuse(p, FILTER_ERR_INVALID_VALUE, p->at);
	} else {
		while (isalnum(start[length]) || (start[length] && strchr("_.$", start[length])))
			length++;
		p->at += length;
		if (!length)
			return refuse(p, FILTER_ERR_INVALID_VALUE, p->at);
		if (length < sizeof(name)) {
			memcpy(name, start, length);
			name[length] = '\0';
			address = kallsyms_lookup_name(name);
		}
	}
	if (!address || !kallsyms_lookup(address, &size, &offset, name))
		return refuse(p, FILTER_ERR_NO_FUNCTION, p->at);
	step->op = FILTER_OP_FUNCTION;
	step->value = address - offset;
	step->length = (u32)size;
	*invert = pred->op == OP_NE;
	return 0;
}

int filter_parse_predicate(struct filter_parser *p, struct filter_step *step, bool *invert)
{
	struct predicate pred;
	char first;
	int error = parse_field(p, &pred);

	if (!error)
		error = parse_op(p, &pred);
	if (error)
		return error;
	*step = (struct filter_step){ .offset = pred.field->offset, .size = pred.field->size };
	*invert = false;
	first = p->text[p->at];
	if (pred.is_function)
		return parse_function(p, &pred, step, invert);
	if (first == '\'' || first == '"')
		return parse_string(p, &pred, step);
	if (strstarts(p->text + p->at, "CPUS"))
		return parse_cpus(p, &pred, step, invert);
	if (isdigit(first) || first == '-')
		return parse_number(p, &pred, step, invert);
	return refuse(p, FILTER_ERR_INVALID_VALUE, p->at);
}
