/*
 * Ids of programs, maps, types and links, by which descriptors of them can be had.
 * Legend: [L] bpf_ids.lock.
 */
#include "arch/mm/uaccess.h"
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/syscall/command.h"

#define ID_MAX 0x7fffffffU /* Linux's */

struct bpf_id {
	struct rb_node node; /* [L] */
	u32 id;              /* constant */
	void *object;        /* constant */
};

/* The first entry with an id of at least `id`. L held. */
static struct bpf_id *find_from(const struct bpf_ids *ids, u32 id)
{
	struct rb_node *node = ids->tree.rb_node;
	struct bpf_id *best = NULL;

	while (node) {
		struct bpf_id *entry = rb_entry(node, struct bpf_id, node);

		if (entry->id >= id)
			best = entry;
		node = entry->id > id ? node->rb_left : node->rb_right;
		if (entry->id == id)
			break;
	}
	return best;
}

/* The first free id behind the last one, from 1 on again after ID_MAX; 0: none. L held. */
static u32 find_free(const struct bpf_ids *ids)
{
	u32 id = ids->last;

	for (u32 tries = 0; tries < ID_MAX; tries++) {
		const struct bpf_id *entry;

		id = id < ID_MAX ? id + 1 : 1;
		entry = find_from(ids, id);
		if (!entry || entry->id != id)
			return id;
	}
	return 0;
}

/* L held. */
static void insert(struct bpf_ids *ids, struct bpf_id *new)
{
	struct rb_node **link = &ids->tree.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = new->id < rb_entry(parent, struct bpf_id, node)->id ? &parent->rb_left
									   : &parent->rb_right;
	}
	rb_link_node(&new->node, parent, link);
	rb_insert_color(&new->node, &ids->tree);
}

int bpf_id_add(struct bpf_ids *ids, void *object, u32 *id)
{
	struct bpf_id *new = kzalloc(sizeof(*new), GFP_KERNEL);
	unsigned long flags;

	if (!new)
		return -ENOMEM;
	new->object = object;
	spin_lock_irqsave(&ids->lock, flags);
	new->id = *id = find_free(ids);
	if (new->id) {
		ids->last = new->id;
		insert(ids, new);
	}
	spin_unlock_irqrestore(&ids->lock, flags);
	if (*id)
		return 0;
	kfree(new);
	return -ENOSPC;
}

void bpf_id_remove(struct bpf_ids *ids, u32 id)
{
	struct bpf_id *entry;
	unsigned long flags;

	if (!id)
		return;
	spin_lock_irqsave(&ids->lock, flags);
	entry = find_from(ids, id);
	rb_erase(&entry->node, &ids->tree);
	spin_unlock_irqrestore(&ids->lock, flags);
	kfree(entry);
}

void *bpf_id_get(struct bpf_ids *ids, u32 id, bool (*try_get)(void *object))
{
	struct bpf_id *entry;
	void *object = NULL;
	unsigned long flags;

	spin_lock_irqsave(&ids->lock, flags);
	entry = find_from(ids, id);
	if (entry && entry->id == id && try_get(entry->object))
		object = entry->object;
	spin_unlock_irqrestore(&ids->lock, flags);
	return object;
}

void *bpf_id_get_from(struct bpf_ids *ids, u32 *id, bool (*try_get)(void *object))
{
	struct bpf_id *entry;
	void *object = NULL;
	unsigned long flags;

	spin_lock_irqsave(&ids->lock, flags);
	for (entry = find_from(ids, *id); entry; entry = find_from(ids, entry->id + 1)) {
		if (!try_get(entry->object))
			continue;
		object = entry->object;
		*id = entry->id;
		break;
	}
	spin_unlock_irqrestore(&ids->lock, flags);
	return object;
}

long bpf_get_next_id(const union bpf_attr *attr, union bpf_attr __user *uattr, struct bpf_ids *ids)
{
	const struct bpf_id *entry;
	unsigned long flags;
	u32 id = 0;

	if (attr->start_id >= ID_MAX)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	spin_lock_irqsave(&ids->lock, flags);
	entry = find_from(ids, attr->start_id + 1);
	if (entry)
		id = entry->id;
	spin_unlock_irqrestore(&ids->lock, flags);
	if (!id)
		return -ENOENT;
	return put_user(id, &uattr->next_id);
}
