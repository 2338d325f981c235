/* TCP: making and sending segments. See tcp.h. */
#include "kernel/irq/softirq.h"
#include "net/ipv4/tcp.h"

struct sk_buff *tcp_alloc_skb(unsigned len, gfp_t gfp)
{
	struct sk_buff *skb = alloc_skb(TCP_HEADERS + len, gfp);

	if (skb) {
		skb->from_tcp = true;
		skb->charged = 0;
	}
	return skb;
}

static void uncharge_skb(struct sk_buff *skb)
{
	tcp_uncharge(skb->truesize);
}

struct sk_buff *tcp_alloc_data(unsigned len, gfp_t gfp)
{
	struct sk_buff *skb = tcp_alloc_skb(len, gfp);

	if (skb)
		skb->destructor = uncharge_skb;
	else
		tcp_uncharge(TCP_TRUESIZE(len));
	return skb;
}

static void set_ip_header(const struct tcp_sock *tp, struct sk_buff *skb)
{
	*ip_hdr(skb) = (struct iphdr){
		.version_ihl = 0x45,
		.tos = (u8)READ_ONCE(tp->sk.tos),
		.tot_len = htons((u16)skb->len),
		.frag_off = htons(0x4000),
		.ttl = (u8)READ_ONCE(tp->sk.ttl),
		.protocol = IPPROTO_TCP,
		.saddr = tp->sk.saddr,
		.daddr = tp->sk.daddr,
	};
}

static void send(struct tcp_sock *tp, struct sk_buff *skb, u8 flags)
{
	tp->counts.segs_out++;
	set_ip_header(tp, skb);
	*tcp_hdr(skb) = (struct tcphdr){
		.source = htons(tp->sk.num),
		.dest = tp->sk.dport,
		.seq = htonl(tp->snd_nxt),
		.ack_seq = flags & TCPHDR_ACK ? htonl(tp->rcv_nxt) : 0,
		.doff = sizeof(struct tcphdr) / 4 << 4,
		.flags = flags,
		.window = TCP_WINDOW,
	};
	ip_local_out(skb, false);
}

void tcp_transmit(struct tcp_sock *tp, struct sk_buff *skb, u8 flags)
{
	u32 len = tcp_payload(skb), next = tp->snd_nxt + len;

	tp->counts.bytes_sent += len;
	tp->counts.data_segs_out += !!len;
	if (flags & (TCPHDR_SYN | TCPHDR_FIN))
		next++;
	if (flags & TCPHDR_SYN)
		skb->mss = (u16)tp->options[TCP_MAXSEG];
	send(tp, skb, flags);
	tp->snd_nxt = next;
}

void tcp_send_ack(struct tcp_sock *tp, struct sk_buff *skb)
{
	skb->len = TCP_HEADERS;
	send(tp, skb, TCPHDR_ACK);
}

void tcp_send_fin(struct tcp_sock *tp)
{
	struct sk_buff *skb = tp->last_skb;

	if (!skb)
		return;
	tp->last_skb = NULL;
	tp->fin_sent = true;
	WRITE_ONCE(tp->sk.state, tp->sk.state == TCP_CLOSE_WAIT ? TCP_LAST_ACK : TCP_FIN_WAIT1);
	tcp_transmit(tp, skb, TCPHDR_FIN | TCPHDR_ACK);
}

void tcp_send_active_reset(struct tcp_sock *tp, struct list_head *unread)
{
	struct sk_buff *skb = list_first_entry_or_null(unread, struct sk_buff, list);

	if (skb) {
		list_del_init(&skb->list);
		tcp_send_reset(skb);
		return;
	}
	skb = tp->last_skb;
	tp->last_skb = NULL;
	/* Memory was short. The peer learns it when it sends something. */
	if (skb)
		tcp_transmit(tp, skb, TCPHDR_RST | TCPHDR_ACK);
}

void tcp_send_reset(struct sk_buff *skb)
{
	struct tcphdr *th = tcp_hdr(skb);
	u8 flags = th->flags;
	u32 end = tcp_seq(skb) + tcp_payload(skb) + !!(flags & (TCPHDR_SYN | TCPHDR_FIN));
	struct tcphdr reset = {
		.source = th->dest,
		.dest = th->source,
		.seq = flags & TCPHDR_ACK ? th->ack_seq : 0,
		.ack_seq = flags & TCPHDR_ACK ? 0 : htonl(end),
		.doff = sizeof(struct tcphdr) / 4 << 4,
		.flags = flags & TCPHDR_ACK ? TCPHDR_RST : TCPHDR_RST | TCPHDR_ACK,
	};

	*th = reset;
	skb->charged = 0;
	ip_reverse(skb, IPPROTO_TCP, sizeof(*th));
	ip_local_out(skb, false);
}
