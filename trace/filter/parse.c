/*
 * The compiler of filters: the expression around the predicates, which becomes the jumps of the
 * program (program.h).
 *
 * The steps are written in the order of the text. While a step is new, its jumps lead nowhere yet:
 * they are exits of the part of the expression that the compiler has read. A part is a fragment.
 * It has exits for "false" and for "true", and an operator connects exits:
 *
 *	a && b	the true exits of a lead to the first step of b; the rest are exits of the result
 *	a || b	the false exits of a lead to the first step of b
 *	!a	true exits become false exits, and the other way round
 *
 * So && and || evaluate no more than they need, and there is no recursion: a text may have
 * thousands of parentheses.
 */
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/core/entries.h"
#include "trace/filter/program.h"

const char *const filter_error_texts[] = {
	[FILTER_ERR_NONE] = "No error",
	[FILTER_ERR_INVALID_OP] = "Invalid operator",
	[FILTER_ERR_TOO_MANY_OPEN] = "Too many '('",
	[FILTER_ERR_TOO_MANY_CLOSE] = "Too few '('",
	[FILTER_ERR_MISSING_QUOTE] = "Missing matching quote",
	[FILTER_ERR_OPERAND_TOO_LONG] = "Operand too long",
	[FILTER_ERR_EXPECT_STRING] = "Expecting string field",
	[FILTER_ERR_EXPECT_DIGIT] = "Expecting numeric field",
	[FILTER_ERR_ILLEGAL_FIELD_OP] = "Illegal operation for field type",
	[FILTER_ERR_FIELD_NOT_FOUND] = "Field not found",
	[FILTER_ERR_ILLEGAL_INTVAL] = "Illegal integer value",
	[FILTER_ERR_BAD_SUBSYS_FILTER] =
		"Couldn't find or set field in one of a subsystem's events",
	[FILTER_ERR_TOO_MANY_PREDS] = "Too many terms in predicate expression",
	[FILTER_ERR_INVALID_FILTER] = "Meaningless filter expression",
	[FILTER_ERR_INVALID_VALUE] = "Invalid value (did you forget quotes)?",
	[FILTER_ERR_NO_FUNCTION] = "Function not found",
	[FILTER_ERR_INVALID_CPULIST] = "Invalid cpulist",
	[FILTER_ERR_MISSING_BRACE_OPEN] = "Missing '{'",
	[FILTER_ERR_MISSING_BRACE_CLOSE] = "Missing '}'",
	[FILTER_ERR_ERRNO] = "Error",
	[FILTER_ERR_NO_FILTER] = "No filter found",
};

/* ---- the first look: quotes and parentheses ---- */

/* Sizes of a text. */
struct expression_size {
	unsigned steps;  /* at most so many predicates */
	unsigned cpus;   /* at most so many CPUS{…} */
	unsigned levels; /* of parentheses; 1: none */
	bool is_empty;   /* nothing but white space and parentheses */
};

/* Returns the position of the last ( that has no ). Quotes are closed. */
static unsigned last_open_parenthesis(const char *text)
{
	unsigned closed = 0;
	char quote = '\0';

	for (size_t i = strlen(text); i--;) {
		char c = text[i];

		if (quote) {
			if (c == quote)
				quote = '\0';
		} else if (c == '\'' || c == '"') {
			quote = c;
		} else if (c == ')') {
			closed++;
		} else if (c == '(') {
			if (!closed)
				return (unsigned)i;
			closed--;
		}
	}
	return 0;
}

/* Notes one character outside quotes. False: a ) without a (. */
static bool measure_character(struct expression_size *size, unsigned *level, const char *at)
{
	switch (*at) {
	case '(':
		if (++*level > size->levels)
			size->levels = *level;
		return true;
	case ')':
		return --*level > 0;
	case '&':
	case '|':
		size->steps += at[1] == at[0];
		break;
	case '{':
		size->cpus++;
		break;
	}
	size->is_empty &= !!isspace(*at);
	return true;
}

static int measure_expression(struct filter_parser *p, struct expression_size *size)
{
	unsigned level = 1, quote_at = 0;
	char quote = '\0';

	*size = (struct expression_size){ .steps = 1, .levels = 1, .is_empty = true };
	for (unsigned i = 0; p->text[i]; i++) {
		char c = p->text[i];

		if (quote) {
			if (c == quote)
				quote = '\0';
			continue;
		}
		if (c == '\'' || c == '"') {
			quote = c;
			quote_at = i;
		}
		if (!measure_character(size, &level, p->text + i))
			return filter_refuse(p, FILTER_ERR_TOO_MANY_CLOSE, i, -EPERM);
	}
	if (quote)
		return filter_refuse(p, FILTER_ERR_MISSING_QUOTE, quote_at, -ESRCH);
	if (level > 1)
		return filter_refuse(p, FILTER_ERR_TOO_MANY_OPEN, last_open_parenthesis(p->text),
				     -ENOENT);
	return size->is_empty ? -EINVAL : 0;
}

