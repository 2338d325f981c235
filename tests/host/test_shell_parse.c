/*
 * The shell's language: words, operators, expansion, syntax errors.
 * sources: shell/parse.c
 * sources: kernel/lib/vsprintf.c kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include "test.h"

#include "fake_kallsyms.h"
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "shell/parse.h"

static long allocations_left = -1; /* -1: as many as wanted */

void *__kmalloc(size_t size, gfp_t gfp)
{
	if (allocations_left == 0)
		return NULL;
	if (allocations_left > 0)
		allocations_left--;
	return gfp & __GFP_ZERO ? calloc(1, size) : malloc(size);
}

void *kmalloc_trace(unsigned class, gfp_t gfp, size_t size)
{
	(void)class;
	return __kmalloc(size, gfp);
}

void kfree(const void *object)
{
	free((void *)object);
}

/* A parsed line as text: words in [], operators by name; or the error. Caller frees. */
static void describe_command(FILE *out, struct sh_arena *arena, const struct sh_command *c)
{
	static const struct sh_parameters parameters = { .status = 3, .pid = 42, .last_job = 7 };
	static const char *const types[] = { "<", ">", ">>", ">&" };
	bool empty;

	for (const struct sh_word *w = c->words; w; w = w->next) {
		char *text = sh_expand(arena, w->text, &parameters, &empty);

		if (!empty)
			fprintf(out, "[%s]", text);
	}
	for (const struct sh_redirect *r = c->redirects; r; r = r->next) {
		fprintf(out, " %d%s", r->fd, types[r->type]);
		if (r->type == SH_DUP)
			fprintf(out, "%d", r->from);
		else
			fprintf(out, "%s", sh_expand(arena, r->text, &parameters, &empty));
	}
}

static char *describe(const char *line)
{
	static const char *const conditions[] = { "", " && ", " || " };
	struct sh_arena arena = { 0 };
	char error[SH_ERROR_MAX], *text;
	struct sh_list *lists;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (sh_parse(&arena, line, &lists, error)) {
		fprintf(out, "%s", error);
		lists = NULL;
	}
	for (const struct sh_list *l = lists; l; l = l->next) {
		for (const struct sh_pipeline *p = l->pipelines; p; p = p->next) {
			fprintf(out, "%s%s", conditions[p->condition], p->negate ? "! " : "");
			for (const struct sh_command *c = p->commands; c; c = c->next) {
				describe_command(out, &arena, c);
				if (c->next)
					fprintf(out, " | ");
			}
		}
		fprintf(out, "%s", l->background ? " & " : l->next ? "; " : "");
	}
	fclose(out);
	sh_free(&arena);
	return text;
}

struct expected {
	const char *line, *description;
};

static void check(const struct expected *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *text = describe(cases[i].line);

		assert_string_equal(text, cases[i].description);
		free(text);
	}
}

static void test_words_are_split_at_blanks_and_quotes_hold_them_together(void **state)
{
	static const struct expected cases[] = {
		{ "", "" },
		{ " \t ", "" },
		{ "# comment", "" },
		{ "echo a  b", "[echo][a][b]" },
		{ "echo 'a  b'\"c d\"e\\ f", "[echo][a  bc de f]" },
		{ "echo '' \"\"", "[echo][][]" },
		{ "echo a#b #c", "[echo][a#b]" },
		{ "echo \\# \\\\", "[echo][#][\\]" },
		{ "echo \"a\\\"b\\$c\\d\"", "[echo][a\"b$c\\d]" },
		{ "echo 'a\\b\"c'", "[echo][a\\b\"c]" },
		{ "echo ab\\", "[echo][ab\\]" },
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases));
}

