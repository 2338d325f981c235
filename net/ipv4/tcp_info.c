/*
 * TCP_INFO: what getsockopt(2) says of a connection. See tcp.h.
 *
 * On lo nothing is lost, measured or slowed down. So the fields about that have the values that
 * Linux's have before it has measured anything, and the counters of losses are 0.
 */
#include "kernel/irq/softirq.h"
#include "net/ipv4/tcp.h"

#define TCP_INFINITE_SSTHRESH 0x7fffffffU
#define TCP_INIT_CWND         10U
#define TCP_REORDERING        3U
#define TCP_TIMEOUT_INIT      1000000U /* microseconds */
#define TCPI_RATE_APP_LIMITED 1U       /* the program sends less than the connection could carry */
#define LO_MTU                65535U

/* struct tcp_info of Linux 6.1, as programs know it. */
struct tcp_info {
	u8 tcpi_state, tcpi_ca_state, tcpi_retransmits, tcpi_probes, tcpi_backoff, tcpi_options;
	u8 tcpi_wscale, tcpi_flags;
	u32 tcpi_rto, tcpi_ato, tcpi_snd_mss, tcpi_rcv_mss;
	u32 tcpi_unacked, tcpi_sacked, tcpi_lost, tcpi_retrans, tcpi_fackets;
	u32 tcpi_last_data_sent, tcpi_last_ack_sent, tcpi_last_data_recv, tcpi_last_ack_recv;
	u32 tcpi_pmtu, tcpi_rcv_ssthresh, tcpi_rtt, tcpi_rttvar, tcpi_snd_ssthresh, tcpi_snd_cwnd;
	u32 tcpi_advmss, tcpi_reordering, tcpi_rcv_rtt, tcpi_rcv_space, tcpi_total_retrans;
	u64 tcpi_pacing_rate, tcpi_max_pacing_rate, tcpi_bytes_acked, tcpi_bytes_received;
	u32 tcpi_segs_out, tcpi_segs_in, tcpi_notsent_bytes, tcpi_min_rtt;
	u32 tcpi_data_segs_in, tcpi_data_segs_out;
	u64 tcpi_delivery_rate, tcpi_busy_time, tcpi_rwnd_limited, tcpi_sndbuf_limited;
	u32 tcpi_delivered, tcpi_delivered_ce;
	u64 tcpi_bytes_sent, tcpi_bytes_retrans;
	u32 tcpi_dsack_dups, tcpi_reord_seen, tcpi_rcv_ooopack, tcpi_snd_wnd;
};
BUILD_BUG_ON(sizeof(struct tcp_info) != 232);

/* S held. The fields of the queue have other meanings for a listener. */
static void listener_info(const struct tcp_sock *tp, struct tcp_info *info)
{
	info->tcpi_unacked = tp->qlen;
	info->tcpi_sacked = tp->backlog;
}

/* S held. The socket has had a connection if it has sent or received a segment. */
static void connection_info(const struct tcp_sock *tp, struct tcp_info *info)
{
	const struct tcp_counts *counts = &tp->counts;

	info->tcpi_flags = TCPI_RATE_APP_LIMITED;
	info->tcpi_rto = TCP_TIMEOUT_INIT;
	info->tcpi_snd_ssthresh = TCP_INFINITE_SSTHRESH;
	info->tcpi_min_rtt = ~0U;
	info->tcpi_snd_mss = info->tcpi_rcv_mss = TCP_MSS_DEFAULT;
	/* Softirqs deliver at once: what was sent has arrived, except a SYN or FIN. */
	info->tcpi_bytes_sent = counts->bytes_sent;
	info->tcpi_bytes_acked = counts->bytes_sent + counts->marks_acked;
	info->tcpi_bytes_received = counts->bytes_received;
	info->tcpi_segs_out = counts->segs_out;
	info->tcpi_segs_in = counts->segs_in;
	info->tcpi_data_segs_out = counts->data_segs_out;
	info->tcpi_data_segs_in = counts->data_segs_in;
	info->tcpi_delivered = counts->data_segs_out + counts->marks_acked;
	info->tcpi_rcv_ooopack = counts->ooo_segs;
	if (!counts->segs_in)
		return;
	info->tcpi_snd_mss = info->tcpi_rcv_mss = TCP_PIECE;
	info->tcpi_pmtu = LO_MTU;
	info->tcpi_advmss = info->tcpi_rcv_ssthresh = info->tcpi_rcv_space = TCP_MSS_LO;
	info->tcpi_snd_wnd = TCP_WINDOW;
}

int tcp_get_info(struct tcp_sock *tp, char __user *value, int __user *ulen)
{
	struct tcp_info info = { .tcpi_snd_cwnd = TCP_INIT_CWND,
				 .tcpi_reordering = TCP_REORDERING,
				 .tcpi_pacing_rate = ~0ULL,
				 .tcpi_max_pacing_rate = ~0ULL };

	spin_lock_bh(&tp->sk.lock);
	/* On Linux, a connection in TIME_WAIT is no longer the socket's. */
	info.tcpi_state = (u8)(tp->sk.state == TCP_TIME_WAIT ? TCP_CLOSE : tp->sk.state);
	if (tp->sk.state == TCP_LISTEN)
		listener_info(tp, &info);
	else
		connection_info(tp, &info);
	spin_unlock_bh(&tp->sk.lock);
	return put_option(&info, sizeof(info), value, ulen);
}
