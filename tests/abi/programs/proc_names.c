/* /proc/PID, /proc/PID/task/TID, /proc/PID/fd/N: which names are numbers. */
#include "abi.h"

static int found;

static void try_name(const char *dir, const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (!lstat(path, &st))
		found++;
	else if (errno != ENOENT)
		show("%s: %s", path, error_name(errno));
}

/* The number itself exists. With a byte before it or behind it, it does not. */
static void around(const char *dir, int number)
{
	char name[64];

	found = 0;
	snprintf(name, sizeof(name), "%d", number);
	try_name(dir, name);
	show("%s: the number: %d", dir, found);
	found = 0;
	for (int c = 1; c < 256; c++) {
		if (c == '/')
			continue;
		/* Another digit behind it may make a number that exists. */
		snprintf(name, sizeof(name), "%d%c", number, c);
		if (c < '0' || c > '9')
			try_name(dir, name);
		snprintf(name, sizeof(name), "%c%d", c, number);
		if (c <= '0' || c > '9')
			try_name(dir, name);
	}
	show("%s: with one byte more: %d", dir, found);
	found = 0;
	for (long long add = 1LL << 32; add > 0; add <<= 1) {
		snprintf(name, sizeof(name), "%llu", (unsigned long long)number + (unsigned long long)add);
		try_name(dir, name);
		snprintf(name, sizeof(name), "%lld", number - add);
		try_name(dir, name);
	}
	show("%s: far away: %d", dir, found);
}

int main(void)
{
	static const char *const names[] = { "-0", "-1", "00", "0x0", "4294967295", "4294967296", "2147483648", "99999999999999999999999" };

	close(0);
	open("/", O_RDONLY);
	dup2(0, 700);
	around("/proc", 1);
	around("/proc/1/task", 1);
	around("/proc/self/fd", 0);
	around("/proc/self/fd", 700);
	around("/proc/self/fdinfo", 700);
	found = 0;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		try_name("/proc", names[i]);
		try_name("/proc/self/fd", names[i]);
	}
	show("others: %d", found);
	return 0;
}
