/* TCP_INFO: what a socket says of its connection in each state. */
#include "inet.h"
#include <netinet/tcp.h>

/* The structure of Linux 6.1; musl's is shorter. */
struct info {
	uint8_t state, ca_state, retransmits, probes, backoff, options, wscale, flags;
	uint32_t rto, ato, snd_mss, rcv_mss, unacked, sacked, lost, retrans, fackets;
	uint32_t last_data_sent, last_ack_sent, last_data_recv, last_ack_recv;
	uint32_t pmtu, rcv_ssthresh, rtt, rttvar, snd_ssthresh, snd_cwnd, advmss, reordering, rcv_rtt, rcv_space, total_retrans;
	uint64_t pacing_rate, max_pacing_rate, bytes_acked, bytes_received;
	uint32_t segs_out, segs_in, notsent_bytes, min_rtt, data_segs_in, data_segs_out;
	uint64_t delivery_rate, busy_time, rwnd_limited, sndbuf_limited;
	uint32_t delivered, delivered_ce;
	uint64_t bytes_sent, bytes_retrans;
	uint32_t dsack_dups, reord_seen, rcv_ooopack, snd_wnd;
};

static struct info info_of(int fd)
{
	struct info info = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		show("TCP_INFO: %s", error_name(errno)), exit(1);
	return info;
}

static void state(const char *what, int fd)
{
	struct info i = info_of(fd);

	show("%s: state %u, unacked %u, sacked %u, advmss %u, pmtu %u, snd_mss %s", what, i.state, i.unacked, i.sacked, i.advmss, i.pmtu,
	     !i.snd_mss ? "0" : i.snd_mss == 536 ? "536" : i.snd_mss <= i.advmss ? "more" : "?");
	show("\tlost %u %u %u %u %u, ssthresh %#x, reordering %u, max pacing %#llx", i.lost, i.retrans, i.fackets, i.total_retrans,
	     i.retransmits, i.snd_ssthresh, i.reordering, (unsigned long long)i.max_pacing_rate);
}

static void counts(const char *what, int fd)
{
	struct info i = info_of(fd);

	show("%s: sent %llu, acked %llu, received %llu, not sent %u, sent again %llu", what, (unsigned long long)i.bytes_sent,
	     (unsigned long long)i.bytes_acked, (unsigned long long)i.bytes_received, i.notsent_bytes,
	     (unsigned long long)i.bytes_retrans);
	show("\tdata segments out: %s, in: %s; window: %s; cwnd %u", i.data_segs_out ? "yes" : "no", i.data_segs_in ? "yes" : "no",
	     i.snd_wnd ? "yes" : "no", i.snd_cwnd);
}

/* Waits for an acknowledgement, which Linux may delay. */
static void wait_for(int fd, unsigned wanted)
{
	while (info_of(fd).state != wanted)
		let_others_run();
}

static void transfer(int from, int to, size_t n)
{
	static char buf[65536];

	while (n) {
		ssize_t sent = send(from, buf, n < sizeof(buf) ? n : sizeof(buf), 0), left = sent;

		n -= (size_t)sent;
		while (left)
			left -= recv(to, buf, (size_t)left, 0);
	}
}

static void lengths(int fd)
{
	unsigned char buf[300];
	static const int tried[] = { 0, 1, 8, 104, 240, 300, -1 };

	for (unsigned n = 0; n < sizeof(tried) / sizeof(tried[0]); n++) {
		socklen_t len = (socklen_t)tried[n];

		memset(buf, 0xee, sizeof(buf));
		errno = 0;
		report("getsockopt", getsockopt(fd, IPPROTO_TCP, TCP_INFO, buf, &len));
		show("\tlength %d: %d, state %#x, 7 %#x, 8 %#x, 239 %#x, 240 %#x", tried[n], (int)len, buf[0], buf[7], buf[8] == 0xee,
		     buf[239] == 0xee, buf[240] == 0xee);
	}
	CALL(getsockopt(fd, IPPROTO_TCP, TCP_INFO, (void *)8, &(socklen_t){ 240 }));
	CALL(getsockopt(fd, IPPROTO_TCP, TCP_INFO, buf, (void *)8));
	CALL(setsockopt(fd, IPPROTO_TCP, TCP_INFO, buf, sizeof(struct info)));
}

int main(void)
{
	int l = listener(), port = own_port(l), s = socket(AF_INET, SOCK_STREAM, 0), u = socket(AF_INET, SOCK_DGRAM, 0), a, b;

	CALL(getsockopt(u, IPPROTO_TCP, TCP_INFO, (char[300]){ 0 }, &(socklen_t){ 240 }));
	lengths(s);
	state("new", s), counts("new", s);
	state("listener", l), counts("listener", l);
	connect_to(s, "127.0.0.1", port);
	settle();
	state("listener with one", l);
	b = socket(AF_INET, SOCK_STREAM, 0);
	connect_to(b, "127.0.0.1", port);
	settle();
	state("listener with two", l);
	a = accept(l, NULL, NULL);
	state("listener with one", l);
	lengths(s);
	state("connected", s), counts("connected", s);
	state("accepted", a), counts("accepted", a);
	transfer(s, a, 10);
	settle();
	counts("10 bytes", s), counts("10 bytes", a);
	transfer(a, s, 1000000);
	settle();
	counts("a million back", s), counts("a million back", a);
	shutdown(s, SHUT_WR);
	wait_for(s, 5);
	state("FIN sent", s), state("FIN received", a);
	counts("FIN sent", s), counts("FIN received", a);
	shutdown(a, SHUT_WR);
	wait_for(a, 7);
	wait_for(s, 7);
	state("second", s), state("first", a);
	counts("second", s), counts("first", a);
	close(l);
	settle();
	state("reset", b);
	counts("reset", b);
	return 0;
}
