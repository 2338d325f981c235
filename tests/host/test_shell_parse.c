/*
 * The shell's language: words, operators, expansion, syntax errors.
 * sources: shell/parse.c
 * sources: kernel/lib/vsprintf*.c kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include "test.h"

#include "fake_kallsyms.h"
#include "host_kmalloc.h"
#include "kernel/errno.h"
#include "shell/parse.h"

static void describe_command(FILE *out, const struct sh_command *c, bool last)
{
	for (char **word = c->argv; *word; word++)
		fprintf(out, "[%s]", *word);
	for (char **file = c->redirections; *file; file++)
		fprintf(out, " %.*s%s", **file == 'a' ? 2 : 1, **file == '<' ? "<" : ">>", *file + 1);
	if (!last)
		fprintf(out, " | ");
}

/* A parsed line as text: words in [], or the place of the error. The caller frees it. */
static char *describe(const char *line)
{
	struct sh_pipeline *pipeline;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (!IS_ERR_OR_NULL(pipeline = sh_parse(&line, 3, 1234567890))) {
		for (unsigned i = 0; i < pipeline->count; i++)
			describe_command(out, &pipeline->commands[i], i + 1 == pipeline->count);
		fprintf(out, pipeline->background ? " & " : "; ");
		kfree(pipeline);
	}
	if (IS_ERR(pipeline))
		fprintf(out, "error at <%s>", line);
	else
		assert_true(*line == '\0' || *line == '#');
	fclose(out);
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
		{ "echo a  b", "[echo][a][b]; " },
		{ "echo 'a  b'\"c d\"e\\ f", "[echo][a  bc de f]; " },
		{ "echo '' \"\"", "[echo][][]; " },
		{ "echo a#b #c", "[echo][a#b]; " },
		{ "echo \\# \\\\", "[echo][#][\\]; " },
		{ "echo \"a\\\"b\\$c\\d\"", "[echo][a\"b$c\\d]; " },
		{ "echo 'a\\b\"c'", "[echo][a\\b\"c]; " },
		{ "echo ab\\", "[echo][ab\\]; " },
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases));
}

static void test_parameters_expand_outside_single_quotes(void **state)
{
	static const struct expected cases[] = {
		{ "echo $? $$", "[echo][3][1234567890]; " },
		{ "$$$$$$", "[123456789012345678901234567890]; " },
		{ "echo a$?b\"<$$>\"", "[echo][a3b<1234567890>]; " },
		{ "echo '$?' \\$?", "[echo][$?][$?]; " },
		{ "echo $ $- $HOME", "[echo][$][$-][$HOME]; " },
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases));
}

static void test_operators_need_no_blanks(void **state)
{
	static const struct expected cases[] = {
		{ "a;b ; c;", "[a]; [b]; [c]; " },
		{ "a|b | c", "[a] | [b] | [c]; " },
		{ "a&b &", "[a] & [b] & " },
		{ "a|b&c", "[a] | [b] & [c]; " },
		{ "a>f<g", "[a] >f <g; " },
		{ "a>>f<g", "[a] >>f <g; " },
		{ "a >f b >g <h", "[a][b] >f >g <h; " },
		{ "<f | >g", " <f |  >g; " },
		{ ">f a >> 'g h' b", "[a][b] >f >>g h; " },
		{ "> f", " >f; " },
		{ "a ';' '|' \"&\" \\>", "[a][;][|][&][>]; " },
		{ "a ; # b", "[a]; " },
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases));
}

static void test_nonsense_is_refused_where_it_stands(void **state)
{
	static const struct expected cases[] = {
		{ "echo 'a", "error at <'a>" },
		{ "echo \"a\\\"", "error at <\"a\\\">" },
		{ "a > 'b", "error at <> 'b>" },
		{ ";", "error at <;>" },
		{ "a ;; b", "[a]; error at <; b>" },
		{ "| a", "error at <| a>" },
		{ "a |", "error at <>" },
		{ "a || b", "error at <| b>" },
		{ "a && b", "[a] & error at <& b>" },
		{ "& a", "error at <& a>" },
		{ "a >", "error at <>>" },
		{ ">", "error at <>>" },
		{ "a > # b", "error at <> # b>" },
		{ "a > > b", "error at <> > b>" },
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases));
}

static void test_the_longest_expansions_and_most_words_fit(void **state)
{
	char line[4096];

	(void)state;
	for (int shape = 0; shape < 3; shape++) {
		static const char *const pieces[] = { "$$", "a ", "$$ " };
		char *text;

		line[0] = '\0';
		while (strlen(line) + 4 < sizeof(line))
			strcat(line, pieces[shape]);
		text = describe(line);
		assert_null(strstr(text, "error"));
		free(text);
	}
}

static void test_a_pipeline_may_be_long(void **state)
{
	char text[2000] = "a", *expected = malloc(6 * sizeof(text)), *to = expected, *found;

	(void)state;
	to += sprintf(to, "[a]");
	while (strlen(text) + 3 < sizeof(text)) {
		strcat(text, "|b");
		to += sprintf(to, " | [b]");
	}
	sprintf(to, "; ");
	found = describe(text);
	assert_string_equal(found, expected);
	free(found);
	free(expected);
	assert_int_equal(host_objects, 0);
}

static void test_a_failed_allocation_is_an_error(void **state)
{
	const char *line = "a | b >f x";

	(void)state;
	host_allocations_left = 0;
	assert_int_equal(PTR_ERR(sh_parse(&line, 0, 1)), -ENOMEM);
	host_allocations_left = -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_are_split_at_blanks_and_quotes_hold_them_together),
		cmocka_unit_test(test_parameters_expand_outside_single_quotes),
		cmocka_unit_test(test_operators_need_no_blanks),
		cmocka_unit_test(test_nonsense_is_refused_where_it_stands),
		cmocka_unit_test(test_the_longest_expansions_and_most_words_fit),
		cmocka_unit_test(test_a_pipeline_may_be_long),
		cmocka_unit_test(test_a_failed_allocation_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
