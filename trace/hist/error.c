/* The texts of errors, which are Linux's, and the command that they belong to. E held. */
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "trace/events/error_log.h"
#include "trace/events/event.h"
#include "trace/hist/hist.h"

#define COMMAND_MAX 4096 /* bytes; the rest of a longer command is not shown */

static const char *const texts[] = {
	[HIST_ERR_DUPLICATE_VAR] = "Variable already defined",
	[HIST_ERR_VAR_NOT_UNIQUE] = "Variable name not unique, need to use fully qualified name "
				    "(subsys.event.var) for variable",
	[HIST_ERR_TOO_MANY_VARS] = "Too many variables defined",
	[HIST_ERR_MALFORMED_ASSIGNMENT] = "Malformed assignment",
	[HIST_ERR_NAMED_MISMATCH] = "Named hist trigger doesn't match existing named trigger "
				    "(includes variables)",
	[HIST_ERR_TRIGGER_EEXIST] = "Hist trigger already exists",
	[HIST_ERR_TRIGGER_ENOENT_CLEAR] = "Can't clear or continue a nonexistent hist trigger",
	[HIST_ERR_SET_CLOCK_FAIL] = "Couldn't set trace_clock",
	[HIST_ERR_BAD_FIELD_MODIFIER] = "Invalid field modifier",
	[HIST_ERR_TOO_MANY_SUBEXPR] = "Too many subexpressions (3 max)",
	[HIST_ERR_TIMESTAMP_MISMATCH] = "Timestamp units in expression don't match",
	[HIST_ERR_TOO_MANY_FIELD_VARS] = "Too many field variables defined",
	[HIST_ERR_EVENT_FILE_NOT_FOUND] = "Event file not found",
	[HIST_ERR_HIST_NOT_FOUND] = "Matching event histogram not found",
	[HIST_ERR_HIST_CREATE_FAIL] = "Couldn't create histogram for field",
	[HIST_ERR_SYNTH_VAR_NOT_FOUND] = "Couldn't find synthetic variable",
	[HIST_ERR_SYNTH_EVENT_NOT_FOUND] = "Couldn't find synthetic event",
	[HIST_ERR_SYNTH_TYPE_MISMATCH] = "Param type doesn't match synthetic event field type",
	[HIST_ERR_SYNTH_COUNT_MISMATCH] = "Param count doesn't match synthetic event field count",
	[HIST_ERR_FIELD_VAR_PARSE_FAIL] = "Couldn't parse field variable",
	[HIST_ERR_VAR_CREATE_FIND_FAIL] = "Couldn't create or find variable",
	[HIST_ERR_ONX_NOT_VAR] = "For onmax(x) or onchange(x), x must be a variable",
	[HIST_ERR_ONX_VAR_NOT_FOUND] = "Couldn't find onmax or onchange variable",
	[HIST_ERR_ONX_VAR_CREATE_FAIL] = "Couldn't create onmax or onchange variable",
	[HIST_ERR_FIELD_VAR_CREATE_FAIL] = "Couldn't create field variable",
	[HIST_ERR_TOO_MANY_PARAMS] = "Too many action params",
	[HIST_ERR_PARAM_NOT_FOUND] = "Couldn't find param",
	[HIST_ERR_INVALID_PARAM] = "Invalid action param",
	[HIST_ERR_ACTION_NOT_FOUND] = "No action found",
	[HIST_ERR_NO_SAVE_PARAMS] = "No params found for save()",
	[HIST_ERR_TOO_MANY_SAVE_ACTIONS] = "Can't have more than one save() action per hist",
	[HIST_ERR_ACTION_MISMATCH] = "Handler doesn't support action",
	[HIST_ERR_NO_CLOSING_PAREN] = "No closing paren found",
	[HIST_ERR_SUBSYS_NOT_FOUND] = "Missing subsystem",
	[HIST_ERR_INVALID_SUBSYS_EVENT] = "Invalid subsystem or event name",
	[HIST_ERR_INVALID_REF_KEY] = "Using variable references in keys not supported",
	[HIST_ERR_VAR_NOT_FOUND] = "Couldn't find variable",
	[HIST_ERR_FIELD_NOT_FOUND] = "Couldn't find field",
	[HIST_ERR_EMPTY_ASSIGNMENT] = "Empty assignment",
	[HIST_ERR_INVALID_SORT_MODIFIER] = "Invalid sort modifier",
	[HIST_ERR_EMPTY_SORT_FIELD] = "Empty sort field",
	[HIST_ERR_TOO_MANY_SORT_FIELDS] = "Too many sort fields (Max = 2)",
	[HIST_ERR_INVALID_SORT_FIELD] = "Sort field must be a key or a val",
	[HIST_ERR_INVALID_STR_OPERAND] = "String type can not be an operand in expression",
	[HIST_ERR_EXPECT_NUMBER] = "Expecting numeric literal",
	[HIST_ERR_UNARY_MINUS_SUBEXPR] = "Unary minus not supported in sub-expressions",
	[HIST_ERR_DIVISION_BY_ZERO] = "Division by zero",
	[HIST_ERR_NEED_NOHC_VAL] = "There must be at least one value if using 'nohitcount'",
};

static char last_command[COMMAND_MAX];             /* [E] */
static char last_location[2 * MAX_EVENT_NAME + 8]; /* [E] */

void hist_set_command(struct trace_event_file *file, const char *command)
{
	snprintf(last_command, sizeof(last_command), "hist:%s", command);
	snprintf(last_location, sizeof(last_location), "hist:%s:%s", trace_event_system(file->call),
		 trace_event_name(file->call));
}

void hist_err(struct trace_array *tr, enum hist_error error, const char *at)
{
	const char *found = at ? strstr(last_command, at) : NULL;

	tracing_log_err(tr, last_location, last_command, texts, (u8)error,
			(u16)(found ? found - last_command : 0));
}
