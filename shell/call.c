/* What commands share: their options, buffered output, messages. */
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "shell/shell.h"

#define MESSAGE_MAX 512

void out_flush(struct call *call)
{
	const char *s = call->output;

	while (call->used && !call->error) {
		ssize_t n = sys_write(1, s, call->used);

		if (n < 0)
			call->error = (int)n;
		s += n;
		call->used -= (size_t)n;
	}
	call->used = 0;
}

void out_write(struct call *call, const void *data, size_t n)
{
	for (const char *s = data; n; n--) {
		call->output[call->used++] = *s++;
		if (call->used == SH_OUTPUT_SIZE)
			out_flush(call);
	}
}

void out_printf(struct call *call, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = kvasprintf(GFP_KERNEL, fmt, args);
	va_end(args);
	if (text)
		out_write(call, text, strlen(text));
	else
		call->error = -ENOMEM;
	kfree(text);
}

bool stopped(const struct call *call)
{
	return call->error || signal_pending(current);
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

int failed(struct call *call, const char *what, long error)
{
	out_flush(call);
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

int run_command(int argc, char **argv)
{
	const struct command *command = find_command(argv[0]);
	struct call *call;
	int status;

	if (!command) {
		err_printf("sh: %s: not found\n", argv[0]);
		return 127;
	}
	call = kzalloc(sizeof(*call), GFP_KERNEL);
	if (!call) {
		err_printf("sh: %s\n", errno_text(ENOMEM));
		return 1;
	}
	call->command = command;
	call->argc = argc - 1;
	call->argv = argv + 1;
	if (!command->in_shell)
		set_task_comm(current, command->name);
	status = parse_options(call) ? call_command(call) : usage(call);
	out_flush(call);
	/* A reader that has gone (SIGPIPE) and a signal are how a command ends, not its failure. */
	if (call->error && call->error != -EPIPE && call->error != -EINTR) {
		err_printf("sh: write error: %s\n", errno_text(-call->error));
		status = 1;
	}
	kfree(call);
	return status;
}
