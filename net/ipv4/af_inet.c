/* The family AF_INET: what the system calls do before the protocol does its part. See inet.h. */
#include "fs/file/poll.h"
#include "kernel/init.h"
#include "kernel/irq/softirq.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/workqueue/workqueue.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/tcp.h"

static const struct proto_ops inet_ops;

struct sock *sk_alloc(const struct proto *prot, unsigned type, unsigned protocol, gfp_t gfp)
{
	struct sock *sk = kmalloc(prot->size, gfp);

	if (!sk)
		return NULL;
	memset(sk, 0, prot->size);
	socket_init(&sk->sock, &inet_ops, type, protocol);
	sk->prot = prot;
	atomic_set(&sk->refs, 1);
	spin_lock_init(&sk->lock);
	mutex_init(&sk->bind_mutex);
	mutex_init(&sk->recv_mutex);
	INIT_LIST_HEAD(&sk->port_node);
	INIT_LIST_HEAD(&sk->conn_node);
	INIT_LIST_HEAD(&sk->queue);
	INIT_LIST_HEAD(&sk->async_node);
	sk->state = TCP_CLOSE;
	sk->ttl = 64;
	if (prot->init)
		prot->init(sk);
	return sk;
}

void sock_put(struct sock *sk)
{
	if (!sk || !atomic_dec_and_test(&sk->refs))
		return;
	skb_queue_purge(&sk->queue);
	if (sk->prot->destroy)
		sk->prot->destroy(sk);
	kfree(sk);
}

/* ---- wake-ups ---- */

/* Packets come in softirq context, but SIGIO is sent in task context: by a worker. */
static DEFINE_SPINLOCK(async_lock); /* a leaf; softirqs off */
static LIST_HEAD(async_socks);      /* [async_lock] of sock.async_node; counted */

static void send_async(struct work_struct *work __unused)
{
	struct sock *sk;
	int band = 0;

	for (;;) {
		spin_lock_bh(&async_lock);
		sk = list_first_entry_or_null(&async_socks, struct sock, async_node);
		if (sk) {
			list_del_init(&sk->async_node);
			band = sk->async_band;
			sk->async_band = 0;
		}
		spin_unlock_bh(&async_lock);
		if (!sk)
			return;
		kill_fasync(&sk->sock.fasync, SIGIO, band);
		sock_put(sk);
	}
}
static DECLARE_WORK(async_work, send_async);

void sk_wake(struct sock *sk, int band)
{
	wake_up_all(&sk->sock.wait);
	if (likely(!READ_ONCE(sk->sock.fasync)))
		return;
	spin_lock_bh(&async_lock);
	if (!sk->async_band) {
		sock_hold(sk);
		list_add_tail(&sk->async_node, &async_socks);
	}
	sk->async_band = band;
	spin_unlock_bh(&async_lock);
	(void)schedule_work_unbound(&async_work);
}

void sk_report_error(struct sock *sk, int error)
{
	WRITE_ONCE(sk->sock.error, error);
	sk_wake(sk, POLL_HUP);
}

/* ---- names ---- */

static int inet_getname(struct socket *sock, union sockname *name, enum name_of whose)
{
	struct sock *sk = to_sk(sock);
	bool over;
	int err = 0;

	spin_lock_bh(&sk->lock);
	name->in.sin_family = AF_INET;
	over = whose == NAME_OF_PEER && (sk->state == TCP_CLOSE || sk->state == TCP_SYN_SENT);
	if (whose == NAME_OF_SOCKET) {
		name->in.sin_port = sk->prot->ports ? htons(sk->num) : 0;
		name->in.sin_addr = sk->rcv_saddr ? sk->rcv_saddr : sk->saddr;
	} else if (!sk->dport || over) {
		err = -ENOTCONN;
	} else {
		name->in.sin_port = sk->dport;
		name->in.sin_addr = sk->daddr;
	}
	spin_unlock_bh(&sk->lock);
	return err ? err : (int)sizeof(name->in);
}

