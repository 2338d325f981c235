/* Packets: see skbuff.h. */
#include "net/core/skbuff.h"

#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

/* A packet with room for `own` bytes. It says that it has len bytes. */
static struct sk_buff *new_skb(unsigned own, unsigned len, gfp_t gfp)
{
	struct sk_buff *skb = kmalloc(sizeof(*skb) + own, gfp);

	if (!skb)
		return NULL;
	INIT_LIST_HEAD(&skb->list);
	atomic_set(&skb->users, 1);
	skb->data = skb->bytes;
	skb->len = len;
	skb->offset = 0;
	skb->stamp = 0;
	skb->mss = 0;
	skb->from_tcp = false;
	skb->destructor = NULL;
	skb->truesize = (unsigned)sizeof(*skb) + len;
	return skb;
}

struct sk_buff *alloc_skb(unsigned len, gfp_t gfp)
{
	return new_skb(len, len, gfp);
}

struct sk_buff *skb_copy(const struct sk_buff *skb, gfp_t gfp)
{
	struct sk_buff *copy = alloc_skb(skb->len, gfp);

	if (copy) {
		memcpy(copy->data, skb->data, skb->len);
		copy->stamp = skb->stamp;
	}
	return copy;
}

/* The packet whose bytes these are. */
static struct sk_buff *bytes_owner(const struct sk_buff *skb)
{
	return container_of(skb->data, struct sk_buff, bytes[0]);
}

struct sk_buff *skb_clone(const struct sk_buff *skb, gfp_t gfp)
{
	struct sk_buff *clone = new_skb(0, skb->len, gfp);

	if (clone) {
		atomic_inc(&bytes_owner(skb)->users);
		clone->data = skb->data;
		clone->stamp = skb->stamp;
	}
	return clone;
}

void kfree_skb(struct sk_buff *skb)
{
	struct sk_buff *owner;

	if (!skb)
		return;
	if (skb->destructor)
		skb->destructor(skb);
	owner = bytes_owner(skb);
	if (owner != skb)
		kfree(skb);
	if (atomic_dec_and_test(&owner->users))
		kfree(owner);
}

void skb_queue_purge(struct list_head *queue)
{
	struct sk_buff *skb, *next;

	list_for_each_entry_safe (skb, next, queue, list)
		kfree_skb(skb);
	INIT_LIST_HEAD(queue);
}
