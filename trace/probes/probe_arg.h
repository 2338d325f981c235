/*
 * The arguments of probes that users define (Documentation/trace/kprobetrace.rst, FETCHARGS):
 *
 *	NAME=SOURCE[:TYPE]	pid=$next_pid:s32  name=+8(%di):string  x=\5  j=@jiffies:u64
 *
 * If the kernel has BTF, a source may also be a parameter of the function, and fields behind it
 * (Documentation/trace/fprobetrace.rst, "BTF arguments"):
 *
 *	count  ino=file->f_inode->i_ino  name=$retval->d_name.name:string
 *
 * An argument is parsed once and becomes a short program: a source, some dereferences, a type. Each
 * hit of the probe runs the programs and stores the values in a record. Memory is read so that a
 * bad address gives no fault: an integer is 0 then, a string is empty and prints as (fault).
 *
 * Which sources a kind of probe has (fields of an event, registers, a result), and whose memory it
 * reads, stands in its struct probe_arg_sources.
 */
#pragma once

#include "kernel/types.h"
#include "trace/core/events.h"

struct pt_regs;
struct trace_array;
struct trace_seq;

#define PROBE_ARGS_MAX       128
#define PROBE_ARRAY_MAX      64   /* elements of an array */
#define PROBE_SIZE_MAX       3072 /* bytes of all arguments in a record, without text */
#define PROBE_NAME_MAX       32   /* characters of an argument's name */
#define PROBE_EVENT_MAX      64   /* bytes of the name of an event or a group, with its NUL */
#define PROBE_TEXT_MAX       63   /* characters of an argument behind its name */
#define PROBE_DEREFS_MAX     15   /* nested +OFF(…), and the one of @ */
#define PROBE_STRING_MAX     1024 /* bytes of a string in the record, with its NUL */
#define PROBE_STACK_MAX      2048 /* the highest N of $stackN and $argN in the kernel */
#define PROBE_ENTRY_ARGS_MAX 8    /* arguments of a call that are kept until its return */

struct btf_type;

struct probe_type {
	const char *name;
	u8 size; /* bytes of one element in the record */
	bool is_signed;
	bool is_string;         /* the record has a __data_loc word */
	bool is_user;           /* the string is in the memory of a task */
	bool is_symbol_text;    /* the string is the symbol of the value */
	const char *fmt;        /* for the print fmt */
	const char *field_type; /* for the format file */
	/* The offsets of dereferences behind those that the argument has. */
	u8 nr_steps;
	u16 steps[3];
};

enum probe_source_kind {
	PROBE_SOURCE_VALUE,         /* value: a constant, or an address */
	PROBE_SOURCE_TEXT,          /* text */
	PROBE_SOURCE_COMM,          /* the name of the current task */
	PROBE_SOURCE_SYMBOL,        /* text: "SYMBOL[+|-OFFSET]", until probe_args_resolve() */
	PROBE_SOURCE_REGISTER,      /* value: the offset in the context, as in struct pt_regs */
	PROBE_SOURCE_STACK_POINTER, /* $stack */
	PROBE_SOURCE_STACK,         /* value: the number of a word on the stack */
	PROBE_SOURCE_FIELD,         /* data, value: of the kind of probe */
	PROBE_SOURCE_FILE,          /* value: an offset in the file of the probe */
	PROBE_SOURCE_ENTRY_ARG,     /* value: the index in struct probe_entry_args */
};

struct probe_source {
	enum probe_source_kind kind;
	u64 value;
	char *text;
	const void *data;
};

struct probe_arg {
	char *name;
	char *text; /* SOURCE[:TYPE], as the user wrote it */
	struct probe_source source;
	struct {
		long offset;
		bool user;
	} derefs[PROBE_DEREFS_MAX]; /* the innermost first */
	u8 nr_derefs;
	u8 bit_width, bit_shift; /* of a bit field; width 0: the whole value */
	u8 count;                /* elements of an array; 0: no array */
	u8 plain_size;           /* of a register that is stored as it is; 0: another argument */
	const struct probe_type *type;
	u16 offset; /* in the record; of all elements, size bytes */
	u16 size;
}; /* constant after parsing and probe_args_layout() */

/*
 * The arguments of a call that a probe at its return wants. The registers have other values by
 * then, so a handler at the entry stores the arguments (probe_entry_args_store()), and the context
 * at the return leads to them: orig_ax of its struct pt_regs, which has no other use there, is the
 * address of the words.
 */
