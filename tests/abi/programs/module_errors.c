/* Errors of init_module, finit_module and delete_module, before a module is looked at. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void show(const char *what, long result)
{
	if (result < 0)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: %ld\n", what, result);
}

static void calls_of_others(void)
{
	if (fork() == 0) {
		if (setuid(1000))
			_exit(1);
		show("user: init_module", syscall(SYS_init_module, "x", 1, ""));
		show("user: finit_module", syscall(SYS_finit_module, -1, "", 0));
		show("user: delete_module", syscall(SYS_delete_module, "none", 0));
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
}

int main(void)
{
	static char zeroes[4096];
	int file = open("/tmp/module_errors", O_RDWR | O_CREAT | O_TRUNC, 0600), written = open("/tmp/module_errors", O_WRONLY);

	int quiet = open("/proc/sys/kernel/printk", O_WRONLY);

	write(quiet, "1", 1); /* messages of the kernel would mix with the output */
	close(quiet);
	setvbuf(stdout, NULL, _IOLBF, 0);
	show("empty", syscall(SYS_init_module, zeroes, 0, ""));
	show("short", syscall(SYS_init_module, zeroes, 63, ""));
	show("no ELF", syscall(SYS_init_module, zeroes, sizeof(zeroes), ""));
	show("bad address", syscall(SYS_init_module, NULL, sizeof(zeroes), ""));
	show("bad descriptor", syscall(SYS_finit_module, -1, "", 0));
	show("unknown flags", syscall(SYS_finit_module, file, "", 1 << 20));
	show("empty file", syscall(SYS_finit_module, file, "", 0));
	if (write(file, zeroes, sizeof(zeroes)) != sizeof(zeroes))
		return 1;
	show("only for writing", syscall(SYS_finit_module, written, "", 0));
	show("file of zeroes", syscall(SYS_finit_module, file, "", 0));
	close(written);
	close(file);
	file = open("/tmp/module_errors", O_RDONLY);
	show("nobody writes", syscall(SYS_finit_module, file, "", 0));
	close(file);
	file = open("/tmp", O_RDONLY);
	show("directory", syscall(SYS_finit_module, file, "", 0));
	show("no such module", syscall(SYS_delete_module, "none", O_NONBLOCK));
	show("bad name", syscall(SYS_delete_module, NULL, O_NONBLOCK));
	calls_of_others();
	return unlink("/tmp/module_errors");
}
