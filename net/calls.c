/*
 * The system calls that make sockets and connect them. The only family is AF_UNIX.
 *
 * Arguments are copied here; net/unix/ sees kernel pointers only.
 */
#include "fs/file.h"
#include "kernel/lib/string.h"
#include "kernel/syscalls/syscalls.h"
#include "net/calls.h"

#define AF_MAX 46

struct unix_sock *sock_get(unsigned fd, struct fd *f)
{
	struct unix_sock *u;

	*f = fdget(fd);
	if (!f->file)
		return ERR_PTR(-EBADF);
	u = unix_from_file(f->file);
	if (u)
		return u;
	fdput(*f);
	return ERR_PTR(-ENOTSOCK);
}

int copy_name_from_user(struct sockaddr_un *name, const void __user *from, int len)
{
	if (len < 0 || len > 128)
		return -EINVAL;
	memset(name, 0, sizeof(*name));
	/* What is longer than any name is refused later, by its length. */
	return copy_from_user(name, from, min((size_t)len, sizeof(*name))) ? -EFAULT : 0;
}

int copy_name_to_user(void __user *to, int __user *ulen, const struct sockaddr_un *name,
		      unsigned namelen)
{
	int room;

	if (get_user(room, ulen))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	if (copy_to_user(to, name, min((size_t)room, (size_t)namelen)))
		return -EFAULT;
	return put_user((int)namelen, ulen);
}

/* The type of a socket that a program asks for. Or a negative errno. */
static int check_type(int family, int type, int protocol)
{
	if (type & ~(0xf | (int)(SOCK_CLOEXEC | SOCK_NONBLOCK)))
		return -EINVAL;
	if (family != AF_UNIX)
		return -EAFNOSUPPORT;
	type &= 0xf;
	if (type > 10)
		return -EINVAL;
	if (protocol && protocol != AF_UNIX)
		return -EPROTONOSUPPORT;
	if (type == SOCK_RAW)
		return SOCK_DGRAM;
	return type == SOCK_STREAM || type == SOCK_DGRAM || type == SOCK_SEQPACKET
		       ? type
		       : -ESOCKTNOSUPPORT;
}

/* A descriptor for u, whose reference it takes over, also on failure. */
static int sock_install(struct unix_sock *u, unsigned flags)
{
	int fd = get_unused_fd_flags(flags);
	struct file *file;

	if (fd < 0) {
		unix_release_sock(u, false);
		return fd;
	}
	file = unix_file(u, flags);
	if (IS_ERR(file)) {
		put_unused_fd((unsigned)fd);
		unix_release_sock(u, false);
		return (int)PTR_ERR(file);
	}
	fd_install((unsigned)fd, file);
	return fd;
}

/* Restricted: AF_UNIX only. */
SYSCALL_DEFINE3(socket, int, family, int, type, int, protocol)
{
	int kind = check_type(family, type, protocol);
	struct unix_sock *u;

	if (kind < 0)
		return kind;
	u = unix_create((unsigned)kind);
	return u ? sock_install(u, (unsigned)type) : -ENOMEM;
}

/* Restricted: AF_UNIX only. */
SYSCALL_DEFINE4(socketpair, int, family, int, type, int, protocol, int __user *, usockvec)
{
	int kind = check_type(family, type, protocol), fds[2];
	struct unix_sock *a, *b;

	if (kind < 0)
		return kind;
	a = unix_create((unsigned)kind);
	b = a ? unix_create((unsigned)kind) : NULL;
	if (!b) {
		if (a)
			unix_release_sock(a, false);
		return -ENOMEM;
	}
	unix_socketpair(a, b);
	unix_get(b);
	fds[0] = sock_install(a, (unsigned)type);
	if (fds[0] < 0) {
		unix_put(b);
		unix_release_sock(b, false);
		return fds[0];
	}
	fds[1] = sock_install(b, (unsigned)type);
	unix_put(b);
	if (fds[1] < 0) {
		(void)close_fd((unsigned)fds[0]);
		return fds[1];
	}
	if (copy_to_user(usockvec, fds, sizeof(fds))) {
		(void)close_fd((unsigned)fds[0]);
		(void)close_fd((unsigned)fds[1]);
		return -EFAULT;
	}
	return 0;
}

SYSCALL_DEFINE3(bind, int, fd, struct sockaddr __user *, umyaddr, int, addrlen)
{
	struct sockaddr_un name;
	struct fd f;
	struct unix_sock *u = sock_get((unsigned)fd, &f);
	int err;

	if (IS_ERR(u))
		return PTR_ERR(u);
	err = copy_name_from_user(&name, umyaddr, addrlen);
	if (!err)
		err = unix_bind(u, &name, addrlen);
	fdput(f);
	return err;
}

SYSCALL_DEFINE2(listen, int, fd, int, backlog)
{
	struct fd f;
	struct unix_sock *u = sock_get((unsigned)fd, &f);
	int err;

	if (IS_ERR(u))
		return PTR_ERR(u);
	err = unix_listen(u, backlog);
	fdput(f);
	return err;
}

