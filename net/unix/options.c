/* getsockopt(2) and setsockopt(2): socket(7). */
#include "kernel/lib/string.h"
#include "kernel/process/cred.h"
#include "kernel/process/pid.h"
#include "kernel/time/ktime.h"
#include "net/unix/unix.h"

#define SOL_SOCKET     1
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
#define SO_PASSCRED    16
#define SO_PEERCRED    17
#define SO_RCVLOWAT    18
#define SO_SNDLOWAT    19
#define SO_RCVTIMEO    20
#define SO_SNDTIMEO    21
#define SO_ACCEPTCONN  30
#define SO_SNDBUFFORCE 32
#define SO_RCVBUFFORCE 33
#define SO_PROTOCOL    38
#define SO_DOMAIN      39
#define SO_PEEK_OFF    42

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
	if (tv.sec < 0)
		return 0; /* no time at all, which Linux also makes a timeout of 0: for ever */
	if (tv.sec > 0x1ffffffff)
		tv = (struct old_timeval){ 0, 0 };
	WRITE_ONCE(*timeout, tv.sec * (s64)NSEC_PER_SEC + tv.usec * (s64)NSEC_PER_USEC);
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

int unix_setsockopt(struct unix_sock *u, int level, int name, const char __user *value, int len)
{
	int n;

	if (len < 0)
		return -EINVAL;
	if (level != SOL_SOCKET)
		return -EOPNOTSUPP;
	if (name == SO_RCVTIMEO)
		return set_timeout(&u->rcvtimeo, value, len);
	if (name == SO_SNDTIMEO)
		return set_timeout(&u->sndtimeo, value, len);
	if (len < (int)sizeof(int))
		return -EINVAL;
	if (get_user(n, (const int __user *)value))
		return -EFAULT;
	switch (name) {
	case SO_REUSEADDR:
		u->reuseaddr = n;
		return 0;
	case SO_BROADCAST:
		u->broadcast = n;
		return 0;
	case SO_KEEPALIVE:
		u->keepalive = n;
		return 0;
	case SO_OOBINLINE:
		u->oobinline = n;
		return 0;
	case SO_PASSCRED:
		WRITE_ONCE(u->passcred, n != 0);
		return 0;
	case SO_PEEK_OFF:
		mutex_lock(&u->iolock);
		WRITE_ONCE(u->peek_off, n);
		mutex_unlock(&u->iolock);
		return 0;
	case SO_PRIORITY:
		if ((n < 0 || n > 6) && !capable(CAP_NET_ADMIN))
			return -EPERM;
		u->priority = n;
		return 0;
	case SO_RCVLOWAT:
		u->rcvlowat = n < 0 ? 0x7fffffff : n ? n : 1;
		return 0;
	case SO_SNDBUFFORCE:
	case SO_RCVBUFFORCE:
		if (!capable(CAP_NET_ADMIN))
			return -EPERM;
		if (name == SO_SNDBUFFORCE)
			set_buf(&u->sndbuf, max(n, 0), SNDBUF_MIN, true);
		else
			set_buf(&u->rcvbuf, max(n, 0), RCVBUF_MIN, true);
		return 0;
	case SO_SNDBUF:
		set_buf(&u->sndbuf, n, SNDBUF_MIN, false);
		wake_up_all(&u->wait);
		return 0;
	case SO_RCVBUF:
		set_buf(&u->rcvbuf, n, RCVBUF_MIN, false);
		return 0;
	case SO_LINGER:
		return len < 8 ? -EINVAL : 0; /* a close has nothing to wait for */
	case SO_TYPE:
	case SO_PROTOCOL:
	case SO_DOMAIN:
	case SO_ERROR:
		return -ENOPROTOOPT;
	}
	return -ENOPROTOOPT;
}

/* An option that is a number. False: there is no such option. */
static bool get_number(struct unix_sock *u, int name, int *n)
{
	switch (name) {
	case SO_DEBUG:
	case SO_DONTROUTE:
	case SO_PROTOCOL:
		*n = 0;
		return true;
	case SO_TYPE:
		*n = (int)u->type;
		return true;
	case SO_DOMAIN:
		*n = AF_UNIX;
		return true;
	case SO_ERROR:
		*n = -unix_take_error(u);
		return true;
	case SO_SNDBUF:
		*n = u->sndbuf;
		return true;
	case SO_RCVBUF:
		*n = u->rcvbuf;
		return true;
	case SO_REUSEADDR:
		*n = u->reuseaddr;
		return true;
	case SO_BROADCAST:
		*n = u->broadcast;
		return true;
	case SO_KEEPALIVE:
		*n = u->keepalive;
		return true;
	case SO_OOBINLINE:
		*n = u->oobinline;
		return true;
	case SO_PASSCRED:
		*n = u->passcred;
		return true;
	case SO_PRIORITY:
		*n = u->priority;
		return true;
	case SO_PEEK_OFF:
		*n = READ_ONCE(u->peek_off);
		return true;
	case SO_RCVLOWAT:
		*n = u->rcvlowat;
		return true;
	case SO_SNDLOWAT:
		*n = 1;
		return true;
	case SO_ACCEPTCONN:
		*n = READ_ONCE(u->state) == UNIX_LISTEN;
		return true;
	}
	return false;
}

static void get_peercred(struct unix_sock *u, u32 cred[3])
{
	spin_lock(&u->lock);
	cred[0] = u->peercred.pid ? (u32)u->peercred.pid->nr : 0;
	cred[1] = u->peercred.pid ? u->peercred.uid : ~0U;
	cred[2] = u->peercred.pid ? u->peercred.gid : ~0U;
	spin_unlock(&u->lock);
}

int unix_getsockopt(struct unix_sock *u, int level, int name, char __user *value, int __user *ulen)
{
	union {
		int n;
		int linger[2];
		u32 cred[3];
		struct old_timeval tv;
	} v = { 0 };
	int len, size = sizeof(int);
	s64 timeout;

	if (level != SOL_SOCKET)
		return -EOPNOTSUPP;
	if (get_user(len, ulen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	if (name == SO_RCVTIMEO || name == SO_SNDTIMEO) {
		timeout = name == SO_RCVTIMEO ? u->rcvtimeo : u->sndtimeo;
		v.tv = (struct old_timeval){ timeout / (s64)NSEC_PER_SEC,
					     timeout % (s64)NSEC_PER_SEC / (s64)NSEC_PER_USEC };
		size = sizeof(v.tv);
	} else if (name == SO_PEERCRED) {
		get_peercred(u, v.cred);
		size = sizeof(v.cred);
	} else if (name == SO_LINGER) {
		size = sizeof(v.linger);
	} else if (!get_number(u, name, &v.n)) {
		return -ENOPROTOOPT;
	}
	len = min(len, size);
	if (copy_to_user(value, &v, (size_t)len))
		return -EFAULT;
	return put_user(len, ulen);
}
