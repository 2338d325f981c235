/* The file systems of the kernel for the self-tests, which run without the programs that mount
 * them. */
#pragma once

/* Mounts them where /etc/init.d/rcS of the root file system does, or panics. PID 1, once. */
void mount_file_systems(void);
