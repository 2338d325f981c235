/* ISIG: which characters send which signal, what is flushed, NOFLSH, characters that are off. */
#include "pty.h"

static int master, slave;
static volatile sig_atomic_t got[65];

static void handler(int sig)
{
	got[sig]++;
}

static void report_signals(const char *what)
{
	let_others_run();
	show("%s: INT %d, QUIT %d, TSTP %d", what, (int)got[SIGINT], (int)got[SIGQUIT], (int)got[SIGTSTP]);
	memset((void *)got, 0, sizeof(got));
}

static void session(void)
{
	struct sigaction sa = { .sa_handler = handler };
	struct termios t;

	CALL(setsid() > 0);
	CALL(ioctl(slave, TIOCSCTTY, 0));
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGQUIT, &sa, NULL);
	sigaction(SIGTSTP, &sa, NULL);
	tcgetattr(slave, &t);
	t.c_lflag = ICANON | ISIG;
	tcsetattr(slave, TCSAFLUSH, &t);
	fcntl(slave, F_SETFL, O_NONBLOCK);
	feed(master, "lost\x03");
	report_signals("^C");
	feed(master, "kept\n");
	drain("read", slave);
	feed(master, "\x1c");
	report_signals("^backslash");
	feed(master, "\x1a");
	report_signals("^Z");
	t.c_lflag |= NOFLSH;
	tcsetattr(slave, TCSAFLUSH, &t);
	feed(master, "stays\x03");
	report_signals("NOFLSH");
	feed(master, "!\n");
	drain("read", slave);
	t.c_lflag = ICANON;
	tcsetattr(slave, TCSAFLUSH, &t);
	feed(master, "a\x03\x1a\n");
	drain("without ISIG", slave);
	report_signals("without ISIG");
	t.c_lflag = ISIG;
	t.c_cc[VINTR] = 'i';
	t.c_cc[VQUIT] = 0;
	t.c_cc[VMIN] = 1;
	tcsetattr(slave, TCSAFLUSH, &t);
	feed(master, "a\x1c\x03" "b");
	drain("VQUIT off, VINTR i", slave);
	feed(master, "i");
	report_signals("i");
	t.c_lflag = ISIG | ICANON | IEXTEN;
	tcsetattr(slave, TCSAFLUSH, &t);
	feed(master, "a\x16i\n");
	drain("quoted", slave);
	report_signals("quoted");
	/* The master can send signals itself. */
	CALL(ioctl(master, TIOCSIG, SIGINT));
	report_signals("TIOCSIG");
	CALL(ioctl(master, TIOCSIG, SIGUSR1));
	CALL(ioctl(slave, TIOCSIG, SIGINT));
	/* Flushing output, too: what the master has not read is gone. */
	t.c_cc[VINTR] = 3;
	t.c_lflag = ISIG | ICANON;
	tcsetattr(slave, TCSAFLUSH, &t);
	write(slave, "unread", 6);
	feed(master, "\x03");
	report_signals("^C");
	fcntl(master, F_SETFL, O_NONBLOCK);
	drain("master", master);
}

int main(void)
{
	master = open_pair(&slave);
	CHILD(session);
	return 0;
}
