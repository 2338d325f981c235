/* getsockopt(2) and setsockopt(2) of AF_UNIX: unix(7). */
#include "net/unix/unix.h"

#define SO_PEERCRED   17
#define SO_ACCEPTCONN 30
#define SO_PEEK_OFF   42

static int set_peek_off(struct unix_sock *u, const char __user *value, int len)
{
	int n;

	if (len < (int)sizeof(n))
		return -EINVAL;
	if (get_user(n, (const int __user *)value))
		return -EFAULT;
	mutex_lock(&u->iolock);
	WRITE_ONCE(u->peek_off, n);
	mutex_unlock(&u->iolock);
	return 0;
}

int unix_setsockopt(struct socket *sock, int level, int name, const char __user *value, int len)
{
	if (len < 0)
		return -EINVAL;
	if (level != SOL_SOCKET)
		return -EOPNOTSUPP;
	if (name == SO_PEEK_OFF)
		return set_peek_off(unix_sk(sock), value, len);
	return sock_setsockopt(sock, name, value, len);
}

static void get_peercred(struct unix_sock *u, u32 cred[3])
{
	spin_lock(&u->lock);
	cred[0] = u->peercred.pid ? (u32)u->peercred.pid->nr : 0;
	cred[1] = u->peercred.pid ? u->peercred.uid : ~0U;
	cred[2] = u->peercred.pid ? u->peercred.gid : ~0U;
	spin_unlock(&u->lock);
}

int unix_getsockopt(struct socket *sock, int level, int name, char __user *value, int __user *ulen)
{
	struct unix_sock *u = unix_sk(sock);
	u32 cred[3];
	int n;

	if (level != SOL_SOCKET)
		return -EOPNOTSUPP;
	if (name == SO_PEERCRED) {
		get_peercred(u, cred);
		return put_option(cred, sizeof(cred), value, ulen);
	}
	if (name == SO_ACCEPTCONN || name == SO_PEEK_OFF) {
		n = name == SO_PEEK_OFF ? READ_ONCE(u->peek_off) : u->state == UNIX_LISTEN;
		return put_option(&n, sizeof(n), value, ulen);
	}
	return sock_getsockopt(sock, name, value, ulen);
}
