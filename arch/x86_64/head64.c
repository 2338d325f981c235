/* The first C function: collects what the boot loader says, then starts the kernel proper. */
#include <stdint.h>

void start_kernel(void);
void x86_64_start_kernel(uint32_t magic, uint64_t info);

void x86_64_start_kernel(uint32_t magic, uint64_t info)
{
	(void)magic, (void)info;
	start_kernel();
}