struct probe_entry_args {
	u16 numbers[PROBE_ENTRY_ARGS_MAX]; /* N of $argN */
	unsigned count;
};

/* A probe in the making. Positions of errors are offsets in command. */
struct probe_command {
	const char *location; /* "event_probe" */
	char *command;        /* the words, joined by single blanks */
	unsigned argc;
	char **argv;        /* the words; they are separate strings */
	unsigned long func; /* the probed function, at its entry or return; 0: none, or not known */
	/* probe_expand_args() has made so many words of one. */
	unsigned expanded_word, expanded_count;
	/* Of a probe at a return that can keep arguments; or NULL. Parsing adds to it. */
	struct probe_entry_args *entry_args;
};

enum probe_error {
	PROBE_ERR_FILE_NOT_FOUND,
	PROBE_ERR_NO_REGULAR_FILE,
	PROBE_ERR_BAD_REFCNT,
	PROBE_ERR_REFCNT_OPEN_BRACE,
	PROBE_ERR_BAD_REFCNT_SUFFIX,
	PROBE_ERR_BAD_UPROBE_OFFS,
	PROBE_ERR_BAD_MAXACT_TYPE,
	PROBE_ERR_BAD_MAXACT,
	PROBE_ERR_MAXACT_TOO_BIG,
	PROBE_ERR_BAD_PROBE_ADDR,
	PROBE_ERR_NON_UNIQ_SYMBOL,
	PROBE_ERR_BAD_RETPROBE,
	PROBE_ERR_BAD_ADDR_SUFFIX,
	PROBE_ERR_NO_GROUP_NAME,
	PROBE_ERR_GROUP_TOO_LONG,
	PROBE_ERR_BAD_GROUP_NAME,
	PROBE_ERR_NO_EVENT_NAME,
	PROBE_ERR_EVENT_TOO_LONG,
	PROBE_ERR_BAD_EVENT_NAME,
	PROBE_ERR_EVENT_EXIST,
	PROBE_ERR_RETVAL_ON_PROBE,
	PROBE_ERR_BAD_STACK_NUM,
	PROBE_ERR_BAD_ARG_NUM,
	PROBE_ERR_BAD_VAR,
	PROBE_ERR_BAD_REG_NAME,
	PROBE_ERR_BAD_MEM_ADDR,
	PROBE_ERR_BAD_IMM,
	PROBE_ERR_IMMSTR_NO_CLOSE,
	PROBE_ERR_FILE_ON_KPROBE,
	PROBE_ERR_BAD_FILE_OFFS,
	PROBE_ERR_SYM_ON_UPROBE,
	PROBE_ERR_BAD_DEREF_OFFS,
	PROBE_ERR_DEREF_NEED_BRACE,
	PROBE_ERR_DEREF_OPEN_BRACE,
	PROBE_ERR_TOO_MANY_OPS,
	PROBE_ERR_COMM_CANT_DEREF,
	PROBE_ERR_BAD_FETCH_ARG,
	PROBE_ERR_ARRAY_NO_CLOSE,
	PROBE_ERR_BAD_ARRAY_SUFFIX,
	PROBE_ERR_BAD_ARRAY_NUM,
	PROBE_ERR_ARRAY_TOO_BIG,
	PROBE_ERR_BAD_TYPE,
	PROBE_ERR_BAD_STRING,
	PROBE_ERR_BAD_SYMSTRING,
	PROBE_ERR_BAD_BITFIELD,
	PROBE_ERR_TOO_MANY_ARGS,
	PROBE_ERR_ARG_NAME_TOO_LONG,
	PROBE_ERR_NO_ARG_NAME,
	PROBE_ERR_BAD_ARG_NAME,
	PROBE_ERR_USED_ARG_NAME,
	PROBE_ERR_NO_ARG_BODY,
	PROBE_ERR_ARG_TOO_LONG,
	PROBE_ERR_BAD_INSN_BNDRY,
	PROBE_ERR_FAIL_REG_PROBE,
	PROBE_ERR_DIFF_PROBE_TYPE,
	PROBE_ERR_DIFF_ARG_TYPE,
	PROBE_ERR_SAME_PROBE,
	PROBE_ERR_BAD_ATTACH_EVENT,
	PROBE_ERR_BAD_ATTACH_ARG,
	PROBE_ERR_NO_EVENT_INFO,
	PROBE_ERR_NO_EP_FILTER,
	PROBE_ERR_NO_RETVAL,
	PROBE_ERR_NOSUP_BTFARG,
	PROBE_ERR_NO_BTFARG,
	PROBE_ERR_NO_BTF_ENTRY,
	PROBE_ERR_BAD_VAR_ARGS,
	PROBE_ERR_NOFENTRY_ARGS,
	PROBE_ERR_DOUBLE_ARGS,
	PROBE_ERR_NO_PTR_STRCT,
	PROBE_ERR_NOSUP_DAT_ARG,
	PROBE_ERR_BAD_HYPHEN,
	PROBE_ERR_NO_BTF_FIELD,
	PROBE_ERR_BAD_TYPE4STR,
	PROBE_ERR_TOO_MANY_EARGS,
	PROBE_ERR_EVENT_TOO_BIG,
	PROBE_ERR_BAD_ACCESS_FMT,
	PROBE_ERR_BAD_ACCESS_TYPE,
	PROBE_ERR_BAD_ACCESS_LEN,
	PROBE_ERR_BAD_ACCESS_ADDR,
};

