/*
 * The text of a "hist" command: "keys=a,b:vals=c:sort=d:x=e:onmax($x).save(f) if FILTER", cut into
 * words. No event is needed: create.c gives the words their meaning.
 */
#include "kernel/errno.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/hist/hist.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * Cuts " if FILTER" off the text. Returns the filter; NULL: there is none; ERR_PTR(-EINVAL): "if"
 * stands at the start or at the end.
 */
static char *cut_filter(char *text)
{
	size_t length = strlen(text);

	for (char *at = strstr(text, "if"); at; at = strstr(at + 1, "if")) {
		if (at == text)
			return ERR_PTR(-EINVAL);
		if (!is_blank(at[-1]))
			continue;
		if (at + 2 >= text + length - 1)
			return ERR_PTR(-EINVAL);
		if (!is_blank(at[2]))
			continue;
		at[-1] = '\0';
		at = strim(at + 2);
		if (!*at)
			return ERR_PTR(-EINVAL);
		memcpy(at - 3, "if ", 3); /* with one blank: the clause that a trigger takes */
		return at;
	}
	return NULL;
}

static int parse_size(struct hist_attrs *attrs, const char *text)
{
	unsigned bits = TRACING_MAP_BITS_MIN - 1;
	unsigned long size;

	if (kstrtoul(text, 0, &size) || size > 1UL << TRACING_MAP_BITS_MAX)
		return -EINVAL;
	while (1UL << bits < size)
		bits++;
	if (bits < TRACING_MAP_BITS_MIN)
		return -EINVAL;
	attrs->map_bits = bits;
	return 0;
}

static int parse_assignment(struct trace_array *tr, struct hist_attrs *attrs, char *word)
{
	char *value = strchr(word, '=') + 1;

	if (strstarts(word, "key=") || strstarts(word, "keys=")) {
		attrs->keys = value;
	} else if (strstarts(word, "val=") || strstarts(word, "vals=") ||
		   strstarts(word, "values=")) {
		attrs->vals = value;
	} else if (strstarts(word, "sort=")) {
		attrs->sort = value;
	} else if (strstarts(word, "name=")) {
		attrs->name = value;
	} else if (strstarts(word, "clock=")) {
		attrs->clock = strim(value);
	} else if (strstarts(word, "size=")) {
		return parse_size(attrs, value);
	} else {
		if (attrs->n_assignments == HIST_VARS_MAX) {
			hist_err(tr, HIST_ERR_TOO_MANY_VARS, word);
			return -EINVAL;
		}
		attrs->assignments[attrs->n_assignments++] = word;
	}
	return 0;
}

static int parse_word(struct trace_array *tr, struct hist_attrs *attrs, char *word)
{
	const char *value = strchr(word, '=');

	if (value) {
		if (!value[1]) {
			hist_err(tr, HIST_ERR_EMPTY_ASSIGNMENT, word);
			return -EINVAL;
		}
		return parse_assignment(tr, attrs, word);
	}
	if (strcmp(word, "pause") == 0) {
		attrs->pause = true;
	} else if (strcmp(word, "cont") == 0 || strcmp(word, "continue") == 0) {
		attrs->cont = true;
	} else if (strcmp(word, "clear") == 0) {
		attrs->clear = true;
	} else if (strcmp(word, "nohitcount") == 0 || strcmp(word, "NOHC") == 0) {
		attrs->no_hitcount = true;
	} else if (strstarts(word, "onmatch(") || strstarts(word, "onmax(") ||
		   strstarts(word, "onchange(")) {
		if (attrs->n_actions == HIST_ACTIONS_MAX)
			return -EINVAL;
		attrs->actions[attrs->n_actions++] = word;
	} else {
		return -EINVAL;
	}
	return 0;
}

struct hist_attrs *hist_parse(struct trace_array *tr, const char *command)
{
	struct hist_attrs *attrs = kzalloc(sizeof(*attrs), GFP_KERNEL);
	int error = 0;
	char *rest;

	if (!attrs)
		return ERR_PTR(-ENOMEM);
	attrs->text = kstrdup(command, GFP_KERNEL);
	if (!attrs->text) {
		hist_attrs_free(attrs);
		return ERR_PTR(-ENOMEM);
	}
	attrs->filter = cut_filter(attrs->text);
	if (IS_ERR(attrs->filter))
		error = PTR_ERR(attrs->filter);
	rest = strim(attrs->text);
	while (!error && rest)
		error = parse_word(tr, attrs, strsep(&rest, ":"));
	if (!error && !attrs->keys)
		error = -EINVAL;
	if (error) {
		hist_attrs_free(attrs);
		return ERR_PTR(error);
	}
	return attrs;
}

void hist_attrs_free(struct hist_attrs *attrs)
{
	kfree(attrs->text);
	kfree(attrs);
}
