/*
 * The kernel command line: calls the __setup() functions of its parameters, and finds values by
 * name.
 */
#include "kernel/boot/boot_info.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/printk/printk.h"

DEFINE_LINKER_TABLE(init, const struct obs_kernel_param, kernel_params);

/*
 * Copies the next word of a command line to word, at most size - 1 bytes. Blanks inside double
 * quotes belong to the word; the quotes are removed (Linux:
 * Documentation/admin-guide/kernel-parameters.rst). Returns the rest of the line; NULL: no more
 * words.
 */
static const char *next_word(const char *s, char *word, size_t size)
{
	size_t n = 0;
	bool quoted = false;

	while (*s == ' ' || *s == '\t')
		s++;
	if (!*s)
		return NULL;
	for (; *s && (quoted || (*s != ' ' && *s != '\t')); s++) {
		if (*s == '"')
			quoted = !quoted;
		else if (n + 1 < size)
			word[n++] = *s;
	}
	word[n] = '\0';
	return s;
}

/* Cuts word at its '=', and returns the value behind it. NULL: a bare name. */
static char *split_value(char *word)
{
	char *equals = strchr(word, '=');

	if (!equals)
		return NULL;
	*equals = '\0';
	return equals + 1;
}

char unknown_params[BOOT_CMDLINE_SIZE + 1];

/* Keeps a word that is for the first program. A name with a point is for a part of the kernel. */
static void __init keep_unknown(const char *name, const char *value)
{
	static size_t used __initdata;

	if (!strchr(name, '.'))
		used += (size_t)scnprintf(unknown_params + used, sizeof(unknown_params) - 1 - used,
					  value ? "%s=%s" : "%s", name, value) +
			1;
}

void __init parse_kernel_params(const char *cmdline)
{
	static char word[sizeof(boot_info.cmdline)] __initdata;

	while ((cmdline = next_word(cmdline, word, sizeof(word)))) {
		char *value = split_value(word);
		bool known = false;

		for_each_linker_table_entry (p, kernel_params) {
			if (strcmp(p->name, word))
				continue;
			known = true;
			if (p->fn(value))
				pr_warn("Malformed early option '%s'\n", word);
		}
		if (!known)
			keep_unknown(word, value);
	}
}

bool cmdline_find(const char *name, char *buf, size_t size)
{
	const char *s = boot_info.cmdline;
	size_t length = strlen(name);
	bool found = false;
	char word[256];

	while ((s = next_word(s, word, sizeof(word)))) {
		if (strncmp(word, name, length) || (word[length] != '=' && word[length]))
			continue;
		strscpy(buf, word[length] ? word + length + 1 : "", size);
		found = true;
	}
	return found;
}
