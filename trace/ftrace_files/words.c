/* The parser for filter files: trace/ftrace_files/words.h. */
#include "trace/ftrace_files/words.h"

#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"

int ftrace_last_word(struct ftrace_word_parser *parser)
{
	if (!parser->length)
		return 0;
	parser->word[parser->length] = '\0';
	parser->length = 0;
	return 1;
}

int ftrace_next_word(struct ftrace_word_parser *parser, const char **buf, size_t *count)
{
	while (*count) {
		char c = **buf;

		++*buf;
		--*count;
		if (isspace(c) || !c) {
			if (ftrace_last_word(parser))
				return 1;
		} else if (parser->length >= FTRACE_WORD_MAX) {
			parser->length = 0;
			return -EINVAL;
		} else {
			parser->word[parser->length++] = c;
		}
	}
	return 0;
}

int ftrace_parse_word(const char *word, struct ftrace_match *match)
{
	*match = (struct ftrace_match){ .remove = *word == '!' };
	match->pattern = word + match->remove;
	match->is_plain = !strpbrk(match->pattern, "*?[\\");
	if (!isdigit(*match->pattern))
		return 0;
	match->number = simple_strtoul(match->pattern, NULL, 0);
	return match->number ? 0 : -EINVAL;
}
