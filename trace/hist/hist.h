/*
 * Histograms of events: the trigger command "hist" (docs/histograms.md; Documentation/trace/
 * histogram.rst is the specification). Included only by trace/hist/ and their tests.
 *
 *	parse.c    text of the command to struct hist_attrs: no event is needed
 *	field.c    struct hist_field: a field, a modifier, a constant
 *	expr.c     expressions of fields
 *	create.c   struct hist_trigger_data from the attributes: keys, values, variables, sort
 *	key.c      an event happens: its key, its sums, its variables
 *	value.c    values of fields and expressions
 *	stack.c    stacks in keys and variables
 *	vars.c     variables that other histograms refer to
 *	actions.c  onmatch, onmax, onchange: their text
 *	track.c    onmax and onchange happen
 *	synth.c    trace(): parameters of a synthetic event
 *	print.c    the file "hist"
 *	text.c     the line of the trigger
 *	trigger.c  the trigger command
 *
 * E is event_mutex. Everything here is built and freed under E. An event reads it under RCU.
 */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/types.h"
#include "trace/core/events.h"
#include "trace/events/event.h"
#include "trace/hist/tracing_map.h"

#define HIST_KEYS_MAX      3
#define HIST_VALS_MAX      3 /* with hitcount */
#define HIST_VARS_MAX      16
#define HIST_ACTIONS_MAX   8
#define HIST_PARAMS_MAX    64 /* of an action */
#define HIST_FIELDS_MAX    (HIST_VALS_MAX + HIST_VARS_MAX)
#define HIST_VAR_REFS_MAX  64
#define HIST_STRING_SIZE   256 /* bytes of a string in a key or variable, with its NUL */
#define HIST_STACK_ENTRIES 16
#define HIST_STACK_SIZE    (HIST_STACK_ENTRIES * 8)
#define HIST_STACK_VAR     (8 + HIST_STACK_SIZE) /* bytes of a stack variable */
#define HIST_KEY_SIZE_MAX  (HIST_KEYS_MAX * HIST_STRING_SIZE)
#define HIST_SUBEXPR_MAX   3
#define HIST_COMM_SIZE     16
#define HIST_BAR_SIZE      20 /* characters of .graph */

struct event_trigger_data;
struct hist_event;
struct hist_snapshot;
struct trace_array;
struct trace_event_call;
struct trace_event_file;
struct hist_trigger_data;
struct seq_file;
struct synth_event;

/* ---- errors (error.c) ---- */

enum hist_error {
	HIST_ERR_DUPLICATE_VAR,
	HIST_ERR_VAR_NOT_UNIQUE,
	HIST_ERR_TOO_MANY_VARS,
	HIST_ERR_MALFORMED_ASSIGNMENT,
	HIST_ERR_NAMED_MISMATCH,
	HIST_ERR_TRIGGER_EEXIST,
	HIST_ERR_TRIGGER_ENOENT_CLEAR,
	HIST_ERR_SET_CLOCK_FAIL,
	HIST_ERR_BAD_FIELD_MODIFIER,
	HIST_ERR_TOO_MANY_SUBEXPR,
	HIST_ERR_TIMESTAMP_MISMATCH,
	HIST_ERR_TOO_MANY_FIELD_VARS,
	HIST_ERR_EVENT_FILE_NOT_FOUND,
	HIST_ERR_HIST_NOT_FOUND,
	HIST_ERR_HIST_CREATE_FAIL,
	HIST_ERR_SYNTH_VAR_NOT_FOUND,
	HIST_ERR_SYNTH_EVENT_NOT_FOUND,
	HIST_ERR_SYNTH_TYPE_MISMATCH,
	HIST_ERR_SYNTH_COUNT_MISMATCH,
	HIST_ERR_FIELD_VAR_PARSE_FAIL,
	HIST_ERR_VAR_CREATE_FIND_FAIL,
	HIST_ERR_ONX_NOT_VAR,
	HIST_ERR_ONX_VAR_NOT_FOUND,
	HIST_ERR_ONX_VAR_CREATE_FAIL,
	HIST_ERR_FIELD_VAR_CREATE_FAIL,
	HIST_ERR_TOO_MANY_PARAMS,
	HIST_ERR_PARAM_NOT_FOUND,
	HIST_ERR_INVALID_PARAM,
	HIST_ERR_ACTION_NOT_FOUND,
	HIST_ERR_NO_SAVE_PARAMS,
	HIST_ERR_TOO_MANY_SAVE_ACTIONS,
	HIST_ERR_ACTION_MISMATCH,
	HIST_ERR_NO_CLOSING_PAREN,
	HIST_ERR_SUBSYS_NOT_FOUND,
	HIST_ERR_INVALID_SUBSYS_EVENT,
	HIST_ERR_INVALID_REF_KEY,
	HIST_ERR_VAR_NOT_FOUND,
	HIST_ERR_FIELD_NOT_FOUND,
	HIST_ERR_EMPTY_ASSIGNMENT,
	HIST_ERR_INVALID_SORT_MODIFIER,
	HIST_ERR_EMPTY_SORT_FIELD,
	HIST_ERR_TOO_MANY_SORT_FIELDS,
	HIST_ERR_INVALID_SORT_FIELD,
	HIST_ERR_INVALID_STR_OPERAND,
	HIST_ERR_EXPECT_NUMBER,
	HIST_ERR_UNARY_MINUS_SUBEXPR,
	HIST_ERR_DIVISION_BY_ZERO,
	HIST_ERR_NEED_NOHC_VAL,
};

