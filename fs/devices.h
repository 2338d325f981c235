/* The devices that devfs has from the start. Each function makes its files: 0 or a negative errno.
 */
#pragma once

int mem_devices_init(void); /* null, zero, full */
int kmsg_device_init(void); /* kmsg */
int tty_devices_init(void); /* console, ttyS0, ttyS1 */
