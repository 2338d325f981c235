/* getsockopt(2) and setsockopt(2) of AF_INET: ip(7), raw(7). */
#include "kernel/irq/softirq.h"
#include "kernel/lib/string.h"
#include "net/ipv4/inet.h"

#define SO_ACCEPTCONN 30

#define IP_TOS          1
#define IP_TTL          2
#define IP_HDRINCL      3
#define IP_OPTIONS      4
#define IP_MTU_DISCOVER 10
#define IP_RECVERR      11

#define IPOPT_END  0
#define IPOPT_NOOP 1

#define SOL_RAW     255
#define ICMP_FILTER 1

/* Options may be given as one byte, too. */
static int get_number(int *n, const char __user *value, int len)
{
	u8 byte;

	if (len >= (int)sizeof(int))
		return get_user(*n, (const int __user *)value) ? -EFAULT : 0;
	if (len < 1)
		return -EINVAL;
	if (get_user(byte, (const u8 __user *)value))
		return -EFAULT;
	*n = byte;
	return 0;
}

/*
 * The options that UDP sends behind each IP header. Those of RFC 791 that a router fills in or
 * follows are refused: there is no router.
 */
static int set_options(struct sock *sk, const char __user *value, int len)
{
	u8 options[MAX_IPOPTLEN] = { 0 }; /* IPOPT_END */
	int n = 0;

	if (sk->prot != &udp_prot)
		return -ENOPROTOOPT;
	if (len > MAX_IPOPTLEN)
		return -EINVAL;
	if (copy_from_user(options, value, (size_t)len))
		return -EFAULT;
	while (n < len && options[n] == IPOPT_NOOP)
		n++;
	if (n < len && options[n] != IPOPT_END)
		return -EINVAL;
	memset(options + n, IPOPT_END, sizeof(options) - (size_t)n);
	spin_lock_bh(&sk->lock);
	memcpy(sk->options, options, sizeof(options));
	sk->optlen = (u8)ALIGN(len, 4);
	spin_unlock_bh(&sk->lock);
	return 0;
}

static int get_options(struct sock *sk, char __user *value, int __user *ulen)
{
	u8 options[MAX_IPOPTLEN], len;

	spin_lock_bh(&sk->lock);
	len = sk->optlen;
	memcpy(options, sk->options, len);
	spin_unlock_bh(&sk->lock);
	return put_option(options, len, value, ulen);
}

static int ip_setsockopt(struct sock *sk, int name, const char __user *value, int len)
{
	unsigned bit = ip_cmsg_bit(name);
	int n, err;

	if (name == IP_OPTIONS)
		return set_options(sk, value, len);
	err = get_number(&n, value, len);
	if (err)
		return err;
	if (bit) {
		spin_lock_bh(&sk->lock);
		WRITE_ONCE(sk->cmsg, n ? sk->cmsg | bit : sk->cmsg & ~bit);
		spin_unlock_bh(&sk->lock);
		return 0;
	}
	switch (name) {
	case IP_TOS:
		sk->tos = n & 0xff;
		return 0;
	case IP_TTL:
		if (n != -1 && (n < 1 || n > 255))
			return -EINVAL;
		sk->ttl = n == -1 ? 64 : n;
		return 0;
	case IP_HDRINCL:
		if (sk->prot != &raw_prot)
			return -ENOPROTOOPT;
		sk->hdrincl = n;
		return 0;
	case IP_RECVERR:
		sk->recverr = n;
		return 0;
	case IP_MTU_DISCOVER: /* no packet is ever cut to pieces */
		if (n < 0 || n > 5)
			return -EINVAL;
		sk->mtu_discover = n;
		return 0;
	}
	return -ENOPROTOOPT;
}

static int ip_getsockopt(struct sock *sk, int name, char __user *value, int __user *ulen)
{
	unsigned bit = ip_cmsg_bit(name);
	int n;

	if (bit) {
		n = (READ_ONCE(sk->cmsg) & bit) != 0;
		return put_option(&n, sizeof(n), value, ulen);
	}
	switch (name) {
	case IP_OPTIONS:
		return get_options(sk, value, ulen);
	case IP_TOS:
		n = sk->tos;
		break;
	case IP_TTL:
		n = sk->ttl;
		break;
	case IP_HDRINCL:
		n = sk->hdrincl;
		break;
	case IP_RECVERR:
		n = sk->recverr;
		break;
	case IP_MTU_DISCOVER:
		n = sk->mtu_discover;
		break;
	default:
		return -ENOPROTOOPT;
	}
	return put_option(&n, sizeof(n), value, ulen);
}

static int raw_setsockopt(struct sock *sk, int name, const char __user *value, int len)
{
	u32 filter;

	if (name != ICMP_FILTER)
		return -ENOPROTOOPT;
	if (sk->num != IPPROTO_ICMP)
		return -EOPNOTSUPP;
	if (len < (int)sizeof(filter))
		return -EINVAL;
	if (get_user(filter, (const u32 __user *)value))
		return -EFAULT;
	WRITE_ONCE(sk->icmp_filter, filter);
	return 0;
}

static int raw_getsockopt(struct sock *sk, int name, char __user *value, int __user *ulen)
{
	if (name != ICMP_FILTER)
		return -ENOPROTOOPT;
	if (sk->num != IPPROTO_ICMP)
		return -EOPNOTSUPP;
	return put_option(&sk->icmp_filter, sizeof(sk->icmp_filter), value, ulen);
}

int inet_setsockopt(struct socket *sock, int level, int name, const char __user *value, int len)
{
	struct sock *sk = to_sk(sock);

	if (len < 0)
		return -EINVAL;
	if (level == SOL_SOCKET)
		return sock_setsockopt(sock, name, value, len);
	if (level == IPPROTO_IP)
		return ip_setsockopt(sk, name, value, len);
	if (level == SOL_RAW && sk->prot == &raw_prot)
		return raw_setsockopt(sk, name, value, len);
	if (sk->prot->setsockopt)
		return sk->prot->setsockopt(sk, level, name, value, len);
	return -ENOPROTOOPT;
}

int inet_getsockopt(struct socket *sock, int level, int name, char __user *value, int __user *ulen)
{
	struct sock *sk = to_sk(sock);
	int n;

	if (level == SOL_SOCKET && name == SO_ACCEPTCONN) {
		n = READ_ONCE(sk->state) == TCP_LISTEN;
		return put_option(&n, sizeof(n), value, ulen);
	}
	if (level == SOL_SOCKET)
		return sock_getsockopt(sock, name, value, ulen);
	if (level == IPPROTO_IP)
		return ip_getsockopt(sk, name, value, ulen);
	if (level == SOL_RAW && sk->prot == &raw_prot)
		return raw_getsockopt(sk, name, value, ulen);
	if (sk->prot->getsockopt)
		return sk->prot->getsockopt(sk, level, name, value, ulen);
	return -EOPNOTSUPP;
}
