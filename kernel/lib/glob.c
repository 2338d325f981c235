/*
 * Shell patterns, without recursion. The worst time is proportional to pattern length times text
 * length.
 */
#include "kernel/lib/glob.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"

/*
 * Matches c against the class behind a [. Returns the rest of the pattern behind the class. NULL:
 * the pattern has no ], so this is no class.
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

/*
 * Matches one character of the text against one element of the pattern. Returns the rest of the
 * pattern; NULL: no match.
 */
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

bool glob_match_n(const char *pattern, const char *s, size_t length)
{
	const char *end = s + length;
	/*
	 * The last * of the pattern so far, and the end of the text that it matches now. After a
	 * mismatch the match continues from here, with a longer text.
	 */
	const char *star = NULL, *star_end = NULL;

	for (;;) {
		const char *next;

		if (*pattern == '*') {
			star = ++pattern;
			star_end = s;
			continue;
		}
		if (!*pattern && s == end)
			return true;
		next = match_one(pattern, s == end ? '\0' : (u8)*s);
		if (next) {
			pattern = next;
			s++;
		} else {
			if (!star || star_end == end)
				return false;
			s = ++star_end;
			pattern = star;
		}
	}
}

bool glob_match(const char *pattern, const char *s)
{
	return glob_match_n(pattern, s, strlen(s));
}
EXPORT_SYMBOL(glob_match);
