/* The commands that define probes, and the reasons for refusing them: trace/probes/probe_arg.h. */
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/events/error_log.h"
#include "trace/core/trace_array.h"
#include "trace/probes/probe_arg.h"

static const char *const probe_error_texts[] = {
	[PROBE_ERR_FILE_NOT_FOUND] = "Failed to find the given file",
	[PROBE_ERR_NO_REGULAR_FILE] = "Not a regular file",
	[PROBE_ERR_BAD_REFCNT] = "Invalid reference counter offset",
	[PROBE_ERR_REFCNT_OPEN_BRACE] = "Reference counter brace is not closed",
	[PROBE_ERR_BAD_REFCNT_SUFFIX] = "Reference counter has wrong suffix",
	[PROBE_ERR_BAD_UPROBE_OFFS] = "Invalid uprobe offset",
	[PROBE_ERR_BAD_MAXACT_TYPE] = "Maxactive is not for kprobe",
	[PROBE_ERR_BAD_MAXACT] = "Invalid maxactive number",
	[PROBE_ERR_MAXACT_TOO_BIG] = "Maxactive is too big",
	[PROBE_ERR_BAD_PROBE_ADDR] = "Invalid probed address or symbol",
	[PROBE_ERR_NON_UNIQ_SYMBOL] = "The symbol is not unique",
	[PROBE_ERR_BAD_RETPROBE] = "Retprobe address must be an function entry",
	[PROBE_ERR_BAD_ADDR_SUFFIX] = "Invalid probed address suffix",
	[PROBE_ERR_RETVAL_ON_PROBE] = "$retval is not available on probe",
	[PROBE_ERR_BAD_STACK_NUM] = "Invalid stack number",
	[PROBE_ERR_BAD_ARG_NUM] = "Invalid argument number",
	[PROBE_ERR_BAD_REG_NAME] = "Invalid register name",
	[PROBE_ERR_BAD_FILE_OFFS] = "Invalid file offset value",
	[PROBE_ERR_SYM_ON_UPROBE] = "Symbol is not available with uprobe",
	[PROBE_ERR_COMM_CANT_DEREF] = "$comm can not be dereferenced",
	[PROBE_ERR_BAD_SYMSTRING] = "Symbol String doesn't accept data/userdata",
	[PROBE_ERR_BAD_INSN_BNDRY] = "Probe point is not an instruction boundary",
	[PROBE_ERR_FAIL_REG_PROBE] = "Failed to register probe event",
	[PROBE_ERR_DIFF_PROBE_TYPE] = "Probe type is different from existing probe",
	[PROBE_ERR_DIFF_ARG_TYPE] = "Argument type or name is different from existing probe",
	[PROBE_ERR_SAME_PROBE] = "There is already the exact same probe event",
	[PROBE_ERR_NO_GROUP_NAME] = "Group name is not specified",
	[PROBE_ERR_GROUP_TOO_LONG] = "Group name is too long",
	[PROBE_ERR_BAD_GROUP_NAME] = "Group name must follow the same rules as C identifiers",
	[PROBE_ERR_NO_EVENT_NAME] = "Event name is not specified",
	[PROBE_ERR_EVENT_TOO_LONG] = "Event name is too long",
	[PROBE_ERR_BAD_EVENT_NAME] = "Event name must follow the same rules as C identifiers",
	[PROBE_ERR_EVENT_EXIST] = "Given group/event name is already used by another event",
	[PROBE_ERR_BAD_VAR] = "Invalid $-variable specified",
	[PROBE_ERR_BAD_MEM_ADDR] = "Invalid memory address",
	[PROBE_ERR_BAD_IMM] = "Invalid immediate value",
	[PROBE_ERR_IMMSTR_NO_CLOSE] = "String is not closed with '\"'",
	[PROBE_ERR_BAD_DEREF_OFFS] = "Invalid dereference offset",
	[PROBE_ERR_DEREF_NEED_BRACE] = "Dereference needs a brace",
	[PROBE_ERR_DEREF_OPEN_BRACE] = "Dereference brace is not closed",
	[PROBE_ERR_TOO_MANY_OPS] = "Dereference is too much nested",
	[PROBE_ERR_BAD_FETCH_ARG] = "Invalid fetch argument",
	[PROBE_ERR_FILE_ON_KPROBE] = "File offset is not available with kprobe",
	[PROBE_ERR_ARRAY_NO_CLOSE] = "Array is not closed",
	[PROBE_ERR_BAD_ARRAY_SUFFIX] = "Array has wrong suffix",
	[PROBE_ERR_BAD_ARRAY_NUM] = "Invalid array size",
	[PROBE_ERR_ARRAY_TOO_BIG] = "Array number is too big",
	[PROBE_ERR_BAD_TYPE] = "Unknown type is specified",
	[PROBE_ERR_BAD_STRING] = "String accepts only memory argument",
	[PROBE_ERR_BAD_BITFIELD] = "Invalid bitfield",
	[PROBE_ERR_TOO_MANY_ARGS] = "Too many arguments are specified",
	[PROBE_ERR_ARG_NAME_TOO_LONG] = "Argument name is too long",
	[PROBE_ERR_NO_ARG_NAME] = "Argument name is not specified",
	[PROBE_ERR_BAD_ARG_NAME] = "Argument name must follow the same rules as C identifiers",
	[PROBE_ERR_USED_ARG_NAME] = "This argument name is already used",
	[PROBE_ERR_NO_ARG_BODY] = "No argument expression",
	[PROBE_ERR_ARG_TOO_LONG] = "Argument expression is too long",
	[PROBE_ERR_BAD_ATTACH_EVENT] = "Attached event does not exist",
	[PROBE_ERR_BAD_ATTACH_ARG] = "Attached event does not have this field",
	[PROBE_ERR_NO_EVENT_INFO] = "This requires both group and event name to attach",
	[PROBE_ERR_NO_EP_FILTER] = "No filter rule after 'if'",
	[PROBE_ERR_NO_RETVAL] = "This function returns 'void' type",
	[PROBE_ERR_NOSUP_BTFARG] = "BTF is not available or not supported",
	[PROBE_ERR_NO_BTFARG] = "This variable is not found at this probe point",
	[PROBE_ERR_NO_BTF_ENTRY] = "No BTF entry for this probe point",
	[PROBE_ERR_BAD_VAR_ARGS] = "$arg* must be an independent parameter without name etc.",
	[PROBE_ERR_NOFENTRY_ARGS] = "$arg* can be used only on function entry",
	[PROBE_ERR_DOUBLE_ARGS] = "$arg* can be used only once in the parameters",
	[PROBE_ERR_NO_PTR_STRCT] = "This is not a pointer to union/structure.",
	[PROBE_ERR_NOSUP_DAT_ARG] = "Non pointer structure/union argument is not supported.",
	[PROBE_ERR_BAD_HYPHEN] = "Failed to parse single hyphen. Forgot '>'?",
	[PROBE_ERR_NO_BTF_FIELD] = "This field is not found.",
	[PROBE_ERR_BAD_TYPE4STR] = "This type does not fit for string.",
	[PROBE_ERR_TOO_MANY_EARGS] = "Too many entry arguments specified",
	[PROBE_ERR_EVENT_TOO_BIG] = "Event too big (too many fields?)",
	[PROBE_ERR_BAD_ACCESS_FMT] = "Access memory address requires @",
	[PROBE_ERR_BAD_ACCESS_TYPE] = "Bad memory access type",
	[PROBE_ERR_BAD_ACCESS_LEN] = "This memory access length is not supported",
	[PROBE_ERR_BAD_ACCESS_ADDR] = "Invalid access memory address",
};

