/*
 * LPM_TRIE: the longest prefix of a key that is in the map, as routers look up networks.
 *
 * A key is a number of bits and bytes: 10.1.0.0/16 has 16 bits. A binary tree holds them. A node
 * has all bits of its parent and some more; its child is on the left if the next bit is 0. Two keys
 * that part in the middle of a node get a common parent that has no value: such a node always has
 * two children.
 *
 *	            10.0.0.0/8
 *	          /            \
 *	   10.1.0.0/16      10.128.0.0/15, without a value
 *	                     /            \
 *	            10.128.0.0/16     10.129.0.0/16
 *
 * Writers take the lock of the map. Readers take none. Nodes are reused at once, so a writer can
 * put a node that a reader is at into another part of the tree; `changes` tells the reader to look
 * again. A reader does that a few times only: it may be an NMI that has interrupted the writer.
 *
 * The key of a caller may be in an array that a program in ring 3 has mapped, and change at any
 * time. So a reader reads its number of bits once, and a writer works on a copy: what it has
 * compared is what goes into the tree.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/maps/pool.h"

#define DATA_MAX 256 /* bytes of a key without the number of its bits */
#define RETRIES  16

/* A key. user space's struct bpf_lpm_trie_key. */
struct lpm_key {
	u32 prefixlen; /* bits */
	u8 data[];
};

/* Room for a copy of any key. */
union lpm_key_copy {
	struct lpm_key key;
	u8 bytes[sizeof(struct lpm_key) + DATA_MAX];
};

struct lpm_node {
	struct bpf_pool_elem pool;
	struct lpm_node *child[2]; /* [L] to write */
	bool has_value;            /* [L] to write */
	struct lpm_key key;        /* [C] while the node is in the tree */
};

/* Legend: [C] constant; [L] lock. */
struct lpm_trie {
	struct bpf_map map;
	struct lpm_node *root; /* [L] to write */
	u32 changes;           /* [L] to write; odd: a change is under way */
	u32 entries;           /* [L] nodes with a value */
	u32 data_size;         /* [C] bytes */
	u32 max_prefixlen;     /* [C] bits */
	u32 value_offset;      /* [C] in a node */
	u32 lock;              /* bpf_lock() */
	struct bpf_pool pool;
};

static inline struct lpm_trie *to_trie(const struct bpf_map *map)
{
	return container_of((struct bpf_map *)map, struct lpm_trie, map);
}

static inline void *value_of(const struct lpm_trie *trie, struct lpm_node *node)
{
	return (u8 *)node + trie->value_offset;
}

/* ---- bits ---- */

static inline unsigned bit_of(const struct lpm_key *key, u32 bit)
{
	return key->data[bit / 8] >> (7 - bit % 8) & 1;
}

/* The number of bits at the start that are equal, of the first `limit`, which both keys have. */
static u32 common_bits(const struct lpm_key *a, const struct lpm_key *b, u32 limit)
{
	u32 bytes = DIV_ROUND_UP(limit, 8);

	for (u32 i = 0; i < bytes; i++) {
		u32 differ = a->data[i] ^ b->data[i];

		if (differ)
			return min(limit, 8 * i + (u32)__builtin_clz(differ) - 24);
	}
	return limit;
}

/* ---- readers ---- */

/* prefixlen: of the key. */
static struct lpm_node *find_longest(const struct lpm_trie *trie, const struct lpm_key *key,
				     u32 prefixlen)
{
	struct lpm_node *node = smp_load_acquire(&trie->root), *found = NULL;
	u32 next_len = 0;

	while (node) {
		u32 len = READ_ONCE(node->key.prefixlen);

		/* The lengths grow, or a writer has moved the node: so the walk ends. */
		if (len < next_len || len > prefixlen || common_bits(&node->key, key, len) < len)
			break;
		if (READ_ONCE(node->has_value))
			found = node;
		if (len == prefixlen)
			break;
		node = smp_load_acquire(&node->child[bit_of(key, len)]);
		next_len = len + 1;
	}
	return found;
}

static void *trie_lookup(struct bpf_map *map, const void *key)
{
	u32 prefixlen = READ_ONCE(((const struct lpm_key *)key)->prefixlen), changes;
	struct lpm_trie *trie = to_trie(map);
	struct lpm_node *found;

	if (prefixlen > trie->max_prefixlen)
		return NULL;
	for (int i = 0; i < RETRIES; i++) {
		changes = smp_load_acquire(&trie->changes);
		found = find_longest(trie, key, prefixlen);
		smp_rmb();
		if (!(changes & 1) && READ_ONCE(trie->changes) == changes)
			break;
	}
	return found ? value_of(trie, found) : NULL;
}

/* ---- writers ---- */

static bool lock_trie(struct lpm_trie *trie, unsigned long *flags)
{
	if (!bpf_lock(&trie->lock, flags))
		return false;
	WRITE_ONCE(trie->changes, trie->changes + 1);
	smp_wmb();
	return true;
}