/* Names the command that later errors belong to. E held. */
void hist_set_command(struct trace_event_file *file, const char *command);
/*
 * Records an error of the command in error_log. The caret stands under the first place of at in the
 * command, as in Linux; under the first character, if at is NULL or not in the command. E held.
 */
void hist_err(struct trace_array *tr, enum hist_error error, const char *at);

/* ---- the command's text (parse.c) ---- */

struct hist_attrs {
	char *text;   /* the words below point into it */
	char *filter; /* what follows "if ", which stands before it; NULL: there is no filter */
	char *keys, *vals, *sort, *name, *clock;
	char *assignments[HIST_VARS_MAX]; /* "a=x,b=y" */
	char *actions[HIST_ACTIONS_MAX];  /* "onmax($x).save(a,b)" */
	unsigned n_assignments, n_actions;
	unsigned map_bits; /* 0: the default */
	bool pause, cont, clear, no_hitcount;
};

/*
 * Parses what follows "hist:". Returns the attributes, or ERR_PTR(-EINVAL) with the reason in the
 * error_log, or ERR_PTR(-ENOMEM). Task context, E held.
 */
struct hist_attrs *hist_parse(struct trace_array *tr, const char *command);
void hist_attrs_free(struct hist_attrs *attrs);

/* ---- fields ---- */

enum hist_fn {
	HIST_FN_U64,
	HIST_FN_U32,
	HIST_FN_S32,
	HIST_FN_U16,
	HIST_FN_S16,
	HIST_FN_U8,
	HIST_FN_S8,
	HIST_FN_COUNTER,
	HIST_FN_CONST,
	HIST_FN_TIMESTAMP,
	HIST_FN_CPU,
	HIST_FN_LOG2,   /* of operand 0 */
	HIST_FN_BUCKET, /* of operand 0 */
	HIST_FN_STATIC_STRING,
	HIST_FN_DYN_STRING,
	HIST_FN_STACK,
	HIST_FN_DYN_STACK, /* a field with addresses: .stacktrace */
	HIST_FN_PLUS,
	HIST_FN_MINUS,
	HIST_FN_MULT,
	HIST_FN_DIV,
	HIST_FN_NEGATE,
	HIST_FN_VAR_REF,
	HIST_FN_ALIAS, /* operand 0, a reference, has one more name */
};

enum {
	HIST_FIELD_HITCOUNT = 0x0001,
	HIST_FIELD_KEY = 0x0002,
	HIST_FIELD_STRING = 0x0004,
	HIST_FIELD_HEX = 0x0008,
	HIST_FIELD_SYM = 0x0010,
	HIST_FIELD_SYM_OFFSET = 0x0020,
	HIST_FIELD_EXECNAME = 0x0040,
	HIST_FIELD_SYSCALL = 0x0080,
	HIST_FIELD_STACKTRACE = 0x0100,
	HIST_FIELD_LOG2 = 0x0200,
	HIST_FIELD_BUCKET = 0x0400,
	HIST_FIELD_TIMESTAMP = 0x0800,
	HIST_FIELD_USECS = 0x1000,
	HIST_FIELD_VAR = 0x2000,
	HIST_FIELD_EXPR = 0x4000,
	HIST_FIELD_VAR_REF = 0x8000,
	HIST_FIELD_CPU = 0x10000,
	HIST_FIELD_CONST = 0x20000,
	HIST_FIELD_PERCENT = 0x40000,
	HIST_FIELD_GRAPH = 0x80000,
};

