/*
 * The parser of the shell: any line gives pipelines or an error, and stays inside its memory. The line
 * discipline: any bytes leave it in a valid state.
 *
 * sources: shell/parse.c kernel/console/n_tty.c
 *
 * sources: kernel/lib/vsprintf*.c kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/console/n_tty.h"
#include "kernel/errno.h"
#include "shell/parse.h"
#include "tests/host/fake_kallsyms.h"
#include "tests/host/host_kmalloc.h"

static void check_parser(const char *line)
{
	const char *end = line + strlen(line), *at = line;
	struct sh_pipeline *pipeline;
	size_t expanded = 0;

	while (!IS_ERR_OR_NULL(pipeline = sh_parse(&at, 127, 1234567890))) {
		for (unsigned n = 0; n < pipeline->count; n++) {
			const struct sh_command *c = &pipeline->commands[n];

			if (!c->argv[0] && !c->redirections[0])
				abort();
			for (char **word = c->argv; *word; word++)
				expanded += strlen(*word);
			for (char **file = c->redirections; *file; file++)
				expanded += strlen(*file);
		}
		kfree(pipeline);
	}
	if (at < line || at > end || (!pipeline && *at && *at != '#') || host_objects ||
	    expanded > 5 * (size_t)(end - line))
		abort();
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