/* ---- commands (probe_command.c); task context ---- */

/* Splits text into words. 0 or -ENOMEM. The caller calls probe_command_free() in any case. */
int probe_command_init(struct probe_command *command, const char *location, const char *text);
void probe_command_free(struct probe_command *command);
/*
 * Writes an error into error_log. at points into the word argv[word]; NULL: its start; word may be
 * argc: behind the last word. Returns -EINVAL.
 */
int probe_error(const struct probe_command *command, enum probe_error error, unsigned word,
		const char *at);
/* Returns whether name can be the name of an event or an argument: [A-Za-z_][A-Za-z0-9_]*. */
bool probe_is_good_name(const char *name);
/*
 * Splits "[GROUP/]EVENT" or "[GROUP.]EVENT" in argv[word] at text, which it changes. Leaves *group
 * or *event as it is if the text has none. 0 or -EINVAL.
 */
int probe_parse_event_name(const struct probe_command *command, unsigned word, char *text,
			   const char **group, const char **event);

/* ---- parsing (probe_parse.c, probe_btf.c, probe_type.c); task context ---- */

#define PROBE_FL_FIELDS 0x01 /* $FIELD of an event; the context is its record */
#define PROBE_FL_REGS   0x02 /* %REG, $stack, $stackN; the context is a struct pt_regs */
#define PROBE_FL_ENTRY  0x04 /* $argN: the probe is at the entry of a function */
#define PROBE_FL_RETURN 0x08 /* $retval: the probe is at the return of a function */
/*
 * The probe is in a program: addresses and the stack are the task's; @+OFFSET, but no @SYMBOL. The
 * values are fetched in task context and may fault pages in. Without it, an address below the
 * kernel's is of the task, too.
 */
#define PROBE_FL_USER 0x10
/*
 * BTF has the last word, as for all kinds of probes of later Linux: an argument "$argN" gets the
 * name of the parameter, and $retval has the type of the result.
 */
#define PROBE_FL_BTF 0x20
/* $addr, the watched address: the word of the context at the offset args; $value: what is there. */
#define PROBE_FL_WATCH 0x40

/* What the sources of a kind of probe mean. */
struct probe_arg_sources {
	u32 flags; /* PROBE_FL_* */
	/*
	 * PROBE_FL_ENTRY: the first nr_args arguments are words of the context, from the offset
	 * args on, and the others are on the stack. 0: they are as at the entry of a function.
	 */
	u16 args, nr_args;
	/*
	 * PROBE_FL_FIELDS: finds the field behind '$' for source->data and value. 0, or an errno:
	 * there is no such field.
	 */
	int (*parse)(const char *name, struct probe_source *source, void *data);
	/* The value of a PROBE_SOURCE_FIELD or _FILE. The context of probe_args_store(). */
	u64 (*fetch)(const struct probe_source *source, const void *context);
};

/*
 * Parses argv[word] into args[index]. The arguments before it are parsed, and give the names that
 * are taken. data is for sources->parse(). 0 or an errno; the reason is in error_log, but where
 * Linux writes none. The caller frees args in any case.
 */
int probe_arg_parse(const struct probe_command *command, unsigned word, struct probe_arg *args,
		    unsigned index, const struct probe_arg_sources *sources, void *data);
