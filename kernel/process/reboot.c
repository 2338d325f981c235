/* reboot(2): restart, power off, halt. */
#include "kernel/task/cred.h"
#include "kernel/reboot.h"
#include "kernel/syscalls/syscalls.h"

/* reboot(2). */
#define REBOOT_MAGIC1 0xfee1dead
#define CMD_RESTART   0x01234567
#define CMD_HALT      0xcdef0123
#define CMD_CAD_ON    0x89abcdef
#define CMD_CAD_OFF   0x00000000
#define CMD_POWER_OFF 0x4321fedc
#define CMD_RESTART2  0xa1b2c3d4

static bool reboot_magic2(unsigned magic)
{
	/* 672274793, and three birthdays: 85072278, 369367448, 537993216. */
	return magic == 0x28121969 || magic == 0x05121996 || magic == 0x16041998 ||
	       magic == 0x20112000;
}

/* Restricted: the text of LINUX_REBOOT_CMD_RESTART2 is ignored. */
SYSCALL_DEFINE4(reboot, int, magic1, int, magic2, unsigned int, cmd, void __user *, arg)
{
	(void)arg; /* of RESTART2: a text for the firmware */
	if (!capable(CAP_SYS_BOOT))
		return -EPERM;
	if ((unsigned)magic1 != REBOOT_MAGIC1 || !reboot_magic2((unsigned)magic2))
		return -EINVAL;
	switch (cmd) {
	case CMD_RESTART:
	case CMD_RESTART2:
		kernel_restart();
	case CMD_POWER_OFF:
		kernel_power_off();
	case CMD_HALT:
		kernel_halt();
	case CMD_CAD_ON:
	case CMD_CAD_OFF:
		return 0; /* a serial console has no Ctrl-Alt-Del */
	}
	return -EINVAL;
}
