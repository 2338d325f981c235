/*
 * The program of a filter: parse.c and predicate.c write it, match.c runs it.
 *
 * The text
 *
 *	pid > 9 && (comm == "sh" || prio & 1)
 *
 * has three predicates, so its program has three steps. Each step says where to continue after
 * "false" and after "true":
 *
 *	step	predicate	false	true
 *	0	pid > 9		reject	1
 *	1	comm == "sh"	2	accept
 *	2	prio & 1	reject	accept
 *
 * Operators and parentheses exist only in the jumps. All jumps go forward, so a program ends after
 * at most as many steps as it has.
 */
#pragma once

#include "kernel/cpumask.h"
#include "kernel/rcu/rcu.h"

/* A type of number. The order is: size, then sign. */
enum filter_number {
	NUMBER_U8,
	NUMBER_S8,
	NUMBER_U16,
	NUMBER_S16,
	NUMBER_U32,
	NUMBER_S32,
	NUMBER_U64,
	NUMBER_S64,
	NR_NUMBERS
};
/* A comparison. Others are the opposite of one of these: != of ==, > of <=, >= of <. */
enum filter_comparison { COMPARE_EQ, COMPARE_LT, COMPARE_LE, COMPARE_AND, NR_COMPARISONS };

/* What a step does: a comparison of a number in the record (the first values), or one of these. */
#define FILTER_NUMBER(comparison, number) ((comparison)*NR_NUMBERS + (number))
enum filter_op {
	FILTER_OP_CPU = NR_COMPARISONS * NR_NUMBERS, /* compares the number of this CPU */
	FILTER_OP_FUNCTION,                          /* the address lies inside a function */
	FILTER_OP_STRING,                            /* compares a string; text says where it is */
	FILTER_OP_CPUS,                              /* CPUS{…} has the CPU of the field */
	FILTER_OP_CPUMASK,                           /* compares the set of CPUs in the field */
	FILTER_OP_NEVER,                             /* false: the field is an array of numbers */
};

/* Where the string is. */
enum filter_string {
	STRING_STATIC,   /* in the field; not longer than the field */
	STRING_DYNAMIC,  /* where the field, a __data_loc, says */
	STRING_RELATIVE, /* where the field, a __rel_loc, says */
	STRING_POINTER,  /* the field is the address of a string in kernel memory */
	STRING_USER,     /* the same, perhaps in user memory */
	STRING_COMM,     /* the name of the current task */
};

/* How the string is compared: most patterns need no glob_match(). */
enum filter_pattern {
	PATTERN_FULL,   /* "abc": all of it */
	PATTERN_FRONT,  /* "abc*" */
	PATTERN_END,    /* "*abc" */
	PATTERN_MIDDLE, /* "*abc*" */
	PATTERN_GLOB,   /* any other pattern */
};

#define FILTER_STEPS_MAX 8192 /* more than fit in one write to a filter file */
/* Values of next that are not the number of a step. */
#define FILTER_REJECT 0xfffe
#define FILTER_ACCEPT 0xffff

struct filter_step {
	u8 op;           /* FILTER_NUMBER() or enum filter_op */
	u8 comparison;   /* FILTER_OP_CPU: a FILTER_NUMBER(); FILTER_OP_CPUMASK: COMPARE_* */
	u8 string;       /* FILTER_OP_STRING: enum filter_string */
	u8 pattern_type; /* FILTER_OP_STRING: enum filter_pattern */
	bool differs;    /* FILTER_OP_STRING: true if the string does not match */
	u16 offset;      /* of the field in the record */
	u16 size;        /* of the field; FILTER_OP_CPUS: 0: the field is this CPU */
	u16 next[2];     /* the step after false and after true; FILTER_REJECT, FILTER_ACCEPT */
	u32 length;      /* bytes of the pattern; FILTER_OP_FUNCTION: of the function */
	union {
		u64 value; /* FILTER_OP_FUNCTION: the function's address */
		const char *pattern;
		const struct cpumask *cpus; /* FILTER_OP_CPUS, FILTER_OP_CPUMASK */
	};
};

