/*
 * Doubly linked circular lists. Nodes are embedded in objects; a head has the same type. The caller
 * locks.
 */
#pragma once

#include "kernel/compiler.h"

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name)                                                                       \
	{                                                                                          \
		&(name), &(name)                                                                   \
	}
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void __list_add(struct list_head *node, struct list_head *prev,
			      struct list_head *next)
{
	next->prev = node;
	node->next = next;
	node->prev = prev;
	WRITE_ONCE(prev->next, node);
}

static inline void list_add(struct list_head *node, struct list_head *head)
{
	__list_add(node, head, head->next);
}

static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	__list_add(node, head->prev, head);
}

static inline void list_del(struct list_head *node)
{
	/*
	 * Load both before the stores: for the compiler a store could change them, so it would load
	 * again.
	 */
	struct list_head *prev = node->prev, *next = node->next;

	next->prev = prev;
	WRITE_ONCE(prev->next, next);
}

static inline void list_del_init(struct list_head *node)
{
	list_del(node);
	INIT_LIST_HEAD(node);
}

static inline bool list_empty(const struct list_head *head)
{
	return READ_ONCE(head->next) == head;
}

static inline bool list_is_singular(const struct list_head *head)
{
	return !list_empty(head) && head->next == head->prev;
}

static inline void list_move_tail(struct list_head *node, struct list_head *head)
{
	list_del(node);
	list_add_tail(node, head);
}

/* new takes the place of old, which is in a list. */
static inline void list_replace_init(struct list_head *old, struct list_head *new)
{
	new->next = old->next;
	new->prev = old->prev;
	new->next->prev = new;
	new->prev->next = new;
	INIT_LIST_HEAD(old);
}

/* Moves all nodes of list to the tail of head. list is empty afterwards. */
static inline void list_splice_tail_init(struct list_head *list, struct list_head *head)
{
	if (list_empty(list))
		return;
	list->next->prev = head->prev;
	head->prev->next = list->next;
	list->prev->next = head;
	head->prev = list->prev;
	INIT_LIST_HEAD(list);
}

#define list_entry(ptr, type, member)        container_of(ptr, type, member)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)
#define list_next_entry(pos, member)         list_entry(pos->member.next, __typeof__(*pos), member)
#define list_last_entry(head, type, member)  list_entry((head)->prev, type, member)
#define list_first_entry_or_null(head, type, member)                                               \
	(list_empty(head) ? NULL : list_first_entry(head, type, member))
#define list_for_each(pos, head) for (pos = (head)->next; pos != (head); pos = pos->next)
#define list_for_each_entry(pos, head, member)                                                     \
	for (pos = list_entry((head)->next, __typeof__(*pos), member); &pos->member != (head);     \
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))
#define list_for_each_entry_safe(pos, n, head, member)                                             \
	for (pos = list_entry((head)->next, __typeof__(*pos), member),                             \
	    n = list_entry(pos->member.next, __typeof__(*pos), member);                            \
	     &pos->member != (head);                                                               \
	     pos = n, n = list_entry(n->member.next, __typeof__(*n), member))
