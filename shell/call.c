/* What commands share: how they are found and called, their options, output and messages. */
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "shell/shell.h"

#define MESSAGE_MAX 512

extern const struct command __shell_commands_start[], __shell_commands_end[];

void out_write(struct call *call, const void *data, size_t n)
{
	if (!call->error)
		call->error = write_all(1, data, n);
}

void out_printf(struct call *call, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!call->error)
		call->error = vfd_printf(1, fmt, args);
	va_end(args);
}

void err_printf(const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	va_list args;
	size_t n;

	va_start(args, fmt);
	n = (size_t)vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* Noise that was typed as a command must not reach the terminal as control characters. */
	for (size_t i = 0; i < n; i++)
		if (((u8)text[i] < ' ' && text[i] != '\n') || text[i] == 0x7f)
			text[i] = '?';
	text[n - 1] = '\n';          /* it may have been cut */
	(void)sys_write(2, text, n); /* there is nobody left to tell */
}

bool stopped(const struct call *call)
{
	return call->error || signal_pending(current);
}

int failed(const struct call *call, const char *what, long error)
{
	if (error != -EINTR)
		err_printf("%s: %s: %s\n", call->command->name, what, errno_text((int)-error));
	return 1;
}

int usage(const struct call *call)
{
	err_printf("Usage: %s %s\n", call->command->name, call->command->usage);
	return 2;
}

/* Take the options off the operands. False: one is unknown, or lacks its number. */
static bool parse_options(struct call *call)
{
	const char *accepted = call->command->options;

	memset(call->options, 0xff, sizeof(call->options));
	while (accepted && call->argc && call->argv[0][0] == '-' && call->argv[0][1]) {
		const char *letter = *call->argv++ + 1;

		call->argc--;
		for (; *letter; letter++) {
			const char *known = strchr(accepted, *letter);
			long *value;

			if (!known || *known == ':')
				return false;
			value = &call->options[*known - 'A'];
			*value = 1;
			if (known[1] != ':')
				continue;
			/* The number is the rest of the word, or the next word. */
			if (!*++letter) {
				letter = *call->argv++;
				if (call->argc-- == 0)
					return false;
			}
			if (kstrtol(letter, 10, value) || *value < 0)
				return false;
			break;
		}
	}
	return call->argc >= call->command->operands;
}

long option(const struct call *call, char letter, long otherwise)
{
	long value = call->options[letter - 'A'];

	return value < 0 ? otherwise : value;
}

int each_input(struct call *call, int first, void (*input)(struct call *call, struct stream *in))
{
	int status = 0;

	do {
		struct stream in;

		stream_open(&in, call->argv[first], 0);
		if (!in.end)
			input(call, &in);
		if (in.end < 0)
			status = failed(call, in.name, in.end);
		stream_close(&in);
	} while (++first < call->argc && !stopped(call));
	return status;
}

static int call_command(struct call *call)
{
	const struct command *command = call->command;
	int status = 0;

	if (command->run)
		return command->run(call);
	if (command->input)
		return each_input(call, 0, command->input) ? 1 : call->status;
	for (int i = 0; i < call->argc; i++) {
		long error = command->path(call->argv[i]);

		if (error)
			status = failed(call, call->argv[i], error);
	}
	return status;
}

const struct command *find_command(const char *name)
{
	const struct command *c = __shell_commands_start;

	while (c < __shell_commands_end && strcmp(c->name, name))
		c++;
	return c < __shell_commands_end ? c : NULL;
}

static int cmd_help(struct call *call)
{
	for (const struct command *c = __shell_commands_start; c < __shell_commands_end; c++)
		out_printf(call, "  %-12s %-27s %s\n", c->name, c->usage, c->help);
	out_printf(call, "With < > >> | ; & and ' \" \\ as in sh; $? $$; # comment; ^C\n");
	return 0;
}
SHELL_COMMAND("help", "", 0, "", "print this list", .run = cmd_help);

int run_command(int argc, char **argv)
{
	struct call call = { .command = find_command(argv[0]), .argc = argc - 1, .argv = argv + 1 };
	int status;

	if (!call.command) {
		err_printf("sh: %s: not found\n", argv[0]);
		return 127;
	}
	if (!call.command->in_shell)
		set_task_comm(current, call.command->name);
	status = parse_options(&call) ? call_command(&call) : usage(&call);
	/* A reader that has gone (SIGPIPE) and a signal are how a command ends, not its failure. */
	if (call.error && call.error != -EPIPE && call.error != -EINTR) {
		err_printf("sh: write error: %s\n", errno_text((int)-call.error));
		status = 1;
	}
	return status;
}