/* Places the arguments in the record from `from` on. Returns the end of its static part. */
size_t probe_args_layout(struct probe_arg *args, unsigned count, size_t from);
/*
 * Replaces the word "$arg*" by the names of all parameters of command->func. flags: of the probe's
 * sources. 0 or an errno; the reason is in error_log. Nothing to do without BTF.
 */
int probe_expand_args(struct probe_command *command, u32 flags);
/*
 * Stores the arguments of a call. regs: at the entry of the function. words: PROBE_ENTRY_ARGS_MAX
 * at most, args->count of them. Any context.
 */
void probe_entry_args_store(const struct probe_entry_args *args, const struct pt_regs *regs,
			    u64 *words);
/*
 * Finds the structure of "(STRUCT[,FIELD[.FIELD…]])", and *base, the offset of FIELD in bytes.
 * Returns what follows. NULL: there is no such structure or field, or the kernel has no BTF.
 */
const char *probe_find_cast(const char *text, const struct btf_type **t, u32 *base);
/*
 * Finds FIELD[.FIELD…] in *t, which becomes its type; *text: what follows. *offset, *bits (of a bit
 * field, or 0) in bits. Several fields of a union begin at one place. False: *text, or *t before
 * it, is no such field or structure.
 */
bool probe_find_fields(const struct btf_type **t, const char **text, u32 *offset, u32 *bits);
/* Looks the symbols of @SYMBOL up. 0, -EINVAL (a bad offset), or -ENOENT (no such symbol). */
int probe_args_resolve(struct probe_arg *args, unsigned count);
void probe_args_free(struct probe_arg *args, unsigned count);

/* ---- records (probe_fetch.c, probe_print.c) ---- */

/* Returns whether a record has text behind its static part. */
bool probe_args_have_strings(const struct probe_arg *args, unsigned count);
/*
 * Returns the fields for the format file, or NULL: no memory. head: fields before the arguments,
 * up to one without a name; or NULL. Task context.
 */
struct trace_event_field *probe_args_fields(const struct trace_event_field *head,
					    const struct probe_arg *args, unsigned count);
/* Frees what probe_args_fields() has returned; NULL is fine. */
void probe_args_free_fields(struct trace_event_field *fields);
/*
 * Returns the print fmt, or NULL: no memory. head and head_values: what stands before the
 * arguments, such as "(%lx)" and ", REC->__probe_ip". Task context.
 */
char *probe_args_print_fmt(const char *head, const char *head_values, const struct probe_arg *args,
			   unsigned count);

/* Returns the bytes of all strings together. Any context, preemption off; but see PROBE_FL_USER. */
size_t probe_args_data_size(const struct probe_arg *args, unsigned count,
			    const struct probe_arg_sources *sources, const void *context);
/* Stores the values of the arguments from arg to end_arg. For probe_args_store(). */
void probe_args_store_any(const struct probe_arg *arg, const struct probe_arg *end_arg,
			  const struct probe_arg_sources *sources, const void *context,
			  void *record, size_t from, size_t end);

/* Stores the low bytes of value at an address that need not be aligned. size: 1, 2, 4 or 8. */
static __always_inline void probe_store_value(void *to, unsigned size, u64 value)
{
	if (likely(size == 8))
		__builtin_memcpy(to, &value, 8);
	else if (size == 4)
		__builtin_memcpy(to, &value, 4);
	else if (size == 2)
		__builtin_memcpy(to, &value, 2);
	else
		__builtin_memcpy(to, &value, 1);
}

/*
 * Stores all values in a record. Its strings begin at `from` and end before `end`. Same context.
 * Registers, which are most arguments, come first as a rule. They need no call.
 */
static __always_inline void probe_args_store(const struct probe_arg *args, unsigned count,
					     const struct probe_arg_sources *sources,
					     const void *context, void *record, size_t from,
					     size_t end)
{
	const struct probe_arg *end_arg = args + count;

	for (; args < end_arg; args++) {
		if (unlikely(!args->plain_size)) {
			probe_args_store_any(args, end_arg, sources, context, record, from, end);
			return;
		}
		probe_store_value((u8 *)record + args->offset, args->plain_size,
				  *(const u64 *)((const char *)context + args->source.value));
	}
}
/* Prints " NAME=VALUE" for each argument. Any context. */
void probe_args_print(struct trace_seq *s, const struct probe_arg *args, unsigned count,
		      const void *record);