static void unlock_trie(struct lpm_trie *trie, unsigned long flags)
{
	smp_store_release(&trie->changes, trie->changes + 1);
	bpf_unlock(&trie->lock, flags);
}

static struct lpm_node *new_node(struct lpm_trie *trie, const struct lpm_key *key, u32 prefixlen,
				 const void *value)
{
	struct lpm_node *node = (struct lpm_node *)bpf_pool_take(&trie->pool);

	if (!node)
		return NULL;
	node->child[0] = node->child[1] = NULL;
	node->key.prefixlen = prefixlen;
	memcpy(node->key.data, key->data, trie->data_size);
	node->has_value = value;
	if (value)
		memcpy(value_of(trie, node), value, trie->map.value_size);
	return node;
}

/*
 * Where the key belongs: the link to the node that has it, or where the way ends. *parent_link: the
 * link to the node in which that link is, or NULL. L held.
 */
static struct lpm_node **find_link(struct lpm_trie *trie, const struct lpm_key *key,
				   struct lpm_node ***parent_link)
{
	struct lpm_node **link = &trie->root, *node;

	*parent_link = NULL;
	while ((node = *link) && node->key.prefixlen < key->prefixlen &&
	       common_bits(&node->key, key, node->key.prefixlen) == node->key.prefixlen) {
		*parent_link = link;
		link = &node->child[bit_of(key, node->key.prefixlen)];
	}
	return link;
}

static inline bool has_key(const struct lpm_node *node, const struct lpm_key *key)
{
	return node && node->key.prefixlen == key->prefixlen &&
	       common_bits(&node->key, key, key->prefixlen) == key->prefixlen;
}

/* Puts a new node at the link, in front of a node that has other bits. 0 or -ENOMEM. L held. */
static long add_in_front(struct lpm_trie *trie, struct lpm_node **link, struct lpm_node *new)
{
	struct lpm_node *node = *link, *fork = new;
	u32 common =
		common_bits(&node->key, &new->key, min(node->key.prefixlen, new->key.prefixlen));

	if (common < new->key.prefixlen) {
		fork = new_node(trie, &new->key, common, NULL);
		if (!fork)
			return -ENOMEM;
		fork->child[bit_of(&new->key, common)] = new;
	}
	fork->child[bit_of(&node->key, common)] = node;
	smp_store_release(link, fork);
	return 0;
}

/* L held. */
static long insert(struct lpm_trie *trie, const struct lpm_key *key, const void *value, u64 flags)
{
	struct lpm_node **parent_link, **link = find_link(trie, key, &parent_link), *old = *link,
				       *new;
	bool same_key = has_key(old, key), exists = same_key && old->has_value;
	long error = 0;

	if (exists && flags == BPF_NOEXIST)
		return -EEXIST;
	if (!exists && flags == BPF_EXIST)
		return -ENOENT;
	if (!exists && trie->entries == trie->map.max_entries)
		return -ENOSPC;
	new = new_node(trie, key, key->prefixlen, value);
	if (!new)
		return -ENOMEM;
	if (same_key) {
		new->child[0] = old->child[0];
		new->child[1] = old->child[1];
	}
	if (old && !same_key)
		error = add_in_front(trie, link, new);
	else
		smp_store_release(link, new);
	if (error)
		bpf_pool_give(&trie->pool, &new->pool);
	else if (same_key)
		bpf_pool_give(&trie->pool, &old->pool);
	trie->entries += !error && !exists;
	return error;
}

static long trie_update(struct bpf_map *map, const void *key, const void *value, u64 flags)
{
	struct lpm_trie *trie = to_trie(map);
	union lpm_key_copy copy;
	unsigned long irq_flags;
	long error;

	memcpy(&copy, key, map->key_size);
	if (flags > BPF_EXIST || copy.key.prefixlen > trie->max_prefixlen)
		return -EINVAL;
	if (!lock_trie(trie, &irq_flags))
		return -EBUSY;
	error = insert(trie, &copy.key, value, flags);
	unlock_trie(trie, irq_flags);
	return error;
}

/* L held. */
static long remove(struct lpm_trie *trie, const struct lpm_key *key)
{
	struct lpm_node **parent_link, **link = find_link(trie, key, &parent_link), *node = *link;
	struct lpm_node *parent = parent_link ? *parent_link : NULL;

	if (!has_key(node, key) || !node->has_value)
		return -ENOENT;
	trie->entries--;
	if (node->child[0] && node->child[1]) {
		WRITE_ONCE(node->has_value, false); /* it stays as their parent */
		return 0;
	}
	if (parent && !parent->has_value && !node->child[0] && !node->child[1]) {
		/* The parent has one child left, and no value: it goes, too. */
		smp_store_release(parent_link, parent->child[node == parent->child[0]]);
		bpf_pool_give(&trie->pool, &parent->pool);
	} else {
		smp_store_release(link, node->child[0] ? node->child[0] : node->child[1]);
	}
	bpf_pool_give(&trie->pool, &node->pool);
	return 0;
}

