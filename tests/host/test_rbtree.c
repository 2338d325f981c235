/*
 * Red-black trees.
 * sources: kernel/lib/rbtree.c
 */
#include "test.h"

#include "kernel/lib/rbtree.h"

struct item {
	struct rb_node node;
	unsigned key, serial;
	bool in_tree;
};

static bool item_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct item, node)->key < rb_entry(b, struct item, node)->key;
}

/* Returns the black height. Fails if the tree breaks a rule. */
static unsigned check_subtree(const struct rb_node *node, const struct rb_node *parent)
{
	unsigned left, right;
	bool black;

	if (!node)
		return 1;
	black = node->parent_color & 1;
	assert_ptr_equal(rb_parent(node), parent);
	if (!black && parent)
		assert_true(parent->parent_color & 1);
	if (!parent)
		assert_true(black);
	left = check_subtree(node->rb_left, node);
	right = check_subtree(node->rb_right, node);
	assert_int_equal(left, right);
	return left + black;
}

static void check_tree(const struct rb_root_cached *root, unsigned count)
{
	const struct item *last = NULL;
	unsigned n = 0;

	check_subtree(root->rb_root.rb_node, NULL);
	for (struct rb_node *node = rb_first_cached(root); node; node = rb_next(node)) {
		const struct item *item = rb_entry(node, struct item, node);

		if (last) {
			assert_true(last->key <= item->key);
			if (last->key == item->key)
				assert_true(last->serial < item->serial);
		}
		last = item;
		n++;
	}
	assert_int_equal(n, count);
}

static void test_tree_keeps_its_rules_under_random_inserts_and_erases(void **state)
{
	static struct item items[300];
	struct rb_root_cached root = RB_ROOT_CACHED;
	unsigned count = 0, serial = 0;

	(void)state;
	srand(1);
	for (unsigned step = 0; step < 20000; step++) {
		struct item *item = &items[(unsigned)rand() % ARRAY_SIZE(items)];

		if (item->in_tree) {
			rb_erase_cached(&item->node, &root);
			count--;
		} else {
			item->key = (unsigned)rand() % 100;
			item->serial = serial++;
			rb_add_cached(&item->node, &root, item_less);
			count++;
		}
		item->in_tree = !item->in_tree;
		if (step % 16 == 0)
			check_tree(&root, count);
	}
	while (rb_first_cached(&root)) {
		rb_erase_cached(rb_first_cached(&root), &root);
		check_tree(&root, --count);
	}
	assert_int_equal(count, 0);
	assert_null(root.rb_root.rb_node);
}

static void test_ascending_inserts_stay_shallow(void **state)
{
	static struct item items[1024];
	struct rb_root_cached root = RB_ROOT_CACHED;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(items); i++) {
		items[i].key = i;
		items[i].serial = i;
		rb_add_cached(&items[i].node, &root, item_less);
	}
	check_tree(&root, ARRAY_SIZE(items));
	assert_true(check_subtree(root.rb_root.rb_node, NULL) <= 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree_keeps_its_rules_under_random_inserts_and_erases),
		cmocka_unit_test(test_ascending_inserts_stay_shallow),
	};

	return cmocka_run_group_tests_name("rbtree", tests, NULL, NULL);
}
