/* A first sign of life, until the real start_kernel() arrives. */
#include <stdint.h>

void start_kernel(void);

char banner[] = "nop5\r\n";

static void outb(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

void start_kernel(void)
{
	for (const char *s = banner; *s; s++)
		outb(0x3f8, *s);
	outb(0xf4, 0x10);
	for (;;)
		;
}
