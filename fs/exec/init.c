/*
 * The first program. PID 1 is a kernel task that calls exec. The program is /init of the initramfs,
 * or what rdinit= names. If there is none, Linux mounts the block device that root= names. nop5 has
 * no block devices, so the boot ends there as on Linux without that device.
 *
 * init= and the usual places come after root= on Linux. Here they matter only if the first program
 * exists and cannot be executed.
 */
#include "fs/vfs/fs.h"
#include "fs/vfs/syscalls.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/process/exec.h"

#define INIT_PATH_MAX 256
#define ROOT_NAME_MAX 64

static char init_path[INIT_PATH_MAX];
static char rdinit_path[INIT_PATH_MAX] = "/init";
static char root_name[ROOT_NAME_MAX];
__setup_string("init", init_path);
__setup_string("rdinit", rdinit_path);
__setup_string("root", root_name);

/*
 * What else Linux wants to know of the file system of root=. The words are the kernel's: the first
 * program does not get them.
 */
#define ROOT_OPTION(word)                                                                          \
	static int __init word##_setup(const char *value)                                          \
	{                                                                                          \
		(void)value;                                                                       \
		return 0;                                                                          \
	}                                                                                          \
	__setup(#word, word##_setup)
ROOT_OPTION(ro);
ROOT_OPTION(rw);
ROOT_OPTION(rootwait);
ROOT_OPTION(rootdelay);
ROOT_OPTION(rootflags);
ROOT_OPTION(rootfstype);

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

static bool exists(const char *name)
{
	struct path path;

	if (kern_path(name, LOOKUP_FOLLOW, &path))
		return false;
	path_put(&path);
	return true;
}

/* Mounts no device, because there is none. Names the device of root= as Linux does. */
static void __noreturn mount_root(void)
{
	const char *name = *root_name ? root_name : "(null)";

	pr_err("VFS: Cannot open root device \"%s\" or unknown-block(0,0): error %d\n",
	       strncmp(name, "/dev/", 5) ? name : name + 5, -ENXIO);
	panic("VFS: Unable to mount root fs on unknown-block(0,0). `make rootfs` builds an "
	      "initramfs, `make run ROOTFS=FILE` boots with another one, and QEMU takes it with "
	      "-initrd FILE. It must contain %s",
	      rdinit_path);
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

/* Opens the console as descriptors 0, 1 and 2 of the first process. */
static void console_on_rootfs(void)
{
	long fd = sys_open("/dev/console", O_RDWR, 0);

	while (fd >= 0 && fd < 2)
		fd = sys_dup(0);
	if (fd < 0)
		panic("/dev/console: %s", errno_text((int)-fd));
}

/* Calls exec for rdinit= or /init. PID 1. */
static void run_first_program(void)
{
	int error;

	console_on_rootfs();
	take_command_line();
	if (!exists(rdinit_path))
		mount_root();
	error = run_program(rdinit_path);
	if (!error) {
		pr_info("Run %s as init process\n", rdinit_path);
		return;
	}
	pr_err("Failed to execute %s (error %d)\n", rdinit_path, error);
	if (*init_path) {
		error = run_program(init_path);
		if (error)
			panic("Requested init %s failed (error %d).", init_path, error);
		return;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(places); i++)
		if (try_program(places[i]))
			return;
	panic("No working init found in the initramfs. `make rootfs` builds one with a shell: "
	      "build/rootfs.cpio. Or name another program with init=PATH.");
}

static int __init first_program_init(void)
{
	first_program = run_first_program;
	return 0;
}
fs_initcall(first_program_init);
