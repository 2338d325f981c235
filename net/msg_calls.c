/* The system calls that send and receive messages. */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/posix_time/clock.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"
#include "net/calls.h"
#include "net/unix/unix.h"

/* recvmsg(2), as programs lay it out. */
struct user_msghdr {
	void __user *msg_name;
	int msg_namelen;
	struct iovec __user *msg_iov;
	size_t msg_iovlen;
	void __user *msg_control;
	size_t msg_controllen;
	unsigned msg_flags;
};
struct mmsghdr {
	struct user_msghdr msg_hdr;
	unsigned msg_len;
};

static ssize_t send_one(struct socket *sock, struct file *file, struct msghdr *msg)
{
	ssize_t n = sock_sendmsg(sock, msg,
				 (file->f_flags & O_NONBLOCK) || (msg->flags & MSG_DONTWAIT));

	scm_destroy(msg);
	return n;
}

SYSCALL_DEFINE6(sendto, int, fd, void __user *, buff, size_t, len, unsigned int, flags,
		struct sockaddr __user *, addr, int, addr_len)
{
	struct msghdr msg = { .flags = flags };
	struct fd f;
	struct socket *sock;
	ssize_t ret = 0;

	len = min(len, MAX_RW_COUNT);
	if (!access_ok(buff, len))
		return -EFAULT;
	sock = sock_get((unsigned)fd, &f);
	if (IS_ERR(sock))
		return PTR_ERR(sock);
	iov_iter_user(&msg.iter, buff, len);
	if (addr) {
		ret = copy_name_from_user(&msg.name, addr, addr_len);
		msg.namelen = (unsigned)addr_len;
	}
	if (!ret)
		ret = send_one(sock, f.file, &msg);
	fdput(f);
	return ret;
}

SYSCALL_DEFINE6(recvfrom, int, fd, void __user *, ubuf, size_t, size, unsigned int, flags,
		struct sockaddr __user *, addr, int __user *, addr_len)
{
	struct msghdr msg = { .flags = flags };
	struct fd f;
	struct socket *sock;
	ssize_t ret;
	int err;

	size = min(size, MAX_RW_COUNT);
	if (!access_ok(ubuf, size))
		return -EFAULT;
	sock = sock_get((unsigned)fd, &f);
	if (IS_ERR(sock))
		return PTR_ERR(sock);
	iov_iter_user(&msg.iter, ubuf, size);
	ret = sock_recvmsg(sock, &msg, (f.file->f_flags & O_NONBLOCK) || (flags & MSG_DONTWAIT));
	scm_destroy(&msg);
	fdput(f);
	if (ret >= 0 && addr) {
		err = copy_name_to_user(addr, addr_len, &msg.name, msg.namelen);
		if (err)
			return err;
	}
	return ret;
}

/* The copy of a program's msghdr, and its buffers. The caller frees *iov if it is not fast. */
static int copy_msghdr(struct user_msghdr *hdr, const struct user_msghdr __user *from,
		       struct msghdr *msg, struct iovec **iov, struct iovec *fast)
{
	ssize_t n;

	*iov = fast;
	if (copy_from_user(hdr, from, sizeof(*hdr)))
		return -EFAULT;
	if (!hdr->msg_name)
		hdr->msg_namelen = 0;
	if (hdr->msg_namelen < 0)
		return -EINVAL;
	if (hdr->msg_iovlen > UIO_MAXIOV)
		return -EMSGSIZE;
	n = import_iovec(hdr->msg_iov, hdr->msg_iovlen, iov, fast, &msg->iter);
	return n < 0 ? (int)n : 0;
}

static ssize_t do_sendmsg(struct socket *sock, struct file *file,
			  const struct user_msghdr __user *umsg, unsigned flags)
{
	struct iovec fast[UIO_FASTIOV], *iov;
	struct msghdr msg = { .flags = flags };
	struct user_msghdr hdr;
	ssize_t ret = copy_msghdr(&hdr, umsg, &msg, &iov, fast);

	if (ret)
		return ret;
	if (hdr.msg_namelen) {
		ret = copy_name_from_user(&msg.name, hdr.msg_name,
					  min(hdr.msg_namelen, SOCKADDR_MAX));
		msg.namelen = (unsigned)min(hdr.msg_namelen, SOCKADDR_MAX);
	}
	if (!ret && hdr.msg_controllen > 0x7fffffff)
		ret = -ENOBUFS;
	if (!ret && hdr.msg_control && sock->ops->scm_send)
		ret = sock->ops->scm_send(&msg, hdr.msg_control, hdr.msg_controllen);
	if (!ret) {
		ret = send_one(sock, file, &msg);
	} else {
		scm_destroy(&msg);
	}
	if (iov != fast)
		kfree(iov);
	return ret;
}

