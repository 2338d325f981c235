/*
 * Expressions: fields, constants and variables with + - * / and -(…). The operators of one rank
 * bind to the left, so that the last one of the lowest rank divides the text.
 */
#include "kernel/errno.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/events/event.h"
#include "trace/hist/hist.h"
#include "trace/hist/eval.h"

static struct hist_field *parse_level(struct hist_trigger_data *h, struct trace_event_file *file,
				      char *text, u32 flags, unsigned *n_subexprs);

/* The last operator of these that is not part of the modifier ".sym-offset". */
static char *last_operator(char *text, const char *operators)
{
	char *found = NULL;

	for (char *at = strpbrk(text, operators); at; at = strpbrk(at + 1, operators))
		if (at - text < 4 || strncmp(at - 4, ".sym-offset", 11) != 0)
			found = at;
	return found;
}

/* Finds the operator that divides the text, and its function. NULL: the text has none. */
static char *find_operator(char *text, enum hist_fn *fn)
{
	char *at;

	if (*text == '-') {
		*fn = HIST_FN_NEGATE;
		return text;
	}
	at = last_operator(text, "+-");
	if (at) {
		*fn = *at == '+' ? HIST_FN_PLUS : HIST_FN_MINUS;
		return at;
	}
	at = last_operator(text, "*/");
	if (at)
		*fn = *at == '*' ? HIST_FN_MULT : HIST_FN_DIV;
	return at;
}

static struct hist_field *make_constant(u64 value, u32 flags)
{
	struct hist_field *f = hist_field_alloc(flags | HIST_FIELD_CONST);

	if (!f)
		return ERR_PTR(-ENOMEM);
	f->fn = HIST_FN_CONST;
	f->constant = value;
	return f;
}

static struct hist_field *parse_constant(struct trace_array *tr, const char *text, u32 flags)
{
	unsigned long long value;

	if (kstrtoull(text, 0, &value)) {
		hist_err(tr, HIST_ERR_EXPECT_NUMBER, text);
		return ERR_PTR(-EINVAL);
	}
	return make_constant(value, flags);
}

/*
 * The text of a variable that this command defines as a plain field: "$x" with x=f means f. NULL:
 * the text is no such variable.
 */
static char *plain_field_of_variable(struct hist_trigger_data *h, const char *text)
{
	size_t length;

	if (*text != '$')
		return NULL;
	length = strlen(text + 1);
	for (unsigned i = 0; i < h->n_definitions; i++) {
		char *definition = h->definitions[i], *value = definition + length + 1;
		enum hist_fn fn;

		if (strncmp(definition, text + 1, length) == 0 && definition[length] == '=' &&
		    *value != '$' && !find_operator(value, &fn))
			return value;
	}
	return NULL;
}

/* Gives a reference that is the value of a variable one more name. */
static struct hist_field *make_alias(struct hist_field *reference, u32 flags)
{
	struct hist_field *f = hist_field_alloc(flags);

	if (!f) {
		hist_field_put(reference);
		return ERR_PTR(-ENOMEM);
	}
	f->fn = HIST_FN_ALIAS;
	f->flags |= reference->flags &
		    (HIST_FIELD_TIMESTAMP | HIST_FIELD_USECS | HIST_FIELD_STACKTRACE);
	f->operands[0] = reference;
	f->size = reference->size;
	f->type = reference->type;
	f->is_signed = reference->is_signed;
	return f;
}

static struct hist_field *parse_atom(struct hist_trigger_data *h, struct trace_event_file *file,
				     char *text, u32 flags)
{
	char *plain = plain_field_of_variable(h, text), *copy = NULL;
	struct hist_field *f;

	if (plain) {
		copy = kstrdup(plain, GFP_KERNEL);
		if (!copy)
			return ERR_PTR(-ENOMEM);
		text = copy;
	} else {
		f = hist_parse_var_ref(h, text);
		if (f && !IS_ERR(f) && (flags & HIST_FIELD_VAR))
			return make_alias(f, flags);
		if (f)
			return f;
		/* "sys.event.x" is no variable: its last word is the field, as in Linux. */
		if (strchr(text, '.') && strchr(strchr(text, '.') + 1, '.'))
			text = strchr(strchr(text, '.') + 1, '.') + 1;
	}
	if (*text >= '0' && *text <= '9')
		f = parse_constant(file->tr, text, flags);
	else
		f = hist_parse_field(h, file, text, flags);
	kfree(copy);
	return f;
}

