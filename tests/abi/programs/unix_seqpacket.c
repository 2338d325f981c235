/* SOCK_SEQPACKET: a connection with message boundaries. */
#include "unix.h"

int main(void)
{
	int l = socket(AF_UNIX, SOCK_SEQPACKET, 0), c = socket(AF_UNIX, SOCK_SEQPACKET, 0), s;
	int d = socket(AF_UNIX, SOCK_STREAM, 0);
	char buf[32];

	bind_path(l, "seq");
	CALL(listen(l, 2));
	CALL(connect_path(d, "seq"));
	CALL(connect_path(c, "seq"));
	s = OK(accept(l, NULL, NULL));
	CALL(send(c, "first", 5, 0));
	CALL(send(c, "second", 6, 0));
	CALL(send(c, "", 0, 0));
	CALL(sendto_path(c, "named", "nowhere"));
	recv_show("cut", s, 3, 0, 0);
	recv_show("second", s, 30, 0, 0);
	recv_show("empty", s, 30, 0, 0);
	recv_show("name ignored", s, 30, 0, 0);
	CALL(recv(s, buf, sizeof(buf), MSG_DONTWAIT));
	CALL(send(c, "waits", 5, 0));
	CALL(shutdown(c, SHUT_WR));
	show_poll("half closed", s);
	recv_show("waits", s, 30, 0, 0);
	CALL(recv(s, buf, sizeof(buf), MSG_DONTWAIT));
	CALL(recv(s, buf, sizeof(buf), 0));
	signal(SIGPIPE, SIG_DFL);
	CALL(send(c, "x", 1, 0));
	CALL(send(s, "back", 4, 0));
	recv_show("back", c, 30, 0, 0);
	CALL(close(c));
	show_poll("closed", s);
	CALL(send(s, "x", 1, 0));
	CALL(recv(s, buf, sizeof(buf), 0));
	return 0;
}
