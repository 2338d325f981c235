/* syslog(2): a record is read in pieces; a reader that waits does not keep others from calling it. */
#include "abi.h"
#include <sys/klog.h>
#include <sys/syscall.h>

enum { READ = 2, CONSOLE_OFF = 6, CONSOLE_ON = 7, SIZE_UNREAD = 9, SIZE_BUFFER = 10 };

static int kmsg;

static void drain(void)
{
	char buf[4096];

	while (syscall(SYS_syslog, SIZE_UNREAD, NULL, 0) > 0)
		syscall(SYS_syslog, READ, buf, sizeof(buf));
}

static void say(const char *text)
{
	CALL(write(kmsg, text, strlen(text)));
}

/* A record without its time. */
static const char *text_of(const char *record)
{
	const char *end = strchr(record, ']');

	return end ? end + 2 : record;
}

static void in_pieces(size_t piece)
{
	char buf[300] = { 0 };
	size_t len = 0, all = 0;
	long n, left;

	drain();
	say("<15>one piece after another\n");
	all = syscall(SYS_syslog, SIZE_UNREAD, NULL, 0);
	do {
		n = syscall(SYS_syslog, READ, buf + len, piece);
		len += n > 0 ? n : 0;
		left = syscall(SYS_syslog, SIZE_UNREAD, NULL, 0);
		if (left != (long)(all - len))
			show("%ld are left of %zu after %zu", left, all, len);
	} while (n > 0 && left > 0);
	show("%zu bytes at a time: level %d: %s", piece, atoi(buf + 1) & 7, text_of(buf));
}

static void with_reader(void)
{
	int fds[2];
	char c, buf[300] = { 0 };
	pid_t child;

	drain();
	pipe(fds);
	child = fork();
	if (!child) {
		write(fds[1], "", 1);
		syscall(SYS_syslog, READ, buf, sizeof(buf) - 1);
		show("reader: level %d: %s", atoi(buf + 1) & 7, text_of(buf));
		exit(0);
	}
	read(fds[0], &c, 1);
	until_asleep(child, child);
	CALL(syscall(SYS_syslog, CONSOLE_OFF, NULL, 0));
	CALL(syscall(SYS_syslog, CONSOLE_ON, NULL, 0));
	CALL(syscall(SYS_syslog, SIZE_UNREAD, NULL, 0));
	TRUTH(syscall(SYS_syslog, SIZE_BUFFER, NULL, 0) > 0);
	TRUTH(syscall(SYS_syslog, 3, buf, sizeof(buf)) > 0);
	write(kmsg, "<15>for the reader\n", 19);
	waitpid(child, NULL, 0);
}

int main(void)
{
	kmsg = open("/dev/kmsg", O_WRONLY);
	in_pieces(299);
	in_pieces(10);
	in_pieces(1);
	with_reader();
	return 0;
}
