/* /dev/kmsg keeps the facility of a message, and escapes bytes that are not printable; syslog(2) shows both as they are. */
#include "abi.h"
#include <sys/klog.h>

static int kmsg;

/* The record that was written last. */
static void read_back(void)
{
	char buf[8192];
	ssize_t n = read(kmsg, buf, sizeof(buf) - 1);

	if (n < 0) {
		show("read: %s", error_name(errno));
		return;
	}
	buf[n] = '\0';
	show("  %d ... %s", atoi(buf), strchr(buf, ';'));
}

/* Opens the file each time: Linux takes only ten messages in five seconds from an open file. */
static void put(const char *text)
{
	char line[128];
	int fd = open("/dev/kmsg", O_WRONLY), n = snprintf(line, sizeof(line), "%s\n", text);

	if (write(fd, line, n) != n)
		show("write: %s", error_name(errno));
	close(fd);
}

static void say(const char *text)
{
	show("%s", text);
	put(text);
	read_back();
}

/* The priority and the text in the last line of the log. */
static void last_line(const char *text)
{
	char buf[4096];
	long n;

	put(text);
	n = klogctl(3, buf, sizeof(buf) - 1);
	buf[n] = '\0';
	for (n--; n > 0 && buf[n - 1] != '\n';)
		n--;
	show("last line: <%d> %s", atoi(buf + n + 1), strchr(buf + n, ']'));
}

int main(void)
{
	static const char *const messages[] = {
		"plain", "<7>debug", "<15>user debug", "<300>a large facility", "<2047>the largest",
		"<2053>beyond", "<99999999999>far beyond", "<x>no digit", "<-7>minus", "<0x1f>hexadecimal",
		"<030>a leading zero", "< 5>a space", "<+5>plus", "<15", "<15>", "<15><6>two", "a\\b\tc", "<31>\303\244\177",
		"\001" "3 is not a level",
	};

	klogctl(6, NULL, 0); /* the console shows level 0 only */
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	lseek(kmsg, 0, SEEK_END);
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		say(messages[i]);
	last_line("<15>debug");
	last_line("plain");
	last_line("<1999>a\\b");
	klogctl(7, NULL, 0);
	return 0;
}