/* Writes back the lengths, the name and the control data of a message that was received. */
static int finish_recvmsg(struct socket *sock, const struct user_msghdr *hdr,
			  struct user_msghdr __user *umsg, struct msghdr *msg, unsigned flags)
{
	size_t control = 0;
	int err = 0;

	if (sock->ops->scm_recv)
		control = sock->ops->scm_recv(sock, msg, hdr->msg_control, hdr->msg_controllen,
					      flags);
	if (hdr->msg_name)
		err = copy_name_to_user(hdr->msg_name, &umsg->msg_namelen, &msg->name,
					msg->namelen);
	if (!err)
		err = put_user(msg->flags | (flags & MSG_CMSG_CLOEXEC), &umsg->msg_flags);
	return err ? err : put_user(control, &umsg->msg_controllen);
}

static ssize_t do_recvmsg(struct socket *sock, struct file *file, struct user_msghdr __user *umsg,
			  unsigned flags)
{
	struct iovec fast[UIO_FASTIOV], *iov;
	struct msghdr msg = { .flags = flags };
	struct user_msghdr hdr;
	ssize_t ret = copy_msghdr(&hdr, umsg, &msg, &iov, fast);
	int err;

	if (ret)
		return ret;
	ret = sock_recvmsg(sock, &msg, (file->f_flags & O_NONBLOCK) || (flags & MSG_DONTWAIT));
	if (ret >= 0) {
		err = finish_recvmsg(sock, &hdr, umsg, &msg, flags);
		if (err)
			ret = err;
	}
	scm_destroy(&msg);
	if (iov != fast)
		kfree(iov);
	return ret;
}

SYSCALL_DEFINE3(sendmsg, int, fd, struct user_msghdr __user *, msg, unsigned int, flags)
{
	return with_socket(fd, sock, file, do_sendmsg(sock, file, msg, flags));
}

SYSCALL_DEFINE3(recvmsg, int, fd, struct user_msghdr __user *, msg, unsigned int, flags)
{
	return with_socket(fd, sock, file, do_recvmsg(sock, file, msg, flags));
}

SYSCALL_DEFINE4(sendmmsg, int, fd, struct mmsghdr __user *, mmsg, unsigned int, vlen, unsigned int,
		flags)
{
	struct fd f;
	struct socket *sock = sock_get((unsigned)fd, &f);
	unsigned done = 0;
	ssize_t ret = 0;

	if (IS_ERR(sock))
		return PTR_ERR(sock);
	vlen = min(vlen, UIO_MAXIOV + 0U);
	while (done < vlen) {
		ret = do_sendmsg(sock, f.file, &mmsg[done].msg_hdr, flags);
		if (ret < 0)
			break;
		ret = put_user((unsigned)ret, &mmsg[done].msg_len);
		if (ret)
			break;
		done++;
	}
	fdput(f);
	return done ? (ssize_t)done : ret;
}

SYSCALL_DEFINE5(recvmmsg, int, fd, struct mmsghdr __user *, mmsg, unsigned int, vlen, unsigned int,
		flags, struct __kernel_timespec __user *, timeout)
{
	ktime_t end = KTIME_MAX, now;
	struct socket *sock;
	unsigned done = 0;
	ssize_t ret = 0;
	struct fd f;
	u64 ns;

	if (timeout) {
		ret = get_timespec(&ns, timeout);
		if (ret)
			return ret;
		end = ktime_get() + (ktime_t)ns;
	}
	sock = sock_get((unsigned)fd, &f);
	if (IS_ERR(sock))
		return PTR_ERR(sock);
	vlen = min(vlen, UIO_MAXIOV + 0U);
	while (done < vlen) {
		ret = do_recvmsg(sock, f.file, &mmsg[done].msg_hdr, flags & ~MSG_WAITFORONE);
		if (ret < 0)
			break;
		ret = put_user((unsigned)ret, &mmsg[done].msg_len);
		if (ret)
			break;
		done++;
		if (flags & MSG_WAITFORONE)
			flags |= MSG_DONTWAIT;
		/* The time is looked at between messages only, as on Linux. */
		if (timeout && ktime_get() >= end)
			break;
	}
	fdput(f);
	now = ktime_get();
	if (done && timeout && put_timespec(end > now ? (u64)(end - now) : 0, timeout))
		return -EFAULT;
	return done ? (ssize_t)done : ret;
}