/*
 * All in one allocation: behind the steps are sets of CPUs, the text and the patterns. Constant
 * once compiled. A filter that a file shows after an error has one step, which lets all records
 * pass.
 */
struct event_filter {
	const char *text;    /* what the filter file shows */
	struct rcu_head rcu; /* after its last use */
	bool reads_head; /* a step reads a field of struct trace_entry, which all records have */
	/*
	 * The whole program in short, if it is one comparison by ==, != or & of a number that is
	 * not in the head: event_filter_match_word(). word_at: where the word is in the record; 0:
	 * it is another program.
	 */
	u16 word_at;
	bool pass_equal;
	u64 mask, value;
	struct filter_step steps[];
};

/* The word of 8 bytes that a filter with word_at compares. Any context, as the next one. */
static __always_inline u64 event_filter_word(const struct event_filter *filter, const void *rec)
{
	u64 word;

	__builtin_memcpy(&word, (const char *)rec + filter->word_at, sizeof(word));
	return word;
}

/* Runs a filter with word_at: compares the bits of the word in mask with those of value. */
static __always_inline bool event_filter_match_word(const struct event_filter *filter, u64 word)
{
	return !((word ^ filter->value) & filter->mask) == filter->pass_equal;
}

/* The reasons why a text is refused, in the order of filter_error_texts[]. */
enum filter_reason {
	FILTER_ERR_NONE,
	FILTER_ERR_INVALID_OP,
	FILTER_ERR_TOO_MANY_OPEN,
	FILTER_ERR_TOO_MANY_CLOSE,
	FILTER_ERR_MISSING_QUOTE,
	FILTER_ERR_OPERAND_TOO_LONG,
	FILTER_ERR_EXPECT_STRING,
	FILTER_ERR_EXPECT_DIGIT,
	FILTER_ERR_ILLEGAL_FIELD_OP,
	FILTER_ERR_FIELD_NOT_FOUND,
	FILTER_ERR_ILLEGAL_INTVAL,
	FILTER_ERR_BAD_SUBSYS_FILTER,
	FILTER_ERR_TOO_MANY_PREDS,
	FILTER_ERR_INVALID_FILTER,
	FILTER_ERR_INVALID_VALUE,
	FILTER_ERR_NO_FUNCTION,
	FILTER_ERR_INVALID_CPULIST,
	FILTER_ERR_MISSING_BRACE_OPEN,
	FILTER_ERR_MISSING_BRACE_CLOSE,
	FILTER_ERR_ERRNO, /* Linux has no other words for it */
	FILTER_ERR_NO_FILTER,
};
extern const char *const filter_error_texts[];

/* Why and where a text is refused. */
struct filter_error {
	enum filter_reason reason; /* FILTER_ERR_NONE: without a reason, as in Linux */
	unsigned position; /* of the caret; may lie behind the end of the text, as in Linux */
};

struct trace_event_call;
struct trace_event_field;

/* Where the compiler is in a text. */
struct filter_parser {
	const struct trace_event_call *call;
	const char *text;
	struct event_filter *filter;
	unsigned nr_steps;
	unsigned at;          /* the next character of text */
	char *patterns;       /* the room for the next pattern */
	struct cpumask *cpus; /* the room for the next set of CPUs */
	struct filter_error *error;
};

/*
 * Compiles text (parse.c). After an errno other than -ENOMEM, *error says why. Task context.
 */
int filter_compile(const struct trace_event_call *call, const char *text,
		   struct event_filter **filter, struct filter_error *error);
/*
 * Compiles the predicate at p->at into *step, and moves p->at behind it. *invert becomes true if
 * the step stands for the opposite comparison. 0 or an errno (predicate.c).
 */
int filter_parse_predicate(struct filter_parser *p, struct filter_step *step, bool *invert);
/* Notes why the text is refused, and returns error. */
static inline int filter_refuse(struct filter_parser *p, enum filter_reason reason,
				unsigned position, int error)
{
	p->error->reason = reason;
	p->error->position = position;
	return error;
}