/* ---- fragments ---- */

/*
 * Exits, as a chain through the jumps themselves. An exit is 2 * step + which of its two jumps. An
 * open jump holds the next exit of its chain.
 */
#define CHAIN_END 0xffff
struct exit_chain {
	u16 first, last;
};

struct fragment {
	u16 first_step;
	struct exit_chain exits[2]; /* for false, for true */
};

static u16 *jump_of(struct event_filter *filter, u16 exit)
{
	return &filter->steps[exit / 2].next[exit % 2];
}

static struct fragment new_fragment(struct event_filter *filter, unsigned step, bool invert)
{
	struct fragment fragment = { .first_step = (u16)step };

	for (unsigned branch = 0; branch < 2; branch++) {
		u16 exit = (u16)(2 * step + branch);

		*jump_of(filter, exit) = CHAIN_END;
		fragment.exits[branch != invert] = (struct exit_chain){ exit, exit };
	}
	return fragment;
}

/* Lets all exits of a chain lead to step. */
static void connect(struct event_filter *filter, struct exit_chain chain, u16 step)
{
	for (u16 exit = chain.first, next; exit != CHAIN_END; exit = next) {
		u16 *jump = jump_of(filter, exit);

		next = *jump;
		*jump = step;
	}
}

/* Joins a and b: a || b if the operator continues with b after false, a && b after true. */
static struct fragment join(struct event_filter *filter, struct fragment a, bool continue_after,
			    struct fragment b)
{
	struct exit_chain *kept = &a.exits[!continue_after], *added = &b.exits[!continue_after];

	connect(filter, a.exits[continue_after], b.first_step);
	*jump_of(filter, kept->last) = added->first;
	kept->last = added->last;
	a.exits[continue_after] = b.exits[continue_after];
	return a;
}

static void negate(struct fragment *fragment)
{
	struct exit_chain exits = fragment->exits[0];

	fragment->exits[0] = fragment->exits[1];
	fragment->exits[1] = exits;
}

/* ---- the expression ---- */

/* What is read of one pair of parentheses, or of the whole text: OR || AND && … */
struct level {
	bool invert; /* a ! is before the ( */
	bool has_or, has_and;
	struct fragment or, and;
};

/* An operand of this level is complete: connects it with the && before it. */
static void close_and(struct event_filter *filter, struct level *level, struct fragment operand)
{
	level->and = level->has_and ? join(filter, level->and, true, operand) : operand;
	level->has_and = false;
}

/* A || or the end of the level: connects what is behind the last || with what is before it. */
static void close_or(struct event_filter *filter, struct level *level)
{
	level->or = level->has_or ? join(filter, level->or, false, level->and) : level->and;
	level->has_or = false;
}

enum after_operand { NEXT_OPERAND, END_OF_EXPRESSION };

/*
 * Reads what follows an operand: closing parentheses, then an operator or the end. *level is the
 * innermost one. Returns enum after_operand or an errno.
 */
static int parse_operator(struct filter_parser *p, struct level *levels, struct level **level,
			  struct fragment operand)
{
	for (;; p->at++) {
		char c = p->text[p->at];

		if (isspace(c))
			continue;
		if (c && c != ')' && !((c == '&' || c == '|') && p->text[p->at + 1] == c))
			return filter_refuse(p, FILTER_ERR_TOO_MANY_PREDS, p->at, -EPERM);
		close_and(p->filter, *level, operand);
		if (c == '&') {
			(*level)->has_and = true;
			p->at += 2;
			return NEXT_OPERAND;
		}
		close_or(p->filter, *level);
		if (c == '|') {
			(*level)->has_or = true;
			p->at += 2;
			return NEXT_OPERAND;
		}
		if (!c)
			return END_OF_EXPRESSION;
		/* ) closes this level. The result is an operand of the level around it. */
		operand = (*level)->or ;
		if ((*level)->invert)
			negate(&operand);
		if (*level == levels)
			return filter_refuse(p, FILTER_ERR_TOO_MANY_CLOSE, p->at, -EPERM);
		--*level;
	}
}