int inet_autobind(struct sock *sk)
{
	int err = 0;

	mutex_lock(&sk->bind_mutex);
	if (!sk->num)
		err = inet_get_port(sk, 0) ? -EAGAIN : 0;
	mutex_unlock(&sk->bind_mutex);
	return err;
}

static int bind_locked(struct sock *sk, const struct sockaddr_in *in)
{
	u16 num = ntohs(in->sin_port);
	int err;

	if (READ_ONCE(sk->state) != TCP_CLOSE || (sk->prot->ports && sk->num))
		return -EINVAL;
	sk->rcv_saddr = sk->saddr = in->sin_addr;
	err = sk->prot->ports ? inet_get_port(sk, num) : 0;
	if (err)
		sk->rcv_saddr = sk->saddr = 0;
	else
		sk->bound_addr = in->sin_addr;
	return err;
}

static int inet_bind(struct socket *sock, const union sockname *name, int len)
{
	struct sock *sk = to_sk(sock);
	const struct sockaddr_in *in = &name->in;
	u16 num = ntohs(in->sin_port);
	u32 source;
	int err;

	if (len < (int)sizeof(*in))
		return -EINVAL;
	if (in->sin_family != AF_INET &&
	    (in->sin_family != AF_UNSPEC || in->sin_addr || !sk->prot->ports))
		return -EAFNOSUPPORT;
	if (in->sin_addr && inet_addr_type(in->sin_addr, &source) == RTN_UNREACHABLE)
		return -EADDRNOTAVAIL;
	if (sk->prot->ports && sk->prot != &ping_prot && num && num < 1024 &&
	    !capable(CAP_NET_BIND_SERVICE))
		return -EACCES;
	mutex_lock(&sk->bind_mutex);
	err = bind_locked(sk, in);
	mutex_unlock(&sk->bind_mutex);
	return err;
}

static int inet_connect(struct socket *sock, const union sockname *name, int len, bool nonblock)
{
	struct sock *sk = to_sk(sock);

	if (len < (int)sizeof(name->addr.sa_family))
		return -EINVAL;
	if (name->addr.sa_family == AF_UNSPEC)
		return sk->prot->disconnect(sk);
	return sk->prot->connect(sk, &name->in, len, nonblock);
}

static struct socket *inet_accept(struct socket *sock, bool nonblock)
{
	struct sock *sk = to_sk(sock), *new;

	if (!sk->prot->accept)
		return ERR_PTR(-EOPNOTSUPP);
	new = sk->prot->accept(sk, nonblock);
	return IS_ERR(new) ? ERR_CAST(new) : &new->sock;
}

static int inet_listen(struct socket *sock, int backlog)
{
	struct sock *sk = to_sk(sock);

	return sk->prot->listen ? sk->prot->listen(sk, backlog) : -EOPNOTSUPP;
}

static int inet_shutdown(struct socket *sock, unsigned how)
{
	struct sock *sk = to_sk(sock);
	int err;

	if (how > 2)
		return -EINVAL;
	how++; /* SHUT_RD, SHUT_WR and SHUT_RDWR are 0, 1 and 2 */
	if (sk->prot->shutdown)
		return sk->prot->shutdown(sk, how);
	spin_lock_bh(&sk->lock);
	err = sk->state == TCP_CLOSE ? -ENOTCONN : 0;
	sk->shutdown |= how;
	spin_unlock_bh(&sk->lock);
	sk_wake(sk, POLL_HUP);
	return err;
}

/* ---- the rest ---- */

static void inet_release(struct socket *sock)
{
	struct sock *sk = to_sk(sock);

	sk->prot->close(sk);
}

static ssize_t inet_sendmsg(struct socket *sock, struct msghdr *msg, bool nonblock)
{
	struct sock *sk = to_sk(sock);

	return sk->prot->sendmsg(sk, msg, nonblock);
}

static ssize_t inet_recvmsg(struct socket *sock, struct msghdr *msg, bool nonblock)
{
	struct sock *sk = to_sk(sock);

	return sk->prot->recvmsg(sk, msg, nonblock);
}

