/* Parses the options of commands. */
#include "kernel/lib/getopt.h"
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"

static bool number(const char *text, long *value)
{
	return text && isdigit((u8)*text) && !kstrtol(text, 10, value);
}

/*
 * Parses one word of option letters. If its last option needs a number, takes it from the word
 * *next.
 */
static bool parse_word(struct options *options, const char *accepted, const char *letter,
		       char ***next)
{
	for (; *letter; letter++) {
		const char *known = strchr(accepted, *letter);
		long *value;

		if (!known || strchr("#:?", *letter))
			return false;
		value = &options->values[*known - '#'];
		*value = 1;
		if (known[1] == ':')
			return number(letter[1] ? letter + 1 : **next ? *(*next)++ : NULL, value);
	}
	return true;
}

int options_parse(struct options *options, const char *accepted, char ***argv)
{
	bool others_are_text = accepted && *accepted == '?';
	int operands = 0;

	memset(options, 0xff, sizeof(*options));
	while (accepted && **argv && ***argv == '-' && (**argv)[1]) {
		const char *word = **argv + 1;

		if (others_are_text && word[strspn(word, accepted + 1)])
			break;
		++*argv;
		if (!strcmp(word, "-"))
			break;
		if (strchr(accepted, '#') && number(word, &options->values[0]))
			continue;
		if (!parse_word(options, accepted, word, argv))
			return -EINVAL;
	}
	while ((*argv)[operands])
		operands++;
	return operands;
}

long option_value(const struct options *options, char letter, long otherwise)
{
	long value = options->values[letter - '#'];

	return value < 0 ? otherwise : value;
}
