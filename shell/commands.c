/* The table of commands: finding one, running one, help. */
#include "fs/syscalls.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "shell/command.h"

static const struct sh_command_def *const tables[] = {
	file_commands, text_commands,  process_commands, system_commands,
	load_commands, debug_commands, trace_commands,   shell_commands,
};

void for_each_command(void (*fn)(struct sh_io *io, const struct sh_command_def *def),
		      struct sh_io *io)
{
	for (unsigned i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct sh_command_def *def = tables[i]; def->name; def++)
			fn(io, def);
}

const struct sh_command_def *find_command(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct sh_command_def *def = tables[i]; def->name; def++)
			if (!strcmp(def->name, name))
				return def;
	return NULL;
}

/* What the end of the output says about the status. A reader that has gone is no news (SIGPIPE). */
static int finish_output(struct sh_io *io, int status)
{
	int error = out_flush(io);

	if (!error || error == -EPIPE || error == -EINTR)
		return error == -EPIPE ? 128 + SIGPIPE : status;
	err_printf("sh: write error: %s\n", errno_text(-error));
	return 1;
}

int run_command(int argc, char **argv)
{
	const struct sh_command_def *def = find_command(argv[0]);
	struct sh_io io = { .name = argv[0] };
	int status;

	if (!def) {
		err_printf("sh: %s: not found\n", argv[0]);
		return 127;
	}
	io.buf = kmalloc(SH_IO_SIZE, GFP_KERNEL);
	if (!io.buf) {
		err_printf("sh: out of memory\n");
		return 1;
	}
	set_task_comm(current, argv[0]);
	status = finish_output(&io, def->main(&io, argc, argv));
	kfree(io.buf);
	return status;
}