static unsigned inet_poll(struct file *file, struct socket *sock, struct poll_table_struct *wait)
{
	struct sock *sk = to_sk(sock);

	return sk->prot->poll(file, sk, wait);
}

static long inet_ioctl(struct socket *sock, unsigned cmd, unsigned long arg)
{
	struct sock *sk = to_sk(sock);
	long ret = devinet_ioctl(cmd, (void __user *)arg);

	return ret == -ENOTTY ? sk->prot->ioctl(sk, cmd, arg) : ret;
}

static void inet_installed(struct socket *sock, struct file *file)
{
	to_sk(sock)->ino = file->f_inode->i_ino;
}

/* What has come and is not read yet; of a listener: the connections that wait for accept(2). */
static size_t inet_memory(struct socket *sock)
{
	struct sock *sk = to_sk(sock);

	if (READ_ONCE(sk->state) == TCP_LISTEN)
		return tcp_listener_memory(tcp_sk(sk));
	return READ_ONCE(sk->rmem);
}

static const struct proto_ops inet_ops = {
	.memory = inet_memory,
	.family = AF_INET,
	.release = inet_release,
	.bind = inet_bind,
	.connect = inet_connect,
	.accept = inet_accept,
	.listen = inet_listen,
	.shutdown = inet_shutdown,
	.getname = inet_getname,
	.setsockopt = inet_setsockopt,
	.getsockopt = inet_getsockopt,
	.sendmsg = inet_sendmsg,
	.recvmsg = inet_recvmsg,
	.scm_recv = inet_scm_recv,
	.poll = inet_poll,
	.ioctl = inet_ioctl,
	.installed = inet_installed,
};

/* The protocol of a new socket, and its number. Or an ERR_PTR. */
static const struct proto *choose(unsigned type, int *protocol)
{
	static const struct {
		unsigned type;
		int protocol;
		const struct proto *prot;
	} table[] = {
		{ SOCK_STREAM, IPPROTO_TCP, &tcp_prot },

		{ SOCK_DGRAM, IPPROTO_UDP, &udp_prot },
		{ SOCK_DGRAM, IPPROTO_ICMP, &ping_prot },
	};
	bool type_exists = false;

	if (type == SOCK_RAW) {
		if (!*protocol)
			return ERR_PTR(-EPROTONOSUPPORT);
		return capable(CAP_NET_RAW) ? &raw_prot : ERR_PTR(-EPERM);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i].type != type)
			continue;
		type_exists = true;
		if (*protocol && *protocol != table[i].protocol)
			continue;
		*protocol = table[i].protocol;
		return table[i].prot;
	}
	return ERR_PTR(type_exists ? -EPROTONOSUPPORT : -ESOCKTNOSUPPORT);
}

static struct socket *inet_create(unsigned type, int protocol)
{
	const struct proto *prot;
	struct sock *sk;

	if (protocol < 0 || protocol >= IPPROTO_MAX)
		return ERR_PTR(-EINVAL);
	prot = choose(type, &protocol);
	if (IS_ERR(prot))
		return ERR_CAST(prot);
	if (prot == &ping_prot && !ping_allowed())
		return ERR_PTR(-EACCES);
	sk = sk_alloc(prot, type, (unsigned)protocol, GFP_KERNEL);
	if (!sk)
		return ERR_PTR(-ENOMEM);
	sk->uid = current_fsuid();
	if (type == SOCK_RAW) {
		sk->num = (u16)protocol;
		sk->hdrincl = protocol == IPPROTO_RAW;
		inet_hash(sk);
	}
	return &sk->sock;
}

SOCKET_FAMILY(inet) = { AF_INET, inet_create };

static int __init inet_init(void)
{
	inet_table_init(udp_prot.table);
	inet_table_init(raw_prot.table);
	inet_table_init(ping_prot.table);
	inet_table_init(tcp_prot.table);

	return 0;
}
core_initcall(inet_init);