/* ---- commands ---- */

static char *copy_word(const char **text)
{
	const char *start = skip_spaces(*text);
	size_t length = 0;

	while (start[length] && !isspace(start[length]))
		length++;
	*text = start + length;
	return kstrndup(start, length, GFP_KERNEL);
}

int probe_command_init(struct probe_command *command, const char *location, const char *text)
{
	size_t at = 0;

	*command = (struct probe_command){ .location = location };
	command->command = kzalloc(strlen(text) + 1, GFP_KERNEL);
	command->argv = kcalloc(strlen(text) / 2 + 2, sizeof(*command->argv), GFP_KERNEL);
	if (!command->command || !command->argv)
		return -ENOMEM;
	while (*(text = skip_spaces(text))) {
		char *word = copy_word(&text);

		if (!word)
			return -ENOMEM;
		if (at)
			command->command[at++] = ' ';
		memcpy(command->command + at, word, strlen(word));
		at += strlen(word);
		command->argv[command->argc++] = word;
	}
	return 0;
}

void probe_command_free(struct probe_command *command)
{
	for (unsigned i = 0; i < command->argc; i++)
		kfree(command->argv[i]);
	kfree(command->argv);
	kfree(command->command);
}

int probe_error(const struct probe_command *command, enum probe_error error, unsigned word,
		const char *at)
{
	const char *text = command->command;
	unsigned end = command->expanded_word + command->expanded_count, written = word;

	if (command->expanded_word && word >= end)
		written = word - command->expanded_count + 1;
	else if (command->expanded_word && word > command->expanded_word)
		written = command->expanded_word;
	/* argv may be changed, but the words in command->command are whole. */
	for (unsigned i = 0; i < written; i++)
		text += strcspn(text, " ") + 1;
	if (at && (written == word || word >= end))
		text += at - command->argv[word];
	tracing_log_err(&global_trace, command->location, command->command, probe_error_texts,
			(u8)error, (u16)(text - command->command));
	return -EINVAL;
}

/* also: one more character that may follow the first one; 0: none. */
static bool is_name(const char *name, char also)
{
	if (!isalpha(*name) && *name != '_')
		return false;
	while (isalnum(*++name) || *name == '_' || (*name && *name == also))
		;
	return !*name;
}

bool probe_is_good_name(const char *name)
{
	return is_name(name, 0);
}

int probe_parse_event_name(const struct probe_command *command, unsigned word, char *text,
			   const char **group, const char **event)
{
	char *slash = strchr(text, '/');

	if (!slash)
		slash = strchr(text, '.');
	if (slash) {
		if (slash == text)
			return probe_error(command, PROBE_ERR_NO_GROUP_NAME, word, text);
		if (slash - text >= PROBE_EVENT_MAX)
			return probe_error(command, PROBE_ERR_GROUP_TOO_LONG, word, text);
		*slash = '\0';
		if (!is_name(text, '-'))
			return probe_error(command, PROBE_ERR_BAD_GROUP_NAME, word, text);
		*group = text;
		text = slash + 1;
		if (!*text)
			return 0;
	}
	if (!*text)
		return probe_error(command, PROBE_ERR_NO_EVENT_NAME, word, text);
	if (strlen(text) >= PROBE_EVENT_MAX)
		return probe_error(command, PROBE_ERR_EVENT_TOO_LONG, word, text);
	if (!probe_is_good_name(text))
		return probe_error(command, PROBE_ERR_BAD_EVENT_NAME, word, text);
	*event = text;
	return 0;
}
