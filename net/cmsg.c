/* Control messages to programs: cmsg(3). See socket.h. */
#include "kernel/time/ktime.h"
#include "kernel/time/timekeeping.h"
#include "net/socket.h"

bool put_cmsg(struct msghdr *msg, char __user *control, size_t len, size_t *at, int level, int type,
	      const void *data, size_t size)
{
	struct cmsghdr header = { .cmsg_level = level, .cmsg_type = type };
	size_t room = control ? len - *at : 0;

	if (room < sizeof(header)) {
		msg->flags |= MSG_CTRUNC;
		return false;
	}
	if (room < sizeof(header) + size) {
		msg->flags |= MSG_CTRUNC;
		size = room - sizeof(header);
	}
	header.cmsg_len = sizeof(header) + size;
	if (copy_to_user(control + *at, &header, sizeof(header)) ||
	    copy_to_user(control + *at + sizeof(header), data, size))
		return false;
	*at += min(CMSG_ALIGN(header.cmsg_len), room);
	return true;
}

u64 sock_stamp(const struct socket *sock)
{
	return READ_ONCE(sock->timestamp) ? ktime_get_real() : 0;
}

void put_stamp(const struct socket *sock, struct msghdr *msg, char __user *control, size_t len,
	       size_t *at)
{
	u8 name = READ_ONCE(sock->timestamp);
	s64 stamp[2] = { (s64)(msg->stamp / NSEC_PER_SEC), (s64)(msg->stamp % NSEC_PER_SEC) };

	if (!name || !msg->stamp)
		return;
	if (name == SO_TIMESTAMP_OLD || name == SO_TIMESTAMP_NEW)
		stamp[1] /= (s64)NSEC_PER_USEC;
	(void)put_cmsg(msg, control, len, at, SOL_SOCKET, name, stamp, sizeof(stamp));
}