/* A key, a value, a variable, or an operand of one of them. Constant once the trigger works. */
struct hist_field {
	enum hist_fn fn;
	u32 flags;        /* HIST_FIELD_* */
	u16 offset, size; /* in the record; size: also of the value */
	bool is_signed;
	bool read_once;    /* a reference that is used in an expression */
	u16 key_offset;    /* of a key, in the compound key */
	u16 var_index;     /* of a variable or reference, in the element */
	u16 ref_index;     /* of a reference, in the values of references */
	u16 string_offset; /* of a string or stack variable, in the private data of the element */
	u64 constant;      /* also the size of a bucket */
	const struct trace_event_field *field; /* NULL: the value is not in the record */
	const char *type;                      /* the C type, for synthetic events */
	struct hist_field *operands[2];        /* counted by ref for references */
	struct hist_trigger_data *var_data;    /* of a reference: the histogram with the variable */
	char *var_name;                        /* of a variable: its name */
	char *ref_text;                        /* of a reference: "$x" or "sys.event.$x" */
	unsigned refs;                         /* [E] owners */
};

/* Returns a zeroed field with one owner, or NULL: memory is short. E held, as for all below. */
struct hist_field *hist_field_alloc(u32 flags);
/* Drops an owner. The last one frees the field and drops its operands. NULL is fine. */
void hist_field_put(struct hist_field *f);
/* Makes the field for a field of the record, or of a number of that size if field is NULL. */
struct hist_field *hist_field_of_event(const struct trace_event_field *field, u32 flags);
/* Makes the field for the callers of the event. NULL: memory is short. */
struct hist_field *hist_field_of_stack(u32 flags);
/*
 * Parses "name.modifier" of an event. Returns the field, or ERR_PTR() of -EINVAL, with the reason
 * in error_log, or of -ENOMEM. text is changed.
 */
struct hist_field *hist_parse_field(struct hist_trigger_data *h, struct trace_event_file *file,
				    char *text, u32 flags);
/* The same for an expression: expr.c. */
struct hist_field *hist_parse_expr(struct hist_trigger_data *h, struct trace_event_file *file,
				   char *text, u32 flags);
/* Prints a field as in the trigger's line; with_modifier: with ".hex" and so on. */
void hist_field_puts(struct seq_file *m, const struct hist_field *f, bool with_modifier);
bool hist_field_is_string(const struct hist_field *f);
/* Whether the value is no number: it cannot be an operand. */
bool hist_field_is_composite(const struct hist_field *f);

struct hist_sort_key {
	bool descending;
	unsigned field; /* in fields */
};

enum hist_handler { HIST_ONMATCH, HIST_ONMAX, HIST_ONCHANGE };
enum hist_action_kind { HIST_TRACE, HIST_SAVE, HIST_SNAPSHOT };

/* A variable that an action needs: the value of a field is saved when an event happens. */
struct hist_field_var {
	struct hist_field *var; /* where */
	struct hist_field *val; /* what */
};

/* Constant once the trigger works, but for what synth_event and snapshot point to. */
struct hist_action {
	enum hist_handler handler;
	enum hist_action_kind kind;
	bool trace_keyword;               /* "trace(EVENT, …)", not "EVENT(…)" */
	char *match_system, *match_event; /* of onmatch */
	char *var_text;                   /* of onmax and onchange: "$x" */
	char *name;                       /* "save", "snapshot", the synthetic event */
	char *params[HIST_PARAMS_MAX];
	unsigned n_params;
	struct synth_event *synth_event;         /* of HIST_TRACE: counted */
	unsigned var_ref_index[HIST_PARAMS_MAX]; /* of HIST_TRACE, in the values of references */
	struct hist_field *track_ref;            /* of onmax and onchange: the variable */
	struct hist_field *track_var;            /* where the maximum, or the last value, is kept */
	struct hist_snapshot *snapshot;          /* of HIST_SNAPSHOT */
};