static long trie_delete(struct bpf_map *map, const void *key)
{
	struct lpm_trie *trie = to_trie(map);
	union lpm_key_copy copy;
	unsigned long flags;
	long error;

	memcpy(&copy, key, map->key_size);
	if (copy.key.prefixlen > trie->max_prefixlen)
		return -EINVAL;
	if (!lock_trie(trie, &flags))
		return -EBUSY;
	error = remove(trie, &copy.key);
	unlock_trie(trie, flags);
	return error;
}

/* ---- walks ---- */

static struct lpm_node *leftmost(struct lpm_node *node)
{
	while (node && (node->child[0] || node->child[1]))
		node = node->child[0] ? node->child[0] : node->child[1];
	return node;
}

/*
 * The node after the one with that key: children before their parents, left before right. A key
 * that is not there: the first node. The key is a copy: only bpf(2) walks. L held.
 */
static struct lpm_node *find_next(struct lpm_trie *trie, const struct lpm_key *key)
{
	struct lpm_node *node = trie->root, *next = NULL;

	if (!key || key->prefixlen > trie->max_prefixlen)
		return leftmost(node);
	while (node && node->key.prefixlen < key->prefixlen &&
	       common_bits(&node->key, key, node->key.prefixlen) == node->key.prefixlen) {
		unsigned bit = bit_of(key, node->key.prefixlen);

		/* What follows after this subtree; deeper nodes come first. */
		if (bit == 0 && node->child[1])
			next = leftmost(node->child[1]);
		else if (node->has_value)
			next = node;
		node = node->child[bit];
	}
	return has_key(node, key) && node->has_value ? next : leftmost(trie->root);
}

static int trie_get_next_key(struct bpf_map *map, const void *key, void *next_key)
{
	struct lpm_trie *trie = to_trie(map);
	struct lpm_node *next;
	unsigned long flags;

	if (!bpf_lock(&trie->lock, &flags))
		return -EBUSY;
	next = find_next(trie, key);
	if (next)
		memcpy(next_key, &next->key, map->key_size);
	bpf_unlock(&trie->lock, flags);
	return next ? 0 : -ENOENT;
}

static int trie_prepare_update(struct bpf_map *map)
{
	bpf_pool_prepare(&to_trie(map)->pool);
	return 0;
}

/* ---- making ---- */

static int trie_check(const union bpf_attr *attr)
{
	u32 head = sizeof(struct lpm_key);

	if (!attr->max_entries || !(attr->map_flags & BPF_F_NO_PREALLOC) ||
	    !bpf_map_flags_ok(attr->map_flags,
			      BPF_F_NO_PREALLOC | BPF_F_NUMA_NODE | BPF_F_ACCESS_MASK) ||
	    attr->key_size < head + 1 || attr->key_size > head + DATA_MAX || !attr->value_size ||
	    attr->value_size > KMALLOC_MAX_SIZE - DATA_MAX - sizeof(struct lpm_node))
		return -EINVAL;
	return 0;
}

static struct bpf_map *trie_alloc(const union bpf_attr *attr)
{
	struct lpm_trie *trie = kzalloc(sizeof(*trie), GFP_KERNEL);
	struct bpf_pool_layout layout = { .grows = true };
	u64 limit = 2ULL * attr->max_entries + bpf_pool_spares(); /* with a parent for each */
	int error;

	if (!trie)
		return ERR_PTR(-ENOMEM);
	bpf_map_init(&trie->map, bpf_find_map_type(attr->map_type), attr);
	trie->data_size = attr->key_size - (u32)sizeof(struct lpm_key);
	trie->max_prefixlen = 8 * trie->data_size;
	trie->value_offset = ALIGN((u32)offsetof(struct lpm_node, key.data) + trie->data_size, 8);
	layout.map = &trie->map;
	layout.limit = (u32)min(limit, (u64)BPF_POOL_MAX);
	layout.elem_size = trie->value_offset + ALIGN(attr->value_size, 8);
	error = bpf_pool_init(&trie->pool, &layout);
	if (error) {
		kfree(trie);
		return ERR_PTR(error);
	}
	return &trie->map;
}

static void trie_free(struct bpf_map *map)
{
	struct lpm_trie *trie = to_trie(map);

	bpf_pool_destroy(&trie->pool);
	kfree(trie);
}

static const struct bpf_map_ops lpm_trie BPF_MAP_TYPE(lpm_trie) = {
	.type = BPF_MAP_TYPE_LPM_TRIE,
	.name = "lpm_trie",
	.alloc_check = trie_check,
	.alloc = trie_alloc,
	.free = trie_free,
	.lookup = trie_lookup,
	.update = trie_update,
	.delete = trie_delete,
	.get_next_key = trie_get_next_key,
	.prepare_update = trie_prepare_update,
};
