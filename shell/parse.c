/* The shell's lexer, parser and word expansion: see parse.h. */
#include "shell/parse.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"

#define SH_BLOCK_SIZE 1024

struct sh_block {
	struct sh_block *next;
	size_t used, size;
	char data[] __aligned(16);
};

void *sh_alloc(struct sh_arena *arena, size_t size)
{
	struct sh_block *block = arena->blocks;
	void *p;

	size = ALIGN(size, 16);
	if (!block || block->size - block->used < size) {
		size_t room = max(size, SH_BLOCK_SIZE - sizeof(*block));

		block = kzalloc(sizeof(*block) + room, GFP_KERNEL);
		if (!block)
			return NULL;
		block->size = room;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	p = block->data + block->used;
	block->used += size;
	return p;
}

void sh_free(struct sh_arena *arena)
{
	while (arena->blocks) {
		struct sh_block *next = arena->blocks->next;

		kfree(arena->blocks);
		arena->blocks = next;
	}
}

enum sh_token {
	T_END,
	T_WORD,
	T_SEMICOLON,
	T_AMPERSAND,
	T_AND,
	T_OR,
	T_PIPE,
	T_READ,
	T_WRITE,
	T_APPEND,
	T_DUP,
	T_PAREN,
};

struct sh_parser {
	struct sh_arena *arena;
	const char *start, *end; /* of the current token */
	enum sh_token token;
	int fd; /* of a redirection that names one, else -1 */
	int error;
	char *message; /* [SH_ERROR_MAX] */
};

static void fail(struct sh_parser *p, int error, const char *message)
{
	if (p->error)
		return;
	p->error = error;
	snprintf(p->message, SH_ERROR_MAX, "%s", message);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool ends_word(char c)
{
	return !c || is_blank(c) || strchr(";&|<>()", c);
}

/* Behind the closing quote of a word's quoted part, or NULL. s is behind the opening quote. */
static const char *skip_quoted(const char *s, char quote)
{
	for (; *s && *s != quote; s++)
		if (quote == '"' && *s == '\\' && s[1])
			s++;
	return *s ? s + 1 : NULL;
}

static void lex_word(struct sh_parser *p, const char *s)
{
	p->token = T_WORD;
	while (!ends_word(*s)) {
		if (*s == '\'' || *s == '"') {
			s = skip_quoted(s + 1, *s);
			if (!s) {
				fail(p, -EINVAL, "syntax error: unterminated quoted string");
				p->token = T_END;
				return;
			}
		} else if (*s == '\\' && s[1]) {
			s += 2;
		} else {
			s++;
		}
	}
	p->end = s;
}

struct sh_operator {
	const char *text;
	enum sh_token token;
};

/* The longer one first, where one begins with another. */
static const struct sh_operator operators[] = {
	{ "&&", T_AND }, { "||", T_OR },       { ">>", T_APPEND },   { ">&", T_DUP },
	{ "<&", T_DUP }, { ";", T_SEMICOLON }, { "&", T_AMPERSAND }, { "|", T_PIPE },
	{ "<", T_READ }, { ">", T_WRITE },     { "(", T_PAREN },     { ")", T_PAREN },
};

static bool lex_operator(struct sh_parser *p, const char *s)
{
	for (unsigned i = 0; i < ARRAY_SIZE(operators); i++) {
		size_t n = strlen(operators[i].text);

		if (strncmp(s, operators[i].text, n))
			continue;
		p->token = operators[i].token;
		p->end = s + n;
		return true;
	}
	return false;
}

/* Move on to the token at or behind p->end. */
static void next_token(struct sh_parser *p)
{
	const char *s = p->end;

	while (is_blank(*s))
		s++;
	p->start = s;
	p->end = s;
	p->fd = -1;
	if (!*s || *s == '#') {
		p->token = T_END;
		return;
	}
	if (*s >= '0' && *s <= '9' && (s[1] == '<' || s[1] == '>')) {
		p->fd = *s - '0';
		s++;
	}
	if (!lex_operator(p, s))
		lex_word(p, s);
}

static void unexpected(struct sh_parser *p)
{
	char message[SH_ERROR_MAX];

	if (p->token == T_END)
		snprintf(message, sizeof(message), "syntax error: unexpected end of line");
	else
		snprintf(message, sizeof(message), "syntax error: unexpected \"%.*s\"",
			 (int)min(p->end - p->start, (ptrdiff_t)32), p->start);
	fail(p, -EINVAL, message);
}

static void *parser_alloc(struct sh_parser *p, size_t size)
{
	void *memory = sh_alloc(p->arena, size);

	if (!memory)
		fail(p, -ENOMEM, "out of memory");
	return memory;
}

static char *token_text(struct sh_parser *p)
{
	size_t n = (size_t)(p->end - p->start);
	char *text = parser_alloc(p, n + 1);

	if (text)
		memcpy(text, p->start, n);
	return text;
}

static void parse_redirect(struct sh_parser *p, struct sh_redirect ***tail)
{
	static const enum sh_redirect_type types[] = {
		[T_READ] = SH_READ,
		[T_WRITE] = SH_WRITE,
		[T_APPEND] = SH_APPEND,
		[T_DUP] = SH_DUP,
	};
	struct sh_redirect *r = parser_alloc(p, sizeof(*r));
	bool reads = p->start[p->fd >= 0] == '<';

	if (!r)
		return;
	r->type = types[p->token];
	r->fd = p->fd >= 0 ? p->fd : !reads;
	next_token(p);
	if (p->token != T_WORD) {
		unexpected(p);
		return;
	}
	r->text = token_text(p);
	if (r->type == SH_DUP) {
		if (p->end - p->start != 1 || *p->start < '0' || *p->start > '9')
			unexpected(p);
		r->from = *p->start - '0';
	}
	next_token(p);
	**tail = r;
	*tail = &r->next;
}

static bool is_redirect(enum sh_token token)
{
	return token == T_READ || token == T_WRITE || token == T_APPEND || token == T_DUP;
}

static struct sh_command *parse_command(struct sh_parser *p)
{
	struct sh_command *command = parser_alloc(p, sizeof(*command));
	struct sh_redirect **redirects;
	struct sh_word **words;

	if (!command)
		return NULL;
	words = &command->words;
	redirects = &command->redirects;
	if (p->token != T_WORD && !is_redirect(p->token))
		unexpected(p);
	while (!p->error && (p->token == T_WORD || is_redirect(p->token))) {
		struct sh_word *word;

		if (p->token != T_WORD) {
			parse_redirect(p, &redirects);
			continue;
		}
		word = parser_alloc(p, sizeof(*word));
		if (!word)
			break;
		word->text = token_text(p);
		*words = word;
		words = &word->next;
		command->nr_words++;
		next_token(p);
	}
	return command;
}

static struct sh_pipeline *parse_pipeline(struct sh_parser *p, enum sh_condition condition)
{
	struct sh_pipeline *pipeline = parser_alloc(p, sizeof(*pipeline));
	struct sh_command **tail;

	if (!pipeline)
		return NULL;
	pipeline->condition = condition;
	tail = &pipeline->commands;
	while (!p->error && p->token == T_WORD && p->end - p->start == 1 && *p->start == '!') {
		pipeline->negate = !pipeline->negate;
		next_token(p);
	}
	while (!p->error) {
		*tail = parse_command(p);
		if (p->error || p->token != T_PIPE)
			break;
		tail = &(*tail)->next;
		next_token(p);
	}
	return pipeline;
}

static struct sh_list *parse_and_or(struct sh_parser *p)
{
	struct sh_list *list = parser_alloc(p, sizeof(*list));
	enum sh_condition condition = SH_ALWAYS;
	struct sh_pipeline **tail;

	if (!list)
		return NULL;
	list->source = p->start;
	tail = &list->pipelines;
	while (!p->error) {
		*tail = parse_pipeline(p, condition);
		if (p->error || (p->token != T_AND && p->token != T_OR))
			break;
		tail = &(*tail)->next;
		condition = p->token == T_AND ? SH_AND : SH_OR;
		next_token(p);
	}
	list->source_len = (size_t)(p->start - list->source);
	list->background = p->token == T_AMPERSAND;
	return list;
}

int sh_parse(struct sh_arena *arena, const char *line, struct sh_list **lists,
	     char error[SH_ERROR_MAX])
{
	struct sh_parser parser = { .arena = arena, .end = line, .message = error };
	struct sh_parser *p = &parser;

	*lists = NULL;
	error[0] = '\0';
	next_token(p);
	while (!p->error && p->token != T_END) {
		*lists = parse_and_or(p);
		if (p->error)
			break;
		lists = &(*lists)->next;
		if (p->token == T_SEMICOLON || p->token == T_AMPERSAND)
			next_token(p);
		else if (p->token != T_END)
			unexpected(p);
	}
	return p->error;
}

/* ---- expansion ---- */

/* Where the result goes: counted only while out is NULL. */
struct sh_sink {
	char *out;
	size_t len;
};

static void put(struct sh_sink *sink, const char *s, size_t n)
{
	if (sink->out)
		memcpy(sink->out + sink->len, s, n);
	sink->len += n;
}

static bool is_name(char c, bool first)
{
	return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       (!first && c >= '0' && c <= '9');
}

/* A parameter; s is at its dollar. Returns what follows. */
static const char *expand_parameter(struct sh_sink *sink, const char *s,
				    const struct sh_parameters *parameters)
{
	char text[16] = "";

	switch (s[1]) {
	case '?':
		snprintf(text, sizeof(text), "%d", parameters->status);
		break;
	case '$':
		snprintf(text, sizeof(text), "%d", parameters->pid);
		break;
	case '!':
		if (parameters->last_job)
			snprintf(text, sizeof(text), "%d", parameters->last_job);
		break;
	default:
		if (!is_name(s[1], true)) {
			put(sink, s, 1);
			return s + 1;
		}
		for (s++; is_name(*s, false); s++)
			;
		return s;
	}
	put(sink, text, strlen(text));
	return s + 2;
}

static const char *expand_double_quoted(struct sh_sink *sink, const char *s,
					const struct sh_parameters *parameters)
{
	while (*s && *s != '"') {
		if (*s == '$') {
			s = expand_parameter(sink, s, parameters);
			continue;
		}
		if (*s == '\\' && s[1] && strchr("$`\"\\", s[1]))
			s++;
		put(sink, s++, 1);
	}
	return *s ? s + 1 : s;
}

static void expand(struct sh_sink *sink, const char *s, const struct sh_parameters *parameters,
		   bool *quoted)
{
	while (*s) {
		if (*s == '\'') {
			const char *end;

			s++;
			end = s + strcspn(s, "'");
			put(sink, s, (size_t)(end - s));
			s = *end ? end + 1 : end;
			*quoted = true;
		} else if (*s == '"') {
			s = expand_double_quoted(sink, s + 1, parameters);
			*quoted = true;
		} else if (*s == '$') {
			s = expand_parameter(sink, s, parameters);
		} else {
			if (*s == '\\' && s[1]) {
				s++;
				*quoted = true;
			}
			put(sink, s++, 1);
		}
	}
}

char *sh_expand(struct sh_arena *arena, const char *raw, const struct sh_parameters *parameters,
		bool *empty)
{
	struct sh_sink sink = { 0 };
	bool quoted = false;

	expand(&sink, raw, parameters, &quoted);
	*empty = !sink.len && !quoted;
	sink.out = sh_alloc(arena, sink.len + 1);
	if (!sink.out)
		return NULL;
	sink.len = 0;
	expand(&sink, raw, parameters, &quoted);
	return sink.out;
}