static struct hist_field *parse_negation(struct hist_trigger_data *h, struct trace_event_file *file,
					 char *text, u32 flags, unsigned *n_subexprs)
{
	char *start = strchr(text, '('), *end;
	struct hist_field *f, *operand;

	end = start ? strrchr(start, ')') : NULL;
	if (!end)
		return ERR_PTR(-EINVAL);
	if (end[1]) {
		hist_err(file->tr, HIST_ERR_UNARY_MINUS_SUBEXPR, start + 1);
		return ERR_PTR(-EINVAL);
	}
	*end = '\0';
	++*n_subexprs;
	operand = parse_level(h, file, start + 1, 0, n_subexprs);
	if (IS_ERR(operand))
		return operand;
	if (hist_field_is_composite(operand)) {
		hist_err(file->tr, HIST_ERR_INVALID_STR_OPERAND, start + 1);
		hist_field_put(operand);
		return ERR_PTR(-EINVAL);
	}
	f = hist_field_alloc(flags | HIST_FIELD_EXPR |
			     (operand->flags & (HIST_FIELD_TIMESTAMP | HIST_FIELD_USECS)));
	if (!f) {
		hist_field_put(operand);
		return ERR_PTR(-ENOMEM);
	}
	f->fn = HIST_FN_NEGATE;
	f->operands[0] = operand;
	return f;
}

static int check_operands(struct trace_array *tr, struct hist_field *const *operands,
			  enum hist_fn fn, const char *text, const char *right)
{
	for (unsigned i = 0; i < 2; i++)
		if (hist_field_is_composite(operands[i])) {
			hist_err(tr, HIST_ERR_INVALID_STR_OPERAND, i ? right : text);
			return -EINVAL;
		}
	if ((operands[0]->flags & HIST_FIELD_USECS) != (operands[1]->flags & HIST_FIELD_USECS)) {
		hist_err(tr, HIST_ERR_TIMESTAMP_MISMATCH, NULL);
		return -EINVAL;
	}
	if (fn == HIST_FN_DIV && operands[1]->fn == HIST_FN_CONST && !operands[1]->constant) {
		hist_err(tr, HIST_ERR_DIVISION_BY_ZERO, right);
		return -EDOM;
	}
	return 0;
}

static struct hist_field *combine(struct hist_field *const *operands, enum hist_fn fn, u32 flags)
{
	struct hist_field *f;

	if (operands[0]->fn == HIST_FN_CONST && operands[1]->fn == HIST_FN_CONST) {
		f = make_constant(hist_calculate(fn, operands[0]->constant, operands[1]->constant),
				  flags);
		if (!IS_ERR(f)) {
			hist_field_put(operands[0]);
			hist_field_put(operands[1]);
		}
		return f;
	}
	f = hist_field_alloc(flags | HIST_FIELD_EXPR |
			     (operands[0]->flags & (HIST_FIELD_TIMESTAMP | HIST_FIELD_USECS)));
	if (!f)
		return ERR_PTR(-ENOMEM);
	f->fn = fn;
	for (unsigned i = 0; i < 2; i++) {
		f->operands[i] = operands[i];
		operands[i]->read_once = true;
	}
	return f;
}

/* Every variable that is subtracted from, added to, … is read once: eval.h. */
static struct hist_field *parse_level(struct hist_trigger_data *h, struct trace_event_file *file,
				      char *text, u32 flags, unsigned *n_subexprs)
{
	struct hist_field *operands[2], *f;
	enum hist_fn fn;
	char *at = find_operator(text, &fn), *right, operator;
	int error;

	if (*n_subexprs > HIST_SUBEXPR_MAX || (at && *n_subexprs == HIST_SUBEXPR_MAX)) {
		hist_err(file->tr, HIST_ERR_TOO_MANY_SUBEXPR, text);
		return ERR_PTR(-EINVAL);
	}
	if (!at)
		return parse_atom(h, file, text, flags);
	if (fn == HIST_FN_NEGATE)
		return parse_negation(h, file, text, flags, n_subexprs);
	right = at + 1;
	if (at == text || !*right)
		return ERR_PTR(-EINVAL);
	++*n_subexprs;
	operator= * at;
	*at = '\0';
	operands[0] = parse_level(h, file, text, 0, n_subexprs);
	if (IS_ERR(operands[0]))
		return operands[0];
	operands[1] = parse_level(h, file, right, 0, n_subexprs);
	if (IS_ERR(operands[1])) {
		hist_field_put(operands[0]);
		return operands[1];
	}
	error = check_operands(file->tr, operands, fn, text, right);
	*at = operator;
	f = error ? ERR_PTR(error) : combine(operands, fn, flags);
	if (IS_ERR(f)) {
		hist_field_put(operands[0]);
		hist_field_put(operands[1]);
	}
	return f;
}

struct hist_field *hist_parse_expr(struct hist_trigger_data *h, struct trace_event_file *file,
				   char *text, u32 flags)
{
	unsigned n_subexprs = 0;

	return parse_level(h, file, text, flags, &n_subexprs);
}