/* [E] event_mutex; no letter: constant once the trigger works. */
struct hist_trigger_data {
	struct trace_event_file *file;
	struct hist_attrs *attrs;
	struct tracing_map *map; /* own legend */
	/* keys; then hitcount and the other values, then variables */
	struct hist_field *keys[HIST_KEYS_MAX];
	struct hist_field *fields[HIST_FIELDS_MAX];
	unsigned n_keys, n_vals, n_fields; /* n_fields: n_vals and variables of the command */
	unsigned key_size;                 /* bytes of the compound key */
	unsigned n_map_vars;               /* variables in an element */
	unsigned private_size;             /* bytes: the name of the task, strings of variables */
	bool save_comm;                    /* the private data has the name of the task */
	unsigned comm_offset;              /* in the private data */
	bool use_timestamp;
	bool simple;     /* keys and values only, no strings or stacks: the fast way */
	bool reads_head; /* a key or value is in struct trace_entry */
	char *definitions[HIST_VARS_MAX]; /* "x=EXPRESSION" */
	unsigned n_definitions;
	struct hist_sort_key sort_keys[TRACING_MAP_SORT_KEYS_MAX];
	unsigned n_sort_keys;
	struct hist_field *var_refs[HIST_VAR_REFS_MAX];
	unsigned n_var_refs;
	struct hist_action *actions[HIST_ACTIONS_MAX];
	unsigned n_actions;
	struct hist_field_var field_vars[HIST_PARAMS_MAX]; /* for trace() */
	unsigned n_field_vars;
	struct hist_field_var save_vars[HIST_PARAMS_MAX]; /* for save() */
	unsigned n_save_vars;
	struct event_trigger_data *var_hists[HIST_PARAMS_MAX]; /* made by trace() on other events */
	unsigned n_var_hists;
	unsigned users;      /* [E] triggers with this histogram, and references to its variables */
	unsigned n_triggers; /* [E] more than one only if it has a name */
	bool armed;          /* [E] tracing_arm_snapshot() for an action */
	bool stopped;        /* [E] to write, any context to read: events are not counted */
	struct list_head list; /* [E] in all histograms, the oldest first */
};

/* The name of the task that made the element, if h->save_comm. */
#define hist_comm(h, elt) ((char *)tracing_map_private((h)->map, elt) + (h)->comm_offset)

/* ---- making and freeing (create.c) ---- */

/*
 * Makes a histogram for a file, without its map. Takes attrs, also on failure. ERR_PTR() with the
 * reason in error_log. E held, sleeps.
 */
struct hist_trigger_data *hist_create(struct trace_event_file *file, struct hist_attrs *attrs);
/* Makes the map and what the actions need, so that events can be counted. 0 or an errno. */
int hist_start(struct hist_trigger_data *h);
/* Frees a histogram that has no trigger. */
void hist_destroy(struct hist_trigger_data *h);
/* Drops a user of a histogram that no event uses any more. The last one frees it. */
void hist_put(struct hist_trigger_data *h);
/* Makes a field a variable of that name, with room in an element. 0 or -ENOMEM. */
int hist_make_var(struct hist_trigger_data *h, struct hist_field *f, const char *name);

/* ---- variables (vars.c) ---- */

extern struct list_head hist_list; /* [E] all histograms, the oldest first */

/* Returns the histogram's variable of that name, or NULL. */
struct hist_field *hist_find_own_var(const struct hist_trigger_data *h, const char *name);
/*
 * Finds a variable by name for h: of the event system.event, or, if these are NULL, of the events
 * that h matches, then of all. Sets *owner. NULL: there is none; ERR_PTR(-EINVAL): several match.
 */
struct hist_field *hist_find_var(const struct hist_trigger_data *h, const char *system,
				 const char *event, const char *name,
				 struct hist_trigger_data **owner);
/* Returns h's reference to a variable; makes it if needed. The caller owns one. NULL: no memory. */
struct hist_field *hist_make_var_ref(struct hist_trigger_data *h, struct hist_trigger_data *owner,
				     struct hist_field *var, const char *text);
/* Parses "$x" or "sys.event.$x". NULL: no such variable; ERR_PTR(): not unique, or no memory. */
struct hist_field *hist_parse_var_ref(struct hist_trigger_data *h, const char *text);
/* Whether another histogram refers to a variable of h. */
bool hist_is_referenced(const struct hist_trigger_data *h);
/*
 * Reads the variables that h refers to, of itself (self) or of others, into values. False: one has
 * no value. Any context.
 */
