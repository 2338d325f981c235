/*
 * The shell's parser and the expansion of words: any line gives lists or an error, within its
 * memory. And the line discipline: any bytes leave it sound.
 *
 * sources: shell/parse.c kernel/console/n_tty.c
 *
 * sources: kernel/lib/vsprintf.c kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/console/n_tty.h"
#include "kernel/mm/slab.h"
#include "shell/parse.h"
#include "tests/host/fake_kallsyms.h"

void *__kmalloc(size_t size, gfp_t gfp)
{
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

static void expand_all(struct sh_arena *arena, const struct sh_command *c)
{
	static const struct sh_parameters parameters = { .status = 127, .pid = 1234567 };
	unsigned words = 0;
	bool empty;

	for (const struct sh_word *w = c->words; w; w = w->next, words++)
		if (!sh_expand(arena, w->text, &parameters, &empty))
			abort();
	if (words != c->nr_words)
		abort();
	for (const struct sh_redirect *r = c->redirects; r; r = r->next)
		if (r->fd < 0 || r->fd > 9 || !sh_expand(arena, r->text, &parameters, &empty))
			abort();
}

static void check_parser(const char *line)
{
	struct sh_arena arena = { 0 };
	char error[SH_ERROR_MAX];
	struct sh_list *lists;
	int result = sh_parse(&arena, line, &lists, error);

	if (!result != !error[0])
		abort();
	if (!result)
		for (const struct sh_list *l = lists; l; l = l->next) {
			if (l->source < line || l->source + l->source_len > line + strlen(line))
				abort();
			for (const struct sh_pipeline *p = l->pipelines; p; p = p->next)
				for (const struct sh_command *c = p->commands; c; c = c->next)
					expand_all(&arena, c);
		}
	sh_free(&arena);
}

static void check_n_tty(const uint8_t *data, size_t size)
{
	static struct n_tty_data tty;
	u8 buf[64];
	bool eof;

	n_tty_init(&tty);
	for (size_t i = 0; i < size; i++) {
		if (n_tty_receive_room(&tty, false))
			n_tty_receive_char(&tty, data[i]);
		else
			process_echoes(&tty, buf, sizeof(buf));
		if (i % 7 == 0)
			canon_copy_from_read_buf(&tty, buf, i % sizeof(buf), &eof);
		if (tty.read_head - tty.read_tail > N_TTY_BUF_SIZE ||
		    tty.canon_head - tty.read_tail > tty.read_head - tty.read_tail ||
		    tty.echo_head - tty.echo_tail > N_TTY_BUF_SIZE)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1);

	if (!line)
		return 0;
	memcpy(line, data, size);
	line[size] = '\0';
	check_parser(line);
	free(line);
	check_n_tty(data, size);
	return 0;
}