static void test_parameters_expand_outside_single_quotes(void **state)
{
	static const struct expected cases[] = {
		{ "echo $? $$ $!", "[echo][3][42][7]" },
		{ "echo a$?b\"<$$>\"", "[echo][a3b<42>]" },
		{ "echo '$?' \\$?", "[echo][$?][$?]" },
		{ "echo $", "[echo][$]" },
		{ "echo $- $.", "[echo][$-][$.]" },
		{ "echo $HOME x\"$HOME\" $HOME-y", "[echo][x][-y]" },
		{ "echo \"$NOTHING\"", "[echo][]" },
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases));
}

static void test_operators_need_no_blanks_and_bind_as_in_sh(void **state)
{
	static const struct expected cases[] = {
		{ "a;b ; c;", "[a]; [b]; [c]" },
		{ "a|b | c", "[a] | [b] | [c]" },
		{ "a&b &", "[a] & [b] & " },
		{ "a&&b||c;d", "[a] && [b] || [c]; [d]" },
		{ "! a | b", "! [a] | [b]" },
		{ "!a", "[!a]" },
		{ "a>f<g>>h", "[a] 1>f 0<g 1>>h" },
		{ ">f a >'g h' b", "[a][b] 1>f 1>g h" },
		{ "a 2>f 2>&1 >&2", "[a] 2>f 2>&1 1>&2" },
		{ "a 2 >f 12>g", "[a][2][12] 1>f 1>g" },
		{ "> f", " 1>f" },
		{ "a ';' '|' \"&\" \\>", "[a][;][|][&][>]" },
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases));
}

static void test_nonsense_is_refused_by_name(void **state)
{
	static const struct expected cases[] = {
		{ "echo 'a", "syntax error: unterminated quoted string" },
		{ "echo \"a\\\"", "syntax error: unterminated quoted string" },
		{ ";", "syntax error: unexpected \";\"" },
		{ "a ;; b", "syntax error: unexpected \";\"" },
		{ "| a", "syntax error: unexpected \"|\"" },
		{ "a |", "syntax error: unexpected end of line" },
		{ "a || | b", "syntax error: unexpected \"|\"" },
		{ "a &&", "syntax error: unexpected end of line" },
		{ "& a", "syntax error: unexpected \"&\"" },
		{ "a >", "syntax error: unexpected end of line" },
		{ "a > > b", "syntax error: unexpected \">\"" },
		{ "a >&x", "syntax error: unexpected \"x\"" },
		{ "(a)", "syntax error: unexpected \"(\"" },
		{ "a b(c)", "syntax error: unexpected \"(\"" },
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases));
}

static void test_a_background_list_keeps_its_own_text(void **state)
{
	struct sh_arena arena = { 0 };
	char error[SH_ERROR_MAX];
	struct sh_list *lists;

	(void)state;
	assert_int_equal(sh_parse(&arena, "a; b 'x y' && c & d", &lists, error), 0);
	lists = lists->next;
	assert_true(lists->background);
	assert_int_equal(lists->source_len, strlen("b 'x y' && c "));
	assert_memory_equal(lists->source, "b 'x y' && c ", lists->source_len);
	sh_free(&arena);
}

static void test_every_failed_allocation_is_an_error_and_leaks_nothing(void **state)
{
	struct sh_arena arena = { 0 };
	char error[SH_ERROR_MAX], line[2000] = "";
	struct sh_list *lists;
	int result;

	(void)state;
	for (int i = 0; i < 300; i++)
		strcat(line, i % 7 == 3 ? "| >f x" : "word ");
	for (long n = 0;; n++) {
		allocations_left = n;
		result = sh_parse(&arena, line, &lists, error);
		allocations_left = -1;
		sh_free(&arena);
		if (!result)
			break;
		assert_int_equal(result, -ENOMEM);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_are_split_at_blanks_and_quotes_hold_them_together),
		cmocka_unit_test(test_parameters_expand_outside_single_quotes),
		cmocka_unit_test(test_operators_need_no_blanks_and_bind_as_in_sh),
		cmocka_unit_test(test_nonsense_is_refused_by_name),
		cmocka_unit_test(test_a_background_list_keeps_its_own_text),
		cmocka_unit_test(test_every_failed_allocation_is_an_error_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
