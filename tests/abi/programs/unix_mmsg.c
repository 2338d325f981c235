/* sendmmsg(2), recvmmsg(2), sendmsg(2) with several buffers, errors of msghdr. */
#include "unix.h"

int main(void)
{
	int s[2];
	char in[4][8];
	struct iovec out[4] = { { "a", 1 }, { "bb", 2 }, { "ccc", 3 }, { "dddd", 4 } }, iov[4];
	struct mmsghdr m[4];
	struct msghdr msg;
	struct timespec ts = { 1, 0 };

	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	memset(m, 0, sizeof(m));
	for (int i = 0; i < 4; i++) {
		m[i].msg_hdr.msg_iov = &out[i];
		m[i].msg_hdr.msg_iovlen = 1;
	}
	CALL(sendmmsg(s[0], m, 4, 0));
	show("%u %u %u %u", m[0].msg_len, m[1].msg_len, m[2].msg_len, m[3].msg_len);
	for (int i = 0; i < 4; i++) {
		iov[i] = (struct iovec){ in[i], 3 };
		m[i].msg_hdr.msg_iov = &iov[i];
		m[i].msg_len = 99;
	}
	CALL(recvmmsg(s[1], m, 2, 0, NULL));
	show("%u %u %u", m[0].msg_len, m[1].msg_len, m[2].msg_len);
	CALL(recvmmsg(s[1], m, 4, MSG_WAITFORONE, NULL));
	show("%u flags %x, %u flags %x", m[0].msg_len, m[0].msg_hdr.msg_flags, m[1].msg_len,
	     m[1].msg_hdr.msg_flags);
	CALL(recvmmsg(s[1], m, 4, MSG_DONTWAIT, NULL));
	CALL(recvmmsg(s[1], m, 4, MSG_DONTWAIT, &ts));
	ts.tv_nsec = -1;
	CALL(recvmmsg(s[1], m, 4, MSG_DONTWAIT, &ts));
	CALL(recvmmsg(s[1], m, 0, 0, NULL));
	CALL(sendmmsg(s[0], m, 0, 0));
	CALL(syscall(SYS_sendmmsg, s[0], (void *)8, 1, 0));

	memset(&msg, 0, sizeof(msg));
	msg.msg_iov = out;
	msg.msg_iovlen = 4;
	CALL(sendmsg(s[0], &msg, 0));
	recv_show("joined", s[1], 50, 0, 0);
	msg.msg_iovlen = 1025;
	CALL(syscall(SYS_sendmsg, s[0], &msg, 0));
	msg.msg_iovlen = 0;
	CALL(sendmsg(s[0], &msg, 0));
	recv_show("empty", s[1], 50, 0, 0);
	msg.msg_iov = (struct iovec *)8;
	msg.msg_iovlen = 1;
	CALL(syscall(SYS_sendmsg, s[0], &msg, 0));
	CALL(syscall(SYS_sendmsg, s[0], (void *)8, 0));
	CALL(syscall(SYS_recvmsg, s[1], (void *)8, 0));
	return 0;
}
