/* Packets: see skbuff.h. */
#include "net/core/skbuff.h"

#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

struct sk_buff *alloc_skb(unsigned len, gfp_t gfp)
{
	struct sk_buff *skb = kmalloc(sizeof(*skb) + len, gfp);

	if (!skb)
		return NULL;
	INIT_LIST_HEAD(&skb->list);
	skb->len = len;
	skb->offset = 0;
	skb->stamp = 0;
	skb->mss = 0;
	skb->from_tcp = false;
	skb->destructor = NULL;
	skb->truesize = (unsigned)sizeof(*skb) + len;
	return skb;
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

void kfree_skb(struct sk_buff *skb)
{
	if (skb && skb->destructor)
		skb->destructor(skb);
	kfree(skb);
}

void skb_queue_purge(struct list_head *queue)
{
	struct sk_buff *skb, *next;

	list_for_each_entry_safe (skb, next, queue, list)
		kfree_skb(skb);
	INIT_LIST_HEAD(queue);
}
