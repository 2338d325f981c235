/* The input flags of a terminal, one by one: what the slave reads of what the master writes. */
#include "pty.h"

static int master, slave;
static struct termios raw;

static void try(const char *what, tcflag_t iflag, const char *bytes, size_t n)
{
	struct termios t = raw;
	char buf[64];

	t.c_iflag = iflag;
	tcsetattr(slave, TCSAFLUSH, &t);
	write(master, bytes, n);
	fcntl(slave, F_SETFL, O_NONBLOCK);
	struct pollfd p = { slave, POLLIN, 0 };
	let_others_run();
	if (poll(&p, 1, 0) != 1)
		show("%s: nothing", what);
	else
		show_bytes(what, buf, read(slave, buf, sizeof(buf)));
}
#define TRY(flags, bytes) try(#flags, flags, bytes, sizeof(bytes) - 1)

int main(void)
{
	master = open_pair(&slave);
	tcgetattr(slave, &raw);
	cfmakeraw(&raw);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	TRY(0, "a\r\n\xe1" "A\x01");
	TRY(ISTRIP, "a\xe1\xff" "z");
	TRY(INLCR, "a\nb\rc");
	TRY(IGNCR, "a\nb\rc");
	TRY(ICRNL, "a\nb\rc");
	TRY(INLCR | ICRNL, "a\nb\rc");
	TRY(INLCR | IGNCR, "a\nb\rc");
	TRY(IUCLC, "aBcD");
	raw.c_lflag |= IEXTEN;
	TRY(IUCLC, "aBcD");
	TRY(IUCLC | ICRNL | ISTRIP, "A\xc1\rZ");
	raw.c_lflag &= ~(tcflag_t)IEXTEN;
	TRY(PARMRK, "a\xff" "b");
	TRY(PARMRK | ISTRIP, "a\xff" "b");
	TRY(IGNPAR | INPCK, "ab");
	TRY(IXON, "a\x13" "b\x11" "c");
	TRY(IXON | IXANY, "a\x13" "b");
	TRY(IXOFF, "a\x13" "b\x11");
	TRY(IMAXBEL | IUTF8, "\xc3\xa4");
	/* Without ISIG and ICANON the special characters are bytes. */
	TRY(ICRNL, "\x03\x04\x1a\x1c\x15\x7f\x16\x0f");
	return 0;
}
