/*
 * refuse FILE.ko [ARGUMENTS]: loads the module again and again, and each time another allocation of the loader fails: the
 * first, the second and so on, until none is left to fail. Each load must give ENOMEM, or succeed. Needs the test kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int switch_fd;

static unsigned refuse(unsigned n)
{
	char text[16];
	unsigned made = 0;
	int length = snprintf(text, sizeof(text), "%u", n);

	if (write(switch_fd, text, length) != length)
		perror("refuse_allocation");
	if (!n && read(switch_fd, &made, sizeof(made)) != sizeof(made))
		perror("refuse_allocation");
	return made;
}

int main(int argc, char **argv)
{
	char name[64] = "";
	unsigned made, refused = 0;
	int file = open(argv[1], O_RDONLY);

	switch_fd = open("/sys/kernel/debug/refuse_allocation", O_RDWR);
	if (file < 0 || switch_fd < 0)
		return perror("open"), 1;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(argv[1], "."), argv[1]);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	for (unsigned n = 1;; n++) {
		long result;
		int error;

		refuse(n);
		result = syscall(SYS_finit_module, file, argc > 2 ? argv[2] : "", 0);
		error = errno;
		made = refuse(0);
		if (result && error != ENOMEM)
			return printf("allocation %u: %s\n", n, strerror(error)), 1;
		if (!result && syscall(SYS_delete_module, name, 0))
			return perror("delete_module"), 1;
		if (result)
			refused++;
		if (made < n)
			return printf("%u of %u allocations gave ENOMEM\n", refused, made), result != 0;
	}
}
