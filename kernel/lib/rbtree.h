/*
 * Red-black trees: embedded nodes, the caller searches, links and locks (Linux's interface).
 *
 * To insert: walk from &root->rb_node to the empty link where the node belongs, rb_link_node(),
 * then rb_insert_color(). The _cached forms keep the leftmost node at hand, which is what a run
 * queue or a timer base asks for. No function here sleeps, allocates or recurses; any context.
 */
#pragma once

#include "kernel/compiler.h"

struct rb_node {
	unsigned long parent_color; /* the parent's address; bit 0 is set in a black node */
	struct rb_node *rb_left;
	struct rb_node *rb_right;
} __aligned(8);

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
	struct rb_node *rb_leftmost;
};

/* As expressions, for initialising at run time; `= RB_ROOT` works for a static tree as well. */
#define RB_ROOT        ((struct rb_root){ NULL })
#define RB_ROOT_CACHED ((struct rb_root_cached){ { NULL }, NULL })

#define rb_entry(ptr, type, member) container_of(ptr, type, member)
#define RB_EMPTY_ROOT(root)         (READ_ONCE((root)->rb_node) == NULL)
/* A node that is in no tree, when its owner says so with RB_CLEAR_NODE (erasing does not). */
#define RB_EMPTY_NODE(node) ((node)->parent_color == (unsigned long)(node))
#define RB_CLEAR_NODE(node) ((node)->parent_color = (unsigned long)(node))

static inline struct rb_node *rb_parent(const struct rb_node *node)
{
	return (struct rb_node *)(node->parent_color & ~1UL);
}

/* Hang node, red and without children, on the empty link of parent (NULL at the root). */
static inline void rb_link_node(struct rb_node *node, struct rb_node *parent, struct rb_node **link)
{
	node->parent_color = (unsigned long)parent;
	node->rb_left = NULL;
	node->rb_right = NULL;
	*link = node;
}

/* Rebalance after rb_link_node(). */
void rb_insert_color(struct rb_node *node, struct rb_root *root);
/* Take node, which must be in the tree, out of it. */
void rb_erase(struct rb_node *node, struct rb_root *root);

/* The next node in sorted order; NULL after the last one. */
struct rb_node *rb_next(const struct rb_node *node);

#define rb_first_cached(root) ((root)->rb_leftmost)

/* leftmost: the search for the place only ever went left. */
static inline void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
					  bool leftmost)
{
	if (leftmost)
		root->rb_leftmost = node;
	rb_insert_color(node, &root->rb_root);
}

static inline void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	if (root->rb_leftmost == node)
		root->rb_leftmost = rb_next(node);
	rb_erase(node, &root->rb_root);
}

/* Insert node where less(node, other) says; equal nodes keep the order of arrival. */
static __always_inline void rb_add_cached(struct rb_node *node, struct rb_root_cached *root,
					  bool (*less)(struct rb_node *, const struct rb_node *))
{
	struct rb_node **link = &root->rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (less(node, parent)) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(node, parent, link);
	rb_insert_color_cached(node, root, leftmost);
}
