/*
 * The events of the memory allocators. Names, fields and texts are Linux's (events/kmem/).
 *
 * All contexts but NMI. Those of pages in batches are in the lock of the zone.
 */
#if !defined(KMEM_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define KMEM_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kmem

#include "kernel/mm/gfp_names.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/tracepoint.h"

/* clang-format off */

/*
 * What kmalloc and kmem_cache_alloc have in common. They are no class, because only the second one
 * has the field "accounted", as in Linux.
 */
#ifndef KMEM_ALLOC_FIELDS
#define KMEM_ALLOC_FIELDS                                                                          \
	__field(unsigned long, call_site)                                                          \
	__field(const void *, ptr)                                                                 \
	__field(size_t, bytes_req)                                                                 \
	__field(size_t, bytes_alloc)                                                               \
	__field(unsigned long, gfp_flags)                                                          \
	__field(int, node)
#define KMEM_ALLOC_ASSIGN                                                                          \
	__entry->call_site = call_site;                                                            \
	__entry->ptr = ptr;                                                                        \
	__entry->bytes_req = bytes_req;                                                            \
	__entry->bytes_alloc = bytes_alloc;                                                        \
	__entry->gfp_flags = gfp_flags;                                                            \
	__entry->node = -1;
#define KMEM_ALLOC_FORMAT                                                                          \
	"call_site=%pS ptr=%p bytes_req=%zu bytes_alloc=%zu gfp_flags=%s node=%d accounted=%s"
#define KMEM_ALLOC_VALUES                                                                          \
	(void *)__entry->call_site, __entry->ptr, __entry->bytes_req, __entry->bytes_alloc,        \
	show_gfp_flags(__entry->gfp_flags), __entry->node
#endif

/* nop5 has one memory node and does not account allocations to groups of tasks. */
TRACE_EVENT(kmem_cache_alloc,
	TP_PROTO(unsigned long call_site, const void *ptr, const char *name, size_t bytes_req,
		 size_t bytes_alloc, gfp_t gfp_flags),
	TP_ARGS(call_site, ptr, name, bytes_req, bytes_alloc, gfp_flags),
	TP_STRUCT__entry(
		KMEM_ALLOC_FIELDS
		__field(bool, accounted)
	),
	TP_fast_assign(
		KMEM_ALLOC_ASSIGN
		__entry->accounted = false;
	),
	TP_printk(KMEM_ALLOC_FORMAT, KMEM_ALLOC_VALUES,
		  __entry->accounted ? "true" : "false")
);

TRACE_EVENT(kmalloc,
	TP_PROTO(unsigned long call_site, const void *ptr, size_t bytes_req, size_t bytes_alloc,
		 gfp_t gfp_flags),
	TP_ARGS(call_site, ptr, bytes_req, bytes_alloc, gfp_flags),
	TP_STRUCT__entry(
		KMEM_ALLOC_FIELDS
	),
	TP_fast_assign(
		KMEM_ALLOC_ASSIGN
	),
	TP_printk(KMEM_ALLOC_FORMAT, KMEM_ALLOC_VALUES,
		  (1 && (__entry->gfp_flags & ( unsigned long)__GFP_ACCOUNT)) ? "true" : "false")
);

/* ptr may be NULL. */
TRACE_EVENT(kfree,
	TP_PROTO(unsigned long call_site, const void *ptr),
	TP_ARGS(call_site, ptr),
	TP_STRUCT__entry(
		__field(unsigned long, call_site)
		__field(const void *, ptr)
	),
	TP_fast_assign(
		__entry->call_site = call_site;
		__entry->ptr = ptr;
	),
	TP_printk("call_site=%pS ptr=%p", (void *)__entry->call_site, __entry->ptr)
);

