/*
 * The text of an event, from the "print fmt" line of its format file. That line has the arguments of a printf() in C:
 *
 *	print fmt: "irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled"
 *
 * print_parse.c makes a tree of each argument, once for each format. print_eval.c computes a tree for a record, with the
 * types of C and the functions that the kernel allows here, such as __print_flags(). print_text.c puts the values into
 * the string, as the kernel's printf() does.
 */
#pragma once

#include "dat_internal.h"

/* A piece of a print fmt. The trees of a print fmt are all in its array `nodes`, and refer to each other by index. */
enum node_kind {
	NODE_UNKNOWN,	 /* a variable or a function of the kernel that is not known here */
	NODE_NUMBER,	 /* number, type */
	NODE_SYMBOL,	 /* text: the address of this symbol, if the trace has it */
	NODE_TEXT,	 /* text */
	NODE_FIELD,	 /* field: REC->field */
	NODE_CAST,	 /* (type)a */
	NODE_UNARY,	 /* op a */
	NODE_BINARY,	 /* a op b */
	NODE_CONDITION,	 /* a ? b : c */
	NODE_INDEX,	 /* a[b] */
	NODE_CALL,	 /* function(a, b, c), list */
};

/* Operators of two characters. Those of one character stand for themselves. */
enum { OP_OR = 256, OP_AND, OP_EQUAL, OP_UNEQUAL, OP_AT_MOST, OP_AT_LEAST, OP_LEFT, OP_RIGHT };

enum function {
	GET_STRING,	    /* __get_str(field) */
	GET_ARRAY,	    /* __get_dynamic_array(field) */
	GET_LENGTH,	    /* __get_dynamic_array_len(field) */
	GET_BITMASK,	    /* __get_bitmask(field) */
	GET_STACK,	    /* __get_stacktrace(field) */
	PRINT_FLAGS,	    /* __print_flags(a, b, list) */
	PRINT_SYMBOLIC,	    /* __print_symbolic(a, list) */
	PRINT_HEX,	    /* __print_hex(a, b) */
	PRINT_HEX_TOGETHER, /* __print_hex_str(a, b) */
	PRINT_ARRAY,	    /* __print_array(a, b, c) */
};

/* A type of C. */
struct type {
	uint8_t size; /* 1, 2, 4, 8; of what a pointer refers to: 0, unless it is known */
	bool is_unsigned, is_pointer;
};

#define NO_NODE 0 /* the first node is not used */

struct node {
	enum node_kind kind;
	int op; /* also enum function */
	struct type type; /* size 0 without is_pointer: one that is not known */
	uint64_t number;
	const char *text;
	const struct event_field *field;
	unsigned a, b, c;
	unsigned list, next; /* the first pair {a, b} of a list, and the pair behind this one */
};

struct print_fmt {
	struct node *nodes;
	unsigned nr_nodes;
	const char *text;   /* the string of the printf() */
	unsigned arguments; /* the first argument; node.next is the one behind it. NO_NODE: none */
	char *strings;	    /* the memory of all texts */
};

/* print_parse.c: NULL: this is no print fmt that can be understood. The fields are used as long as the result is. */
struct print_fmt *print_fmt_parse(const char *line, const struct event_field *fields, unsigned nr_fields);
void print_fmt_free(struct print_fmt *print);

/* A value. A text has `text`, which may lack a NUL after its size bytes; an array of bytes, too. */
struct value {
	bool unknown;
	struct type type;
	uint64_t number;
	const char *text; /* NULL: a number */
	size_t size;
};

/* The record whose text is made, and memory for the texts that are made for it. */
struct record {
	struct dat *dat;
	const uint8_t *data;
	size_t size;
	const struct print_fmt *print;
	unsigned depth; /* of print_eval() in itself */
	char made[4096];
	size_t nr_made;
};

/* print_eval.c: the value of a tree. */
struct value print_eval(struct record *record, unsigned node);
/* print_text.c: the text of the record. Returns its length. */
size_t print_fmt_text(struct record *record, char *buf, size_t size);
