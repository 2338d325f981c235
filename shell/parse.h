/*
 * The shell's language: a line becomes lists of pipelines of commands. Pure: tested and fuzzed on
 *the host.
 *
 *	line     := and_or ((";" | "&") and_or)* [";" | "&"]
 *	and_or   := pipeline (("&&" | "||") pipeline)*
 *	pipeline := ["!"] command ("|" command)*
 *	command  := (word | redirection)+
 *	redirection := [digit] ("<" | ">" | ">>") word, [digit] (">&" | "<&") digit
 *
 * Words keep their quotes until they are expanded (sh_expand), as $? is only known when the
 *command's turn comes. '…', "…", \ and # work as in sh; $?, $$ and $! are the only parameters, any
 *other $NAME is empty.
 */
#pragma once

#include "kernel/compiler.h"

struct sh_word {
	struct sh_word *next;
	char *text; /* raw */
};

enum sh_redirect_type { SH_READ, SH_WRITE, SH_APPEND, SH_DUP };

struct sh_redirect {
	struct sh_redirect *next;
	enum sh_redirect_type type;
	int fd;
	int from;   /* SH_DUP */
	char *text; /* raw; the others */
};

struct sh_command {
	struct sh_command *next; /* in its pipeline */
	struct sh_word *words;
	unsigned nr_words;
	struct sh_redirect *redirects;
};

enum sh_condition { SH_ALWAYS, SH_AND, SH_OR };

struct sh_pipeline {
	struct sh_pipeline *next;    /* in its and-or list */
	enum sh_condition condition; /* on the status before it */
	bool negate;
	struct sh_command *commands;
};

struct sh_list {
	struct sh_list *next;
	bool background;
	struct sh_pipeline *pipelines;
	const char *source; /* the text of this list in the line */
	size_t source_len;
};

/* Memory of one parsed line, in blocks that are freed together. */
struct sh_arena {
	struct sh_block *blocks;
};

/* Zeroed; NULL when memory is short. */
void *sh_alloc(struct sh_arena *arena, size_t size);
void sh_free(struct sh_arena *arena);

#define SH_ERROR_MAX 80

/*
 * Parse a line (terminated, no newline within). 0 and the lists (NULL for an empty line), -EINVAL
 * and a text in error, or -ENOMEM. The caller frees the arena in any case; the lists refer to line.
 */
int sh_parse(struct sh_arena *arena, const char *line, struct sh_list **lists,
	     char error[SH_ERROR_MAX]);

struct sh_parameters {
	int status;   /* $? */
	int pid;      /* $$ */
	int last_job; /* $!; 0: none yet */
};

/*
 * A raw word without its quotes and with its parameters, in arena memory; NULL when memory is
 * short. *empty: it is not to become an argument at all (an unquoted parameter that is empty).
 */
char *sh_expand(struct sh_arena *arena, const char *raw, const struct sh_parameters *parameters,
		bool *empty);
