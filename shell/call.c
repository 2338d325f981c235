/* Commands: find them, call them, and report their errors. */
#include "shell/shell.h"

DEFINE_LINKER_TABLE(rodata, const struct command, shell_commands);

#define HELP_WIDTH  80 /* columns of a line */
#define HELP_COLUMN 43 /* where the help text begins */
#define HELP_USAGE  27 /* columns of the usage, which follows the name */

bool stopped(const struct call *call)
{
	return call->out.end || signal_pending(current);
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

const struct command *find_command(const char *name)
{
	for_each_linker_table_entry (c, shell_commands)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/*
 * Prints the lines of one command, with the help text in a column of its own. A long usage gets its
 * own line, and the text is broken at blanks, so that no line is longer than HELP_WIDTH.
 */
static void print_help(struct call *call, const struct command *c)
{
	const char *text = c->help;
	bool own_line = strlen(c->usage) > HELP_USAGE;

	out_printf(call, "  %-12s %-*s", c->name, HELP_USAGE, c->usage);
	if (own_line)
		out_printf(call, "\n%*s", HELP_COLUMN - 1, "");
	for (;;) {
		size_t n = strlen(text);

		if (n > HELP_WIDTH - HELP_COLUMN)
			for (n = HELP_WIDTH - HELP_COLUMN; n > 1 && text[n] != ' ';)
				n--;
		out_printf(call, " %.*s\n", (int)n, text);
		text += n + (text[n] == ' ');
		if (!*text)
			return;
		out_printf(call, "%*s", HELP_COLUMN - 1, "");
	}
}

static int cmd_help(struct call *call)
{
	for_each_linker_table_entry (c, shell_commands)
		print_help(call, c);
	out_printf(call, "With < > >> | ; & and ' \" \\ as in sh; $? $$; # comment; ^C\n");
	return 0;
}
SHELL_COMMAND("help", "", 0, "", "print this list", .run = cmd_help);

/* Calls the command for one operand (NULL: none). Returns 0 or an error. */
static long call_operand(struct call *call, const char *operand)
{
	const struct command *command = call->command;
	struct stream in;

	if (command->path)
		return command->path(operand);
	if (command->operand)
		return command->operand(call, operand);
	stream_open(&in, operand, command->flags);
	if (!in.end)
		command->input(call, &in);
	stream_close(&in);
	return min(in.end, 0L);
}

static int call_command(struct call *call)
{
	const struct command *command = call->command;
	char **operand = call->argv + (command->input ? command->operands : 0);
	int status = 0;

	if (command->run)
		return command->run(call);
	do {
		const char *name = *operand ? *operand++ : command->file;
		long error = call_operand(call, name);

		if (error < 0)
			status = failed(call, name ? name : "-", error);
	} while (*operand && !stopped(call));
	return status ? command->status + status : call->status; /* grep: 2 */
}

int run_command(char **argv)
{
	const struct command *command = find_command(argv[0]);
	struct call call = { .command = command, .argv = argv + 1, .out.fd = 1 };
	int status;

	if (!command) {
		err_printf("sh: %s: not found\n", argv[0]);
		return 127;
	}
	if (!command->in_shell)
		set_task_comm(current, command->name);
	if (options_parse(&call.options, command->options, &call.argv) < command->operands ||
	    (call.argv[0] && !*command->usage))
		return usage(&call);
	call.status = command->status;
	status = call_command(&call);
	/* SIGPIPE (the reader has closed the pipe) and other signals end a command without a
	 * message. */
	if (call.out.end && call.out.end != -EPIPE && call.out.end != -EINTR) {
		err_printf("sh: write error: %s\n", errno_text((int)-call.out.end));
		status = 1;
	}
	return status;
}