bool hist_resolve_refs(struct hist_trigger_data *h, const u64 *key, u64 *values, bool self);

/* ---- actions ---- */

/* Parses the actions of the command (actions.c), before the fields are. 0 or an errno. */
int hist_parse_actions(struct hist_trigger_data *h);
/* Makes what the actions need, after the fields. 0 or an errno. */
int hist_create_actions(struct hist_trigger_data *h);
void hist_destroy_actions(struct hist_trigger_data *h);
/* Prints ":onmatch(…).trace(…)". */
void hist_actions_puts(struct seq_file *m, const struct hist_trigger_data *h);
/* Whether two histograms have the same actions. */
bool hist_actions_equal(const struct hist_trigger_data *a, const struct hist_trigger_data *b);
/* Makes an action's parameters (synth.c) or its variables (track.c). 0 or an errno. */
int hist_create_trace(struct hist_trigger_data *h, struct hist_action *action);
void hist_release_trace(struct hist_action *action);
int hist_create_track(struct hist_trigger_data *h, struct hist_action *action);
int hist_create_save(struct hist_trigger_data *h, struct hist_action *action);
int hist_create_snapshot(struct hist_action *action);
/* Prepares the trace_array for snapshots if an action is snapshot(). 0, -ENOMEM or -EBUSY. */
int hist_alloc_snapshot(struct hist_trigger_data *h);

/* Makes a variable that holds the field param of each event. 0 or an errno. */
int hist_create_field_var(struct hist_trigger_data *h, struct hist_field_var *pair,
			  const char *param);
void hist_clear_snapshots(struct hist_trigger_data *h);

/* Saves the field variables of an event in its element. Any context, as the next two. */
void hist_save_field_vars(struct hist_trigger_data *h, struct tracing_map_elt *elt,
			  const struct hist_event *event, const struct hist_field_var *vars,
			  unsigned n);
/* Stores a value in a variable of the element. */
void hist_store_var(struct hist_trigger_data *h, struct tracing_map_elt *elt,
		    const struct hist_field *var, u64 value);
void hist_run_trace(const struct hist_action *action, const u64 *refs);
void hist_run_track(struct hist_trigger_data *h, struct hist_action *action,
		    struct tracing_map_elt *elt, const struct hist_event *event);
/* Prints the line that onmax and onchange with save() add to an entry. */
void hist_print_track(struct seq_file *m, const struct hist_trigger_data *h,
		      struct tracing_map_elt *elt);
/* Prints what onmax and onchange with snapshot() add to the file. */
void hist_print_snapshots(struct seq_file *m, struct hist_trigger_data *h);

/* ---- counting (key.c) ---- */

struct trace_event_buffer;
/* Counts an event in the histogram of a trigger: event_command.trigger. */
void hist_count(struct event_trigger_data *data, const void *rec,
		const struct trace_event_buffer *buffer);
/* The same in fewer instructions, for event_trigger_data.plain. NULL: the histogram has no such. */
event_trigger_plain_t hist_plain(const struct hist_trigger_data *h);
/* Returns the text at the address that a string field has in rec. value.c */
const char *hist_string(const struct hist_field *f, const struct hist_event *event, size_t *length);

/* ---- the trigger (trigger.c) ---- */

struct event_command;
/* Adds a histogram to a file as a trigger, or does what h's attributes say. Takes h. */
int hist_add(struct trace_event_file *file, struct hist_trigger_data *h);

/* ---- printing ---- */

#define HIST_SYSCALL_NAME_SIZE 40
/* Writes the name of a system call, or "unknown_syscall" (syscall.c). */
void hist_syscall_name(u64 number, char name[HIST_SYSCALL_NAME_SIZE]);

/* Prints the addresses of a stack up to the first 0, one a line. */
void hist_print_stack(struct seq_file *m, const u64 *stack);
/* Prints one key in braces, as in the file. */
void hist_print_key(struct seq_file *m, const struct hist_trigger_data *h, const u64 *key,
		    const char *comm);
/* Prints the whole histogram as in the file "hist". 0 or -ENOMEM. */
int hist_print(struct seq_file *m, struct hist_trigger_data *h, struct event_trigger_data *data);
/* Prints the trigger's line, without its newline. */
void hist_print_line(struct seq_file *m, const struct hist_trigger_data *h,
		     const struct event_trigger_data *data);
