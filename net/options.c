/* The options of SOL_SOCKET: socket(7). */
#include "kernel/lib/string.h"
#include "kernel/task/cred.h"
#include "kernel/time/ktime.h"
#include "net/socket.h"

#define SO_DEBUG       1
#define SO_REUSEADDR   2
#define SO_TYPE        3
#define SO_ERROR       4
#define SO_DONTROUTE   5
#define SO_BROADCAST   6
#define SO_SNDBUF      7
#define SO_RCVBUF      8
#define SO_KEEPALIVE   9
#define SO_OOBINLINE   10
#define SO_PRIORITY    12
#define SO_LINGER      13
#define SO_REUSEPORT   15
#define SO_PASSCRED    16
#define SO_RCVLOWAT    18
#define SO_SNDLOWAT    19
#define SO_RCVTIMEO    20
#define SO_SNDTIMEO    21
#define SO_ACCEPTCONN  30
#define SO_SNDBUFFORCE 32
#define SO_RCVBUFFORCE 33
#define SO_PROTOCOL    38
#define SO_DOMAIN      39

#define BUF_MAX    212992 /* net.core.wmem_max, rmem_max */
#define SNDBUF_MIN 4608
#define RCVBUF_MIN 2304

struct old_timeval {
	s64 sec, usec;
};

static int set_timeout(s64 *timeout, const char __user *value, int len)
{
	struct old_timeval tv;

	if (len < (int)sizeof(tv))
		return -EINVAL;
	if (copy_from_user(&tv, value, sizeof(tv)))
		return -EFAULT;
	if (tv.usec < 0 || tv.usec >= 1000000)
		return -EDOM;
	if (tv.sec < 0) {
		WRITE_ONCE(*timeout, SOCK_NO_TIME);
		return 0;
	}
	if (tv.sec > 0x1ffffffff)
		tv = (struct old_timeval){ 0, 0 };
	WRITE_ONCE(*timeout, tv.sec * (s64)NSEC_PER_SEC + tv.usec * (s64)NSEC_PER_USEC);
	return 0;
}

/* A close has nothing to wait for; TCP resets a connection whose time is 0. */
static int set_linger(struct socket *sock, const char __user *value, int len)
{
	int linger[2];

	if (len < (int)sizeof(linger))
		return -EINVAL;
	if (copy_from_user(linger, value, sizeof(linger)))
		return -EFAULT;
	if (linger[0])
		sock->linger_seconds = (unsigned)linger[1];
	sock->linger = linger[0];
	return 0;
}

/* The kernel doubles the value, for its own needs: socket(7). */
static void set_buf(int *buf, int value, int least, bool force)
{
	if (!force)
		value = (int)min((unsigned)value, (unsigned)BUF_MAX);
	value = (int)min((unsigned)value, 0x3fffffffU);
	WRITE_ONCE(*buf, max(value * 2, least));
}

int sock_setsockopt(struct socket *sock, int name, const char __user *value, int len)
{
	int n;

	if (name == SO_RCVTIMEO)
		return set_timeout(&sock->rcvtimeo, value, len);
	if (name == SO_SNDTIMEO)
		return set_timeout(&sock->sndtimeo, value, len);
	if (len < (int)sizeof(int))
		return -EINVAL;
	if (get_user(n, (const int __user *)value))
		return -EFAULT;
	switch (name) {
	case SO_REUSEADDR:
		sock->reuseaddr = n;
		return 0;
	case SO_BROADCAST:
		sock->broadcast = n;
		return 0;
	case SO_KEEPALIVE:
		sock->keepalive = n;
		return 0;
	case SO_OOBINLINE:
		sock->oobinline = n;
		return 0;
	case SO_PASSCRED:
		WRITE_ONCE(sock->passcred, n != 0);
		return 0;
	case SO_PRIORITY:
		if ((n < 0 || n > 6) && !capable(CAP_NET_ADMIN))
			return -EPERM;
		sock->priority = n;
		return 0;
	case SO_RCVLOWAT:
		sock->rcvlowat = n < 0 ? 0x7fffffff : n ? n : 1;
		return 0;
	case SO_SNDBUFFORCE:
	case SO_RCVBUFFORCE:
		if (!capable(CAP_NET_ADMIN))
			return -EPERM;
		if (name == SO_SNDBUFFORCE)
			set_buf(&sock->sndbuf, max(n, 0), SNDBUF_MIN, true);
		else
			set_buf(&sock->rcvbuf, max(n, 0), RCVBUF_MIN, true);
		wake_up_all(&sock->wait);
		return 0;
	case SO_SNDBUF:
		set_buf(&sock->sndbuf, n, SNDBUF_MIN, false);
		wake_up_all(&sock->wait); /* a sender may wait for room */
		return 0;
	case SO_RCVBUF:
		set_buf(&sock->rcvbuf, n, RCVBUF_MIN, false);
		return 0;
	case SO_LINGER:
		return set_linger(sock, value, len);
	case SO_REUSEPORT:
		sock->reuseport = n;
		return 0;
	case SO_DONTROUTE:
		sock->dontroute = n;
		return 0;
	case SO_TIMESTAMP_OLD:
	case SO_TIMESTAMPNS_OLD:
	case SO_TIMESTAMP_NEW:
	case SO_TIMESTAMPNS_NEW:
		WRITE_ONCE(sock->timestamp, n ? (u8)name : 0);
		return 0;
	case SO_DEBUG:
		return n && !capable(CAP_NET_ADMIN) ? -EACCES : 0;
	case SO_TYPE:
	case SO_PROTOCOL:
	case SO_DOMAIN:
	case SO_ERROR:
		return -ENOPROTOOPT;
	}
	return -ENOPROTOOPT;
}

