/*
 * Lists that readers follow under RCU while a writer changes them. Writers hold a lock of their
 * own. A removed node still points into the list, for the readers that are at it. So the writer may
 * reuse or free the node only after a grace period. As in Linux (Documentation/RCU/listRCU.rst).
 */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/rcu/rcu.h"

static inline void __list_add_rcu(struct list_head *node, struct list_head *prev,
				  struct list_head *next)
{
	node->next = next;
	node->prev = prev;
	rcu_assign_pointer(prev->next, node);
	next->prev = node;
}

static inline void list_add_rcu(struct list_head *node, struct list_head *head)
{
	__list_add_rcu(node, head, head->next);
}

static inline void list_add_tail_rcu(struct list_head *node, struct list_head *head)
{
	__list_add_rcu(node, head->prev, head);
}

/* node->next stays, for readers that are at node. */
static inline void list_del_rcu(struct list_head *node)
{
	list_del(node);
	node->prev = NULL;
}

/* Puts node in the place of old. */
static inline void list_replace_rcu(struct list_head *old, struct list_head *node)
{
	node->next = old->next;
	node->prev = old->prev;
	rcu_assign_pointer(node->prev->next, node);
	node->next->prev = node;
	old->prev = NULL;
}

#define list_entry_rcu(ptr, type, member) list_entry(rcu_dereference(ptr), type, member)

/* For readers: between rcu_read_lock() and rcu_read_unlock(), or as another kind of reader. */
#define list_for_each_rcu(pos, head)                                                               \
	for (pos = rcu_dereference((head)->next); pos != (head); pos = rcu_dereference(pos->next))
#define list_for_each_entry_rcu(pos, head, member)                                                 \
	for (pos = list_entry_rcu((head)->next, __typeof__(*pos), member); &pos->member != (head); \
	     pos = list_entry_rcu(pos->member.next, __typeof__(*pos), member))