TRACE_EVENT(kmem_cache_free,
	TP_PROTO(unsigned long call_site, const void *ptr, const char *name),
	TP_ARGS(call_site, ptr, name),
	TP_STRUCT__entry(
		__field(unsigned long, call_site)
		__field(const void *, ptr)
		__string(name, name)
	),
	TP_fast_assign(
		__entry->call_site = call_site;
		__entry->ptr = ptr;
		__assign_str(name, name);
	),
	TP_printk("call_site=%pS ptr=%p name=%s", (void *)__entry->call_site, __entry->ptr,
		  __get_str(name))
);

/* The struct page with that frame number. vmemmap_base is another name of mem_map. */
#ifndef EVENT_PAGE
#define EVENT_PAGE(pfn) (((struct page *)vmemmap_base) + (pfn))
#define EVENT_PAGE_OR_NULL(pfn) pfn != -1UL ? EVENT_PAGE(pfn) : ((void *)0)
#define EVENT_PFN_OR_0(pfn) pfn != -1UL ? pfn : 0
#define EVENT_NO_PFN -1UL
#define MIGRATE_UNMOVABLE 0 /* nop5 moves no pages: all have this type */
#endif

/* A block of pages goes to its user. pfn is EVENT_NO_PFN if memory is short. */
TRACE_EVENT(mm_page_alloc,
	TP_PROTO(unsigned long pfn, unsigned int order, gfp_t gfp_flags, int migratetype),
	TP_ARGS(pfn, order, gfp_flags, migratetype),
	TP_STRUCT__entry(
		__field(unsigned long, pfn)
		__field(unsigned int, order)
		__field(unsigned long, gfp_flags)
		__field(int, migratetype)
	),
	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->order = order;
		__entry->gfp_flags = gfp_flags;
		__entry->migratetype = migratetype;
	),
	TP_printk("page=%p pfn=0x%lx order=%d migratetype=%d gfp_flags=%s",
		  EVENT_PAGE_OR_NULL(__entry->pfn), EVENT_PFN_OR_0(__entry->pfn), __entry->order,
		  __entry->migratetype, show_gfp_flags(__entry->gfp_flags))
);

/* A user frees a block of pages. */
TRACE_EVENT(mm_page_free,
	TP_PROTO(unsigned long pfn, unsigned int order),
	TP_ARGS(pfn, order),
	TP_STRUCT__entry(
		__field(unsigned long, pfn)
		__field(unsigned int, order)
	),
	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->order = order;
	),
	TP_printk("page=%p pfn=0x%lx order=%d", EVENT_PAGE(__entry->pfn), __entry->pfn,
		  __entry->order)
);

/* A block leaves the buddy allocator. percpu_refill: for the cache of this CPU. */
TRACE_EVENT(mm_page_alloc_zone_locked,
	TP_PROTO(unsigned long pfn, unsigned int order, int migratetype, int percpu_refill),
	TP_ARGS(pfn, order, migratetype, percpu_refill),
	TP_STRUCT__entry(
		__field(unsigned long, pfn)
		__field(unsigned int, order)
		__field(int, migratetype)
		__field(int, percpu_refill)
	),
	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->order = order;
		__entry->migratetype = migratetype;
		__entry->percpu_refill = percpu_refill;
	),
	TP_printk("page=%p pfn=0x%lx order=%u migratetype=%d percpu_refill=%d",
		  EVENT_PAGE_OR_NULL(__entry->pfn), EVENT_PFN_OR_0(__entry->pfn), __entry->order,
		  __entry->migratetype, __entry->percpu_refill)
);

/* A page goes from the cache of this CPU back to the buddy allocator. */
TRACE_EVENT(mm_page_pcpu_drain,
	TP_PROTO(unsigned long pfn, unsigned int order, int migratetype),
	TP_ARGS(pfn, order, migratetype),
	TP_STRUCT__entry(
		__field(unsigned long, pfn)
		__field(unsigned int, order)
		__field(int, migratetype)
	),
	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->order = order;
		__entry->migratetype = migratetype;
	),
	TP_printk("page=%p pfn=0x%lx order=%d migratetype=%d", EVENT_PAGE(__entry->pfn),
		  __entry->pfn, __entry->order, __entry->migratetype)
);

/* clang-format on */
#endif
