/* How many messages a program may write to /dev/kmsg, and /proc/sys/kernel/printk_devkmsg. */
#include <poll.h>

#include "abi.h"

#define SETTING "/proc/sys/kernel/printk_devkmsg"

static int reader;

static void set(const char *value)
{
	int fd = open(SETTING, O_WRONLY);

	show("set '%s'", value);
	CALL(write(fd, value, strlen(value)));
	close(fd);
}

static void setting(void)
{
	char text[100];
	int fd = open(SETTING, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = 0;
	show("setting: %s", text);
	close(fd);
}

static void write_lines(int fd, const char *name, int count)
{
	char line[100];
	int good = 0;

	for (int i = 0; i < count; i++) {
		int length = snprintf(line, sizeof(line), "<6>%s line %d\n", name, i);

		good += write(fd, line, length) == length;
	}
	show("%s: %d of %d writes succeed", name, good, count);
}

/* Shows what has come to the log since the last call: how many lines of name, and what is dropped. */
static void log_has(const char *name)
{
	char record[2048], *text;
	int lines = 0;
	ssize_t n;

	while ((n = read(reader, record, sizeof(record) - 1)) > 0) {
		record[n] = 0;
		text = strchr(record, ';') + 1;
		if (!strncmp(text, name, strlen(name)))
			lines++;
		else if (strstr(text, "suppressed"))
			show("level %d: %s", atoi(record), strstr(text, "printk: "));
	}
	show("%d lines of %s", lines, name);
}

static void write_only(void)
{
	int fd = open("/dev/kmsg", O_WRONLY);
	struct pollfd poll_it = { .fd = fd, .events = POLLOUT | POLLIN };
	char byte;

	show("-- write only");
	CALL(read(fd, &byte, 1));
	CALL(lseek(fd, 0, SEEK_END));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(lseek(fd, 1, SEEK_SET));
	CALL(poll(&poll_it, 1, 0));
	close(fd);
}

int main(void)
{
	static const char *const values[] = { "on\n", "off", "ratelimit\n", "On\n", "on off\n", " on\n",
					      "1\n", "\n" };
	int fd;

	reader = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	lseek(reader, 0, SEEK_END);
	setting();
	fd = open("/dev/kmsg", O_WRONLY);
	write_lines(fd, "first", 8);
	log_has("first");
	write_lines(fd, "second", 8);
	log_has("second");
	show("-- another file has its own limit");
	write_lines(open("/dev/kmsg", O_WRONLY), "third", 10);
	log_has("third");
	close(fd);
	log_has("second");
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		set(values[i]);
		setting();
	}
	fd = open("/dev/kmsg", O_WRONLY);
	set("on\n");
	write_lines(fd, "fourth", 25);
	log_has("fourth");
	set("off\n");
	write_lines(fd, "fifth", 25);
	log_has("fifth");
	CALL(open("/dev/kmsg", O_WRONLY));
	CALL(open("/dev/kmsg", O_RDONLY));
	set("ratelimit\n");
	close(fd);
	log_has("fifth");
	write_only();
	return 0;
}
