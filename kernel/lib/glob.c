/* Shell-style patterns: without recursion, in time proportional to pattern times text at worst. */
#include "kernel/lib/glob.h"
#include "kernel/lib/string.h"

/*
 * Match c against the class behind a [. Returns what follows the class in the pattern, NULL when
 * there is no ] and so no class.
 */
static const char *match_class(const char *p, u8 c, bool *matched)
{
	bool invert = *p == '!', found = false;

	p += invert;
	do {
		u8 low = (u8)*p++, high = low;

		if (!low)
			return NULL;
		if (p[0] == '-' && p[1] && p[1] != ']') {
			high = (u8)p[1];
			p += 2;
		}
		found |= low <= c && c <= high;
	} while (*p != ']');
	*matched = found != invert;
	return p + 1;
}

/* Match one character of the text against one element of the pattern; what follows it, or NULL. */
static const char *match_one(const char *p, u8 c)
{
	const char *next;
	bool matched;

	if (!c)
		return NULL;
	switch (*p) {
	case '\0':
		return NULL;
	case '?':
		return p + 1;
	case '[':
		next = match_class(p + 1, c, &matched);
		if (next)
			return matched ? next : NULL;
		break;
	case '\\':
		if (p[1])
			p++;
		break;
	}
	return (u8)*p == c ? p + 1 : NULL;
}

bool glob_match(const char *pattern, const char *s)
{
	/* The last * seen, and where its text ends now: where to go on after a miss. */
	const char *star = NULL, *star_end = NULL;

	for (;;) {
		const char *next;

		if (*pattern == '*') {
			star = ++pattern;
			star_end = s;
			continue;
		}
		if (!*pattern && !*s)
			return true;
		next = match_one(pattern, (u8)*s);
		if (next) {
			pattern = next;
			s++;
		} else {
			if (!star || !*star_end)
				return false;
			s = ++star_end;
			pattern = star;
		}
	}
}