/* Reads what is before a predicate: spaces, ! and (. Returns true if a ! is directly before it. */
static bool parse_prefix(struct filter_parser *p, struct level **level)
{
	bool invert = false;

	for (;; p->at++) {
		const char *at = p->text + p->at;

		if (*at == '(') {
			*++*level = (struct level){ .invert = invert };
			invert = false;
		} else if (*at == '!' && at[1] != '=' && at[1] != '~') {
			invert = !invert;
		} else if (!isspace(*at)) {
			return invert;
		}
	}
}

/* levels has room for all levels of the text. */
static int parse_expression(struct filter_parser *p, struct level *levels)
{
	struct event_filter *filter = p->filter;
	struct level *level = levels;
	struct fragment operand;
	bool invert, opposite;
	int after;

	*level = (struct level){ .invert = false };
	do {
		struct filter_step *step = &filter->steps[p->nr_steps];

		invert = parse_prefix(p, &level);
		if (!p->text[p->at])
			return filter_refuse(
				p, p->nr_steps ? FILTER_ERR_INVALID_FILTER : FILTER_ERR_NO_FILTER,
				p->at, -EINVAL);
		after = filter_parse_predicate(p, step, &opposite);
		if (after < 0)
			return after;
		operand = new_fragment(filter, p->nr_steps++, invert != opposite);
		after = parse_operator(p, levels, &level, operand);
		if (after < 0)
			return after;
	} while (after == NEXT_OPERAND);
	connect(filter, levels->or.exits[0], FILTER_REJECT);
	connect(filter, levels->or.exits[1], FILTER_ACCEPT);
	return 0;
}

static bool reads_head(const struct filter_step *step)
{
	return step->op != FILTER_OP_CPU && !(step->op == FILTER_OP_CPUS && !step->size) &&
	       step->offset < sizeof(struct trace_entry);
}

/* Fills in the short form of the filter, which has one step, if there is one. */
static void set_word(struct event_filter *filter)
{
	const struct filter_step *step = filter->steps;
	unsigned comparison = step->op / NR_NUMBERS, bits = step->size * 8U, shift;
	u64 mask, value;

	if ((comparison != COMPARE_EQ && comparison != COMPARE_AND) || filter->reads_head)
		return;
	/* The word ends with the field, so all of it is in the record. */
	filter->word_at = (u16)(step->offset + step->size - sizeof(u64));
	shift = 64 - bits;
	mask = (bits == 64 ? ~0ULL : (1ULL << bits) - 1) << shift;
	value = step->value << shift & mask;
	filter->mask = comparison == COMPARE_EQ ? mask : value;
	filter->value = comparison == COMPARE_EQ ? value : 0;
	filter->pass_equal = step->next[comparison == COMPARE_EQ] == FILTER_ACCEPT;
}

int filter_compile(const struct trace_event_call *call, const char *text,
		   struct event_filter **result, struct filter_error *error)
{
	size_t length = strlen(text);
	struct filter_parser p = { .call = call, .text = text, .error = error };
	struct expression_size size;
	struct event_filter *filter;
	struct level *levels;
	int err;

	*error = (struct filter_error){ .reason = FILTER_ERR_NONE };
	err = measure_expression(&p, &size);
	if (err)
		return err;
	if (size.steps > FILTER_STEPS_MAX)
		return filter_refuse(&p, FILTER_ERR_TOO_MANY_PREDS, 0, -EINVAL);
	filter = kmalloc(sizeof(*filter) + size.steps * sizeof(filter->steps[0]) +
				 size.cpus * sizeof(*p.cpus) + 2 * (length + 1),
			 GFP_KERNEL);
	levels = kmalloc_array(size.levels, sizeof(*levels), GFP_KERNEL);
	err = -ENOMEM;
	if (!filter || !levels)
		goto out;
	p.filter = filter;
	p.cpus = (struct cpumask *)&filter->steps[size.steps];
	p.patterns = (char *)(p.cpus + size.cpus) + length + 1;
	filter->text = memcpy(p.patterns - length - 1, text, length + 1);
	err = parse_expression(&p, levels);
	if (!err) {
		filter->reads_head = false;
		filter->word_at = 0;
		for (unsigned i = 0; i < p.nr_steps; i++)
			filter->reads_head |= reads_head(&filter->steps[i]);
		if (p.nr_steps == 1)
			set_word(filter);
	}
out:
	kfree(levels);
	if (err)
		kfree(filter);
	else
		*result = filter;
	return err;
}
