/* The events of network devices. Names and texts are Linux's (events/net/). */
#if !defined(NET_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define NET_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM net

#include "kernel/tracepoint.h"
#include "net/core/dev.h"

/* clang-format off */

DECLARE_EVENT_CLASS(net_dev_template,
	TP_PROTO(struct sk_buff *skb),
	TP_ARGS(skb),
	TP_STRUCT__entry(
		__field(void *, skbaddr)
		__field(unsigned int, len)
		__string(name, loopback_dev.name)
	),
	TP_fast_assign(
		__entry->skbaddr = skb;
		__entry->len = skb->len;
		__assign_str(name, loopback_dev.name);
	),
	TP_printk("dev=%s skbaddr=%p len=%u", __get_str(name), __entry->skbaddr, __entry->len)
);

/* A packet is sent. Softirqs are off. */
DEFINE_EVENT(net_dev_template, net_dev_queue,
	TP_PROTO(struct sk_buff *skb),
	TP_ARGS(skb)
);

/* A packet comes from a device, and enters the backlog of the CPU. Softirqs are off. */
DEFINE_EVENT(net_dev_template, netif_rx,
	TP_PROTO(struct sk_buff *skb),
	TP_ARGS(skb)
);

/* A packet leaves the backlog for its protocol. Softirq context. */
DEFINE_EVENT(net_dev_template, netif_receive_skb,
	TP_PROTO(struct sk_buff *skb),
	TP_ARGS(skb)
);

/* clang-format on */
#endif
