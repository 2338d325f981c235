/* ICMP: echo by raw sockets; ICMP_FILTER; ping sockets and who may make them. */
#include "inet.h"
#include <netinet/ip_icmp.h>

static uint16_t csum(const void *data, size_t len)
{
	const uint16_t *p = data;
	uint32_t sum = 0;

	for (; len > 1; len -= 2)
		sum += *p++;
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t)~(sum + (sum >> 16));
}

static void send_echo(int fd, int id, int sequence)
{
	struct {
		struct icmphdr h;
		char data[8];
	} packet = { .data = "payload" };
	struct sockaddr_in to = inet_name("127.0.0.1", 0);

	packet.h.type = ICMP_ECHO;
	packet.h.un.echo.id = htons((uint16_t)id);
	packet.h.un.echo.sequence = htons((uint16_t)sequence);
	packet.h.checksum = csum(&packet, sizeof(packet));
	CALL(sendto(fd, &packet, sizeof(packet), 0, (struct sockaddr *)&to, sizeof(to)));
	settle();
}

static void show_raw(int fd)
{
	unsigned char buf[200];
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	ssize_t n;

	while ((n = recvfrom(fd, buf, sizeof(buf), MSG_DONTWAIT, (struct sockaddr *)&from, &len)) > 0) {
		struct icmphdr *icmp = (void *)(buf + 20);

		show("%zd bytes from %s port %d: version %x, ttl %d, protocol %d, length %d, sum of header %s", n,
		     inet_ntoa(from.sin_addr), from.sin_port, buf[0], buf[8], buf[9], buf[2] << 8 | buf[3],
		     csum(buf, 20) ? "wrong" : "right");
		show("  type %d code %d id %d seq %d, sum %s, \"%s\"", icmp->type, icmp->code, ntohs(icmp->un.echo.id),
		     ntohs(icmp->un.echo.sequence), csum(icmp, (size_t)n - 20) ? "wrong" : "right", (char *)(icmp + 1));
	}
	show("then %s", error_name(errno));
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (write(fd, text, strlen(text)) < 0)
		show("%s: %s", path, error_name(errno));
	close(fd);
}

int main(void)
{
	int raw = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), udp = socket(AF_INET, SOCK_DGRAM, 0), ping, l = listener(), port;
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	uint32_t filter = 1U << ICMP_ECHO;
	unsigned char buf[100];

	send_echo(raw, 77, 1);
	show_raw(raw);
	CALL(setsockopt(raw, SOL_RAW, 1, &filter, sizeof(filter)));
	send_echo(raw, 77, 2);
	show_raw(raw);
	port = own_port(l);
	close(l);
	send_to(udp, "nobody", "127.0.0.1", port);
	settle();
	CALL(recv(raw, buf, sizeof(buf), MSG_DONTWAIT));
	show("type %d code %d, quotes protocol %d", buf[20], buf[21], buf[28 + 9]);
	CALL(recv(udp, buf, sizeof(buf), MSG_DONTWAIT));
	write_file("/proc/sys/net/ipv4/ping_group_range", "0 1000");
	ping = socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP);
	TRUTH(ping >= 0);
	send_echo(ping, 1, 3);
	CALL(recvfrom(ping, buf, sizeof(buf), MSG_DONTWAIT, (struct sockaddr *)&from, &len));
	show("type %d, seq %d, id is the port: %d, \"%s\" from %s", buf[0], buf[6] << 8 | buf[7],
	     (buf[4] << 8 | buf[5]) == own_port(ping), (char *)buf + 8, inet_ntoa(from.sin_addr));
	CALL(send_to(ping, "not an echo", "127.0.0.1", 0));
	CALL(send_to(ping, "short", "127.0.0.1", 0));
	write_file("/proc/sys/net/ipv4/ping_group_range", "1 0");
	CALL(socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP));
	return 0;
}
