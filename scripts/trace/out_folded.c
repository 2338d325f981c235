/*
 * Folded stacks, as flamegraph.pl reads them: `TASK;OUTER;INNER NUMBER`. For function_graph the number is the nanoseconds
 * spent in the innermost function itself. For the function tracer the number counts the calls of the innermost function; the
 * stack is the event's stack trace if it has one, else the function and its caller.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"

#define NODES_MAX  1000000 /* bounds the memory; a new stack beyond this limit is cut at its known callers */

/* A node is a stack: its function, called from its parent's stack. */
struct node {
	struct node *parent, *next, *children; /* next: sibling */
	unsigned symbol;
	uint64_t value;
};

struct root {
	struct root *next;
	char name[24];
	struct node node;
};

struct folded {
	struct root *roots;
	unsigned nr_nodes;
	bool full;
};

static void begin(struct converter *c)
{
	c->data = allocate(sizeof(struct folded));
}

/* Returns the root for the task's name. Tasks with the same name share it. */
static struct node *root_of(struct converter *c, struct task *task)
{
	struct folded *folded = c->data;
	const char *name = dat_comm(c->dat, task->pid);
	struct root *root;
	struct root **known = task->data;

	if (known)
		return &(*known)->node;
	for (root = folded->roots; root; root = root->next)
		if (!strcmp(root->name, name))
			break;
	if (!root) {
		root = allocate(sizeof(*root));
		snprintf(root->name, sizeof(root->name), "%s", name);
		root->next = folded->roots;
		folded->roots = root;
	}
	known = allocate(sizeof(*known));
	*known = root;
	task->data = known;
	return &root->node;
}

static struct node *child_of(struct folded *folded, struct node *parent, unsigned symbol)
{
	struct node *child, **link = &parent->children;

	for (; (child = *link); link = &child->next)
		if (child->symbol == symbol) {
			/* Moves the node to the head of the list: the next lookup is probably for the same node. */
			*link = child->next;
			child->next = parent->children;
			parent->children = child;
			return child;
		}
	if (folded->nr_nodes == NODES_MAX) {
		if (!folded->full)
			fprintf(stderr, "trace-convert: more than %d different stacks: further ones are cut\n", NODES_MAX);
		folded->full = true;
		return parent;
	}
	folded->nr_nodes++;
	child = allocate(sizeof(*child));
	*child = (struct node){ .parent = parent, .next = parent->children, .symbol = symbol };
	parent->children = child;
	return child;
}

static void add_event(struct converter *c, const struct event *event, struct task *task)
{
	unsigned symbols[STACK_MAX], n = event_stack(c, event, symbols);
	struct node *node = n ? root_of(c, task) : NULL;

	while (n)
		node = child_of(c->data, node, symbols[--n]);
	if (node)
		node->value++;
}

static void add_call(struct converter *c, struct task *task, struct frame *frame, uint64_t ts)
{
	struct node *parent = task->nr_frames > 1 ? frame[-1].node : root_of(c, task);

	(void)ts;
	frame->node = child_of(c->data, parent, frame->symbol);
}

static void add_return(struct converter *c, struct task *task, struct frame *frame, uint64_t ts, bool whole)
{
	struct node *node = frame->node;

	(void)c, (void)task, (void)ts, (void)whole;
	if (frame->duration > frame->children)
		node->value += frame->duration - frame->children;
}

/* Replaces ';' and ' ', which separate fields in this format. */
static void put_name(void *out, const char *name)
{
	for (; *name; name++)
		putc_unlocked(*name == ';' || *name == ' ' ? '_' : *name, out);
}

static void put_stack(struct converter *c, const struct root *root, const struct node *node)
{
	const struct node *stack[4200];
	unsigned n = 0;

	for (; node->parent && n < 4200; node = node->parent)
		stack[n++] = node;
	put_name(c->out, root->name);
	while (n) {
		putc_unlocked(';', c->out);
		put_name(c->out, dat_symbol_name(c->dat, stack[--n]->symbol));
	}
}

static void put_root(struct converter *c, struct root *root)
{
	struct node *node = &root->node, *next;

	/* Prints the children before their parent, and frees each node after its children. */
	for (;;) {
		while (node->children)
			node = node->children;
		if (node->value && node->parent) {
			put_stack(c, root, node);
			fprintf(c->out, " %" PRIu64 "\n", node->value);
		}
		if (!node->parent)
			return;
		next = node->parent;
		next->children = node->next;
		free(node);
		node = next;
	}
}

static void end(struct converter *c)
{
	struct folded *folded = c->data;
	struct root *root, *next;

	for (root = folded->roots; root; root = next) {
		next = root->next;
		put_root(c, root);
		free(root);
	}
	free(folded);
}

const struct output output_folded = { .name = "folded", .help = "folded stacks, for flamegraph.pl and speedscope",
				      .begin = begin, .event = add_event, .call = add_call, .ret = add_return,
				      .end = end };
