/* SCM_RIGHTS: descriptors travel; the file is the same; CLOEXEC; truncated control data; MSG_PEEK. */
#include "unix.h"

int main(void)
{
	int s[2], fds[3], fd, file = open("f", O_CREAT | O_RDWR, 0644), many[254];
	char buf[16] = "";

	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	write(file, "shared offset", 13);
	lseek(file, 7, SEEK_SET);
	CALL(send_fds(s[0], "f", 1, &file, 1));
	close(file);
	fd = recv_show("one", s[1], 10, 100, 0);
	TRUTH(fd > 2);
	CALL(read(fd, buf, 15));
	show("\"%s\"", buf);
	CALL(fcntl(fd, F_GETFD));
	fds[0] = fds[1] = fds[2] = fd;
	CALL(send_fds(s[0], "ab", 2, fds, 3));
	CALL(send_fds(s[0], "c", 1, fds, 1));
	write(s[0], "plain", 5);
	fd = recv_show("peek", s[1], 1, 100, MSG_PEEK | MSG_CMSG_CLOEXEC);
	CALL(fcntl(fd, F_GETFD));
	recv_show("first byte", s[1], 1, 100, MSG_CMSG_CLOEXEC);
	recv_show("second", s[1], 10, 100, 0);
	recv_show("the rest", s[1], 10, 100, 0);
	CALL(send_fds(s[0], "t", 1, fds, 3));
	recv_show("room for two", s[1], 10, CMSG_LEN(2 * sizeof(int)), 0);
	CALL(send_fds(s[0], "t", 1, fds, 3));
	recv_show("no room", s[1], 10, 0, 0);
	CALL(send_fds(s[0], "t", 1, fds, 3));
	CALL(read(s[1], buf, 15));
	fds[1] = 999;
	CALL(send_fds(s[0], "t", 1, fds, 3));
	fds[1] = -1;
	CALL(send_fds(s[0], "t", 1, fds, 3));
	for (int i = 0; i < 254; i++)
		many[i] = 1;
	CALL(send_fds(s[0], "t", 1, many, 253));
	recv_show("253", s[1], 10, 2000, 0);
	CALL(send_fds(s[0], "t", 1, many, 254));
	CALL(send_fds(s[0], "", 0, many, 1));
	CALL(recv(s[1], buf, 1, MSG_DONTWAIT));
	close(s[0]);
	close(s[1]);
	/* A pipe's end of file waits for the descriptor in the message. */
	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	pipe(fds);
	CALL(send_fds(s[0], "", 0, &fds[1], 1));
	close(fds[1]);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	CALL(read(fds[0], buf, 1));
	close(s[1]);
	CALL(read(fds[0], buf, 1));
	return 0;
}
