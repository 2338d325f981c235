/* tcgetattr and tcsetattr of both sides: they are the slave's. Raw mode, output processing. */
#include "pty.h"

static void show_modes(const char *name, int fd)
{
	struct termios t;

	if (tcgetattr(fd, &t)) {
		show("%s: %s", name, error_name(errno));
		return;
	}
	show("%s: %o %o %o %o; intr %d quit %d erase %d kill %d eof %d time %d min %d start %d stop %d "
	     "susp %d eol %d reprint %d discard %d werase %d lnext %d eol2 %d",
	     name, t.c_iflag, t.c_oflag, t.c_cflag, t.c_lflag, t.c_cc[VINTR], t.c_cc[VQUIT],
	     t.c_cc[VERASE], t.c_cc[VKILL], t.c_cc[VEOF], t.c_cc[VTIME], t.c_cc[VMIN],
	     t.c_cc[VSTART], t.c_cc[VSTOP], t.c_cc[VSUSP], t.c_cc[VEOL], t.c_cc[VREPRINT],
	     t.c_cc[VDISCARD], t.c_cc[VWERASE], t.c_cc[VLNEXT], t.c_cc[VEOL2]);
}

int main(void)
{
	int slave, master = open_pair(&slave);
	struct termios t, raw;

	show_modes("slave", slave);
	show_modes("master", master);
	tcgetattr(master, &t);
	raw = t;
	cfmakeraw(&raw);
	CALL(tcsetattr(master, TCSANOW, &raw));
	show_modes("slave", slave);
	feed(master, "ab\r\003\004");
	read_show("raw slave", slave, 100);
	drain("no echo", master);
	feed(slave, "x\ny\r\tz");
	read_show("raw master", master, 100);

	raw.c_oflag |= OPOST | OCRNL | XTABS;
	CALL(tcsetattr(slave, TCSADRAIN, &raw));
	feed(slave, "a\tb\rc\nd");
	read_show("OCRNL XTABS", master, 100);
	t.c_oflag = OPOST | ONLCR | OLCUC;
	t.c_iflag |= IUCLC | ISTRIP;
	t.c_lflag &= ~(unsigned)ECHO;
	CALL(tcsetattr(slave, TCSAFLUSH, &t));
	feed(slave, "Lower\n");
	read_show("OLCUC", master, 100);
	feed(master, "UPPER\xe1\n");
	read_show("IUCLC ISTRIP", slave, 100);
	t.c_iflag = INLCR | IGNCR;
	t.c_lflag |= ECHO;
	CALL(tcsetattr(slave, TCSANOW, &t));
	feed(master, "a\rb\n");
	drain("echo of INLCR IGNCR", master);
	CALL(tcflush(slave, TCIOFLUSH));
	CALL(tcflush(slave, 77));
	CALL(tcdrain(slave));
	CALL(tcsendbreak(slave, 0));
	return 0;
}
