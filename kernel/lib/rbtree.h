/*
 * Red-black trees with Linux's interface. Nodes are embedded in objects. The caller searches, links
 * and locks.
 *
 * To insert a node: walk from &root->rb_node to the empty link where it belongs, call
 * rb_link_node(), then rb_insert_color(). The _cached functions also keep a pointer to the leftmost
 * node, which run queues and timer bases need. No function here sleeps, allocates or recurses. Any
 * context.
 */
#pragma once

#include "kernel/compiler.h"

struct rb_node {
	unsigned long parent_color; /* the address of the parent; bit 0: the node is black */
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

/* Expressions, for initializing at run time. `= RB_ROOT` initializes a static tree as well. */
#define RB_ROOT        ((struct rb_root){ NULL })
#define RB_ROOT_CACHED ((struct rb_root_cached){ { NULL }, NULL })

#define rb_entry(ptr, type, member) container_of(ptr, type, member)
#define RB_EMPTY_ROOT(root)         (READ_ONCE((root)->rb_node) == NULL)
/*
 * True for a node that its owner has marked with RB_CLEAR_NODE() as being in no tree. Erasing does
 * not mark it.
 */
#define RB_EMPTY_NODE(node) ((node)->parent_color == (unsigned long)(node))
#define RB_CLEAR_NODE(node) ((node)->parent_color = (unsigned long)(node))

static inline struct rb_node *rb_parent(const struct rb_node *node)
{
	return (struct rb_node *)(node->parent_color & ~1UL);
}

/*
 * Puts node, red and without children, into an empty link of parent. parent NULL: node is the root.
 */
static inline void rb_link_node(struct rb_node *node, struct rb_node *parent, struct rb_node **link)
{
	node->parent_color = (unsigned long)parent;
	node->rb_left = NULL;
	node->rb_right = NULL;
	*link = node;
}

/* Rebalances the tree after rb_link_node(). */
void rb_insert_color(struct rb_node *node, struct rb_root *root);
/* Removes node, which must be in the tree. */
void rb_erase(struct rb_node *node, struct rb_root *root);

/* The next node in sorted order; NULL after the last one. */
struct rb_node *rb_next(const struct rb_node *node);

#define rb_first_cached(root) ((root)->rb_leftmost)

/* leftmost: the search for the link has always gone to the left. */
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

/* Inserts node in the order of less(node, other). Equal nodes stay in the order of insertion. */
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
