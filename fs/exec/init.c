/*
 * The first program. PID 1 is a kernel task that calls exec. If the boot loader gave an initramfs,
 * it tries rdinit= or /init; then init=, or the usual places. Without an initramfs there are no
 * programs: the kernel's own shell runs.
 */
#include "fs/syscalls.h"
#include "fs/initramfs.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/process/exec.h"

#define INIT_PATH_MAX 256

static char init_path[INIT_PATH_MAX];
static char rdinit_path[INIT_PATH_MAX] = "/init";
__setup_string("init", init_path);
__setup_string("rdinit", rdinit_path);

static const char *const places[] = { "/sbin/init", "/etc/init", "/bin/init", "/bin/sh" };

#define INIT_WORDS_MAX 32 /* arguments, and variables, as on Linux */

static const char *argv[INIT_WORDS_MAX + 2];
static const char *envp[INIT_WORDS_MAX + 3] = { "HOME=/", "TERM=linux" };

/* Sets a variable in the environment. It replaces one with the same name. */
static void set_variable(const char *assignment)
{
	size_t name = (size_t)(strchr(assignment, '=') + 1 - assignment), i = 0;

	while (envp[i] && strncmp(envp[i], assignment, name))
		i++;
	if (i < ARRAY_SIZE(envp) - 1)
		envp[i] = assignment;
}

/* Divides the rest of the command line between the arguments and the environment. */
static void take_command_line(void)
{
	unsigned args = 1;

	for (const char *word = unknown_params; *word; word += strlen(word) + 1)
		if (strchr(word, '='))
			set_variable(word);
		else if (args < ARRAY_SIZE(argv) - 1)
			argv[args++] = word;
}

static int run_program(const char *path)
{
	argv[0] = path;
	return kernel_execve(path, argv, envp);
}

/* Tries a path. Returns whether the program runs. A failure is named, unless nothing is there. */
static bool try_program(const char *path)
{
	int error = run_program(path);

	if (!error)
		pr_info("Run %s as init process\n", path);
	else if (error != -ENOENT)
		pr_err("Starting init: %s exists but couldn't execute it (error %d)\n", path,
		       error);
	return !error;
}

void run_first_program(void)
{
	console_on_rootfs();
	take_command_line();
	if (*rdinit_path && try_program(rdinit_path))
		return;
	if (*init_path) {
		int error = run_program(init_path);

		if (error)
			panic("Requested init %s failed (error %d).", init_path, error);
		return;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(places); i++)
		if (try_program(places[i]))
			return;
	panic("No working init found in the initramfs. `make rootfs` builds one with a shell: "
	      "build/rootfs.cpio, for QEMU's option -initrd. Or name a program with init=PATH.");
}