/* An option that is a number. False: there is no such option. */
static bool get_number(struct socket *sock, int name, int *n)
{
	switch (name) {
	case SO_DEBUG:
	case SO_ACCEPTCONN: /* a family whose sockets can listen answers itself */
		*n = 0;
		return true;
	case SO_DONTROUTE:
		*n = sock->dontroute;
		return true;
	case SO_TIMESTAMP_OLD:
	case SO_TIMESTAMPNS_OLD:
	case SO_TIMESTAMP_NEW:
	case SO_TIMESTAMPNS_NEW:
		*n = sock->timestamp == name;
		return true;
	case SO_PROTOCOL:
		*n = (int)sock->protocol;
		return true;
	case SO_REUSEPORT:
		*n = sock->reuseport;
		return true;
	case SO_TYPE:
		*n = (int)sock->type;
		return true;
	case SO_DOMAIN:
		*n = sock->ops->family;
		return true;
	case SO_ERROR:
		*n = -sock_error(sock);
		return true;
	case SO_SNDBUF:
		*n = sock->sndbuf;
		return true;
	case SO_RCVBUF:
		*n = sock->rcvbuf;
		return true;
	case SO_REUSEADDR:
		*n = sock->reuseaddr;
		return true;
	case SO_BROADCAST:
		*n = sock->broadcast;
		return true;
	case SO_KEEPALIVE:
		*n = sock->keepalive;
		return true;
	case SO_OOBINLINE:
		*n = sock->oobinline;
		return true;
	case SO_PASSCRED:
		*n = sock->passcred;
		return true;
	case SO_PRIORITY:
		*n = sock->priority;
		return true;
	case SO_RCVLOWAT:
		*n = sock->rcvlowat;
		return true;
	case SO_SNDLOWAT:
		*n = 1;
		return true;
	}
	return false;
}

int put_option(const void *option, int size, char __user *value, int __user *ulen)
{
	int len;

	if (get_user(len, ulen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	len = min(len, size);
	if (copy_to_user(value, option, (size_t)len))
		return -EFAULT;
	return put_user(len, ulen);
}

int sock_getsockopt(struct socket *sock, int name, char __user *value, int __user *ulen)
{
	struct old_timeval tv;
	int linger[2], n, len;
	s64 timeout;

	if (get_user(len, ulen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	switch (name) {
	case SO_RCVTIMEO:
	case SO_SNDTIMEO:
		timeout = max(name == SO_RCVTIMEO ? sock->rcvtimeo : sock->sndtimeo, (s64)0);
		tv = (struct old_timeval){ timeout / (s64)NSEC_PER_SEC,
					   timeout % (s64)NSEC_PER_SEC / (s64)NSEC_PER_USEC };
		return put_option(&tv, sizeof(tv), value, ulen);
	case SO_LINGER:
		linger[0] = sock->linger;
		linger[1] = (int)sock->linger_seconds;
		return put_option(linger, sizeof(linger), value, ulen);
	}
	return get_number(sock, name, &n) ? put_option(&n, sizeof(n), value, ulen) : -ENOPROTOOPT;
}