SYSCALL_DEFINE3(connect, int, fd, struct sockaddr __user *, uservaddr, int, addrlen)
{
	struct sockaddr_un name;
	struct fd f;
	struct unix_sock *u = sock_get((unsigned)fd, &f);
	int err;

	if (IS_ERR(u))
		return PTR_ERR(u);
	err = copy_name_from_user(&name, uservaddr, addrlen);
	if (!err)
		err = unix_connect(u, &name, addrlen, f.file->f_flags & O_NONBLOCK);
	fdput(f);
	return err;
}

/* The name of u, which may have none, to a program. */
static int name_to_user(struct unix_sock *u, void __user *to, int __user *ulen)
{
	struct unix_address *addr = unix_address_get(u);
	static const struct sockaddr_un none = { .sun_family = AF_UNIX };
	int err = copy_name_to_user(to, ulen, addr ? &addr->name : &none,
				    addr ? addr->len : sizeof(none.sun_family));

	unix_address_put(addr);
	return err;
}

/* The name of the peer of a new connection, whose descriptor is fd. Returns fd, or an error. */
static int accepted(int fd, struct unix_sock *new, void __user *upeer, int __user *ulen)
{
	struct unix_sock *peer;
	int err;

	if (!upeer)
		return fd;
	peer = unix_peer_get(new);
	err = peer ? name_to_user(peer, upeer, ulen) : 0;
	unix_put(peer);
	if (!err)
		return fd;
	(void)close_fd((unsigned)fd);
	return err;
}

static int do_accept(int fd, void __user *upeer, int __user *ulen, unsigned flags)
{
	struct unix_sock *u, *new;
	struct fd f;
	int ret;

	if (flags & ~(unsigned)(SOCK_CLOEXEC | SOCK_NONBLOCK))
		return -EINVAL;
	u = sock_get((unsigned)fd, &f);
	if (IS_ERR(u))
		return (int)PTR_ERR(u);
	new = unix_accept(u, f.file->f_flags & O_NONBLOCK);
	fdput(f);
	if (IS_ERR(new))
		return (int)PTR_ERR(new);
	unix_get(new);
	ret = sock_install(new, flags);
	if (ret >= 0)
		ret = accepted(ret, new, upeer, ulen);
	unix_put(new);
	return ret;
}

SYSCALL_DEFINE3(accept, int, fd, struct sockaddr __user *, upeer_sockaddr, int __user *,
		upeer_addrlen)
{
	return do_accept(fd, upeer_sockaddr, upeer_addrlen, 0);
}

SYSCALL_DEFINE4(accept4, int, fd, struct sockaddr __user *, upeer_sockaddr, int __user *,
		upeer_addrlen, int, flags)
{
	return do_accept(fd, upeer_sockaddr, upeer_addrlen, (unsigned)flags);
}

SYSCALL_DEFINE3(getsockname, int, fd, struct sockaddr __user *, usockaddr, int __user *,
		usockaddr_len)
{
	struct fd f;
	struct unix_sock *u = sock_get((unsigned)fd, &f);
	int err;

	if (IS_ERR(u))
		return PTR_ERR(u);
	err = name_to_user(u, usockaddr, usockaddr_len);
	fdput(f);
	return err;
}

SYSCALL_DEFINE3(getpeername, int, fd, struct sockaddr __user *, usockaddr, int __user *,
		usockaddr_len)
{
	struct fd f;
	struct unix_sock *u = sock_get((unsigned)fd, &f), *peer;
	int err = -ENOTCONN;

	if (IS_ERR(u))
		return PTR_ERR(u);
	peer = unix_peer_get(u);
	if (peer)
		err = name_to_user(peer, usockaddr, usockaddr_len);
	unix_put(peer);
	fdput(f);
	return err;
}

SYSCALL_DEFINE2(shutdown, int, fd, int, how)
{
	struct fd f;
	struct unix_sock *u = sock_get((unsigned)fd, &f);
	int err;

	if (IS_ERR(u))
		return PTR_ERR(u);
	err = unix_shutdown(u, (unsigned)how);
	fdput(f);
	return err;
}

SYSCALL_DEFINE5(setsockopt, int, fd, int, level, int, optname, char __user *, optval, int, optlen)
{
	struct fd f;
	struct unix_sock *u = sock_get((unsigned)fd, &f);
	int err;

	if (IS_ERR(u))
		return PTR_ERR(u);
	err = unix_setsockopt(u, level, optname, optval, optlen);
	fdput(f);
	return err;
}

SYSCALL_DEFINE5(getsockopt, int, fd, int, level, int, optname, char __user *, optval, int __user *,
		optlen)
{
	struct fd f;
	struct unix_sock *u = sock_get((unsigned)fd, &f);
	int err;

	if (IS_ERR(u))
		return PTR_ERR(u);
	err = unix_getsockopt(u, level, optname, optval, optlen);
	fdput(f);
	return err;
}
