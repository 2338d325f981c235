/* openat2(2): the resolve flags one by one, and the structure's size. */
#include "abi.h"

struct how {
	uint64_t flags, mode, resolve, extra;
};

#define NO_XDEV       0x01
#define NO_MAGICLINKS 0x02
#define NO_SYMLINKS   0x04
#define BENEATH       0x08
#define IN_ROOT       0x10
#define CACHED        0x20

static int dir;

static void try(const char *flags, const char *name, uint64_t resolve)
{
	struct how how = { O_RDONLY, 0, resolve, 0 };
	int fd = (int)syscall(437, dir, name, &how, 24UL);
	char text[160];

	snprintf(text, sizeof(text), "%s: \"%s\"", flags, name);
	if (fd < 0)
		show("%s: %s", text, error_name(errno));
	else
		show("%s: open", text);
	close(fd);
}
#define TRY(name, resolve) try(#resolve, name, resolve)

static long sized(uint64_t flags, uint64_t mode, uint64_t resolve, uint64_t extra, size_t size)
{
	struct how how = { flags, mode, resolve, extra };

	return syscall(437, dir, "f", &how, size);
}

int main(void)
{
	mkdir("d", 0755);
	mkdir("d/sub", 0755);
	close(open("d/f", O_CREAT, 0644));
	close(open("outside", O_CREAT, 0644));
	symlink("f", "d/link");
	symlink("../outside", "d/up");
	symlink("/proc", "d/absolute");
	symlink("sub/../f", "d/within");
	symlink("../../d/f", "d/sub/far");
	dir = open("d", O_RDONLY | O_DIRECTORY);

	TRY("f", BENEATH);
	TRY("link", BENEATH);
	TRY("within", BENEATH);
	TRY("sub/..", BENEATH);
	TRY("..", BENEATH);
	TRY("../d/f", BENEATH);
	TRY("up", BENEATH);
	TRY("absolute", BENEATH);
	TRY("/", BENEATH);
	TRY("sub/far", BENEATH);
	TRY(".", BENEATH);
	TRY("f", IN_ROOT);
	TRY("/f", IN_ROOT);
	TRY("../../f", IN_ROOT);
	TRY("up", IN_ROOT);
	TRY("absolute", IN_ROOT);
	TRY("sub/far", IN_ROOT);
	TRY("f", IN_ROOT | BENEATH);
	TRY("link", NO_SYMLINKS);
	TRY("f", NO_SYMLINKS);
	TRY("../d/link", NO_SYMLINKS);
	TRY("/proc/self/status", NO_SYMLINKS);
	TRY("/proc/self/cwd", NO_MAGICLINKS);
	TRY("/proc/self/status", NO_MAGICLINKS);
	TRY("link", NO_MAGICLINKS);
	TRY("/proc/version", NO_XDEV);
	TRY("absolute", NO_XDEV);
	TRY("../outside", NO_XDEV);
	TRY("/proc/self/cwd", NO_XDEV);
	TRY("f", CACHED);
	TRY("none", BENEATH);
	TRY("f/", 0);
	TRY("f", 0x40);
	TRY("f", 1ULL << 40);

	/* The structure. */
	CALL(sized(O_RDONLY, 0, 0, 0, 32) >= 0);
	CALL(sized(O_RDONLY, 0, 0, 1, 32));
	CALL(sized(O_RDONLY, 0, 0, 0, 16));
	CALL(sized(O_RDONLY, 0, 0, 0, 0));
	CALL(sized(O_RDONLY, 0, 0, 0, 5000));
	CALL(sized(O_RDONLY, 0644, 0, 0, 24));
	CALL(sized(O_CREAT | O_RDWR, 010000, 0, 0, 24));
	CALL(sized(1ULL << 33, 0, 0, 0, 24));
	CALL(sized(O_PATH | O_RDWR, 0, 0, 0, 24));
	CALL(sized(O_PATH | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY, 0, 0, 0, 24));
	CALL(sized(O_TMPFILE | O_RDONLY, 0600, 0, 0, 24));
	CALL(sized(O_CREAT | O_RDWR, 0600, CACHED, 0, 24));
	CALL(sized(O_TRUNC | O_RDWR, 0, CACHED, 0, 24));
	CALL(syscall(437, dir, "f", NULL, 24UL));
	return 0;
}
