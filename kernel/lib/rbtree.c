/*
 * Red-black trees (Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms, chapter 13).
 *
 * A node is red or black. The root is black. A red node has black children. All paths from a node
 * down to an empty link pass the same number of black nodes. So no path is more than twice as long
 * as another path. An empty link counts as black.
 */
#include "kernel/lib/rbtree.h"

#define RB_BLACK 1UL

static inline bool is_red(const struct rb_node *node)
{
	return node && !(node->parent_color & RB_BLACK);
}

static inline void set_black(struct rb_node *node)
{
	node->parent_color |= RB_BLACK;
}

static inline void set_red(struct rb_node *node)
{
	node->parent_color &= ~RB_BLACK;
}

static inline void set_parent(struct rb_node *node, struct rb_node *parent)
{
	node->parent_color = (unsigned long)parent | (node->parent_color & RB_BLACK);
}

/* Replaces old by new in old's parent, or in the root. */
static inline void replace_child(struct rb_root *root, struct rb_node *parent, struct rb_node *old,
				 struct rb_node *new)
{
	if (!parent)
		WRITE_ONCE(root->rb_node, new);
	else if (parent->rb_left == old)
		parent->rb_left = new;
	else
		parent->rb_right = new;
}

/* Puts the right child of node in the place of node. node becomes its left child. */
static void rotate_left(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *up = node->rb_right, *parent = rb_parent(node);

	node->rb_right = up->rb_left;
	if (up->rb_left)
		set_parent(up->rb_left, node);
	up->rb_left = node;
	replace_child(root, parent, node, up);
	set_parent(up, parent);
	set_parent(node, up);
}

static void rotate_right(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *up = node->rb_left, *parent = rb_parent(node);

	node->rb_left = up->rb_right;
	if (up->rb_right)
		set_parent(up->rb_right, node);
	up->rb_right = node;
	replace_child(root, parent, node, up);
	set_parent(up, parent);
	set_parent(node, up);
}

void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *parent;

	/* Only one rule may be broken: node and its parent may both be red. */
	while (is_red(parent = rb_parent(node))) {
		struct rb_node *grand =
			rb_parent(parent); /* exists, because parent is red and the root is black */
		bool left = parent == grand->rb_left;
		struct rb_node *uncle = left ? grand->rb_right : grand->rb_left;

		if (is_red(uncle)) {
			set_black(parent);
			set_black(uncle);
			set_red(grand);
			node = grand;
			continue;
		}
		if (left) {
			if (node == parent->rb_right) {
				rotate_left(parent, root);
				parent = node;
			}
			set_black(parent);
			set_red(grand);
			rotate_right(grand, root);
		} else {
			if (node == parent->rb_left) {
				rotate_right(parent, root);
				parent = node;
			}
			set_black(parent);
			set_red(grand);
			rotate_left(grand, root);
		}
		break;
	}
	set_black(root->rb_node);
}

/*
 * Restores the rules after an erase. Paths through node, a child of parent or an empty link, have
 * one black node too few.
 */
static void erase_color(struct rb_node *node, struct rb_node *parent, struct rb_root *root)
{
	while (parent && !is_red(node)) {
		bool left = node == parent->rb_left;
		struct rb_node *sibling = left ? parent->rb_right : parent->rb_left;

		if (is_red(sibling)) {
			set_black(sibling);
			set_red(parent);
			if (left) {
				rotate_left(parent, root);
				sibling = parent->rb_right;
			} else {
				rotate_right(parent, root);
				sibling = parent->rb_left;
			}
		}
		if (!is_red(sibling->rb_left) && !is_red(sibling->rb_right)) {
			set_red(sibling);
			node = parent;
			parent = rb_parent(node);
			continue;
		}
		if (left) {
			if (!is_red(sibling->rb_right)) {
				set_black(sibling->rb_left);
				set_red(sibling);
				rotate_right(sibling, root);
				sibling = parent->rb_right;
			}
			set_black(sibling->rb_right);
		} else {
			if (!is_red(sibling->rb_left)) {
				set_black(sibling->rb_right);
				set_red(sibling);
				rotate_left(sibling, root);
				sibling = parent->rb_left;
			}
			set_black(sibling->rb_left);
		}
		/*
		 * The rotation puts the sibling in the parent's place. It takes the parent's
		 * colour, too.
		 */
		if (is_red(parent))
			set_red(sibling);
		else
			set_black(sibling);
		set_black(parent);
		if (left)
			rotate_left(parent, root);
		else
			rotate_right(parent, root);
		return;
	}
	if (node)
		set_black(node);
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *child, *parent;
	bool black;

	if (node->rb_left && node->rb_right) {
		/* The next node in order takes node's place. It has no left child. */
		struct rb_node *next = node->rb_right;

		while (next->rb_left)
			next = next->rb_left;
		child = next->rb_right;
		parent = rb_parent(next);
		black = !is_red(next);
		if (parent == node) {
			parent = next;
		} else {
			parent->rb_left = child;
			if (child)
				set_parent(child, parent);
			next->rb_right = node->rb_right;
			set_parent(next->rb_right, next);
		}
		next->rb_left = node->rb_left;
		set_parent(next->rb_left, next);
		next->parent_color = node->parent_color;
		replace_child(root, rb_parent(node), node, next);
	} else {
		child = node->rb_left ? node->rb_left : node->rb_right;
		parent = rb_parent(node);
		black = !is_red(node);
		replace_child(root, parent, node, child);
		if (child)
			set_parent(child, parent);
	}
	if (black)
		erase_color(child, parent, root);
}

struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *parent;

	if (node->rb_right) {
		node = node->rb_right;
		while (node->rb_left)
			node = node->rb_left;
		return (struct rb_node *)node;
	}
	while ((parent = rb_parent(node)) && node == parent->rb_right)
		node = parent;
	return parent;
}
