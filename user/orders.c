/*
 * orders: a program that brings its own probes along (USDT): notes in its ELF file say where they are.
 *
 *	orders [N]    takes N orders, 3 if N is missing
 *
 * A probe is a nop. `nm`, `readelf -n` and `usdt-notes` show it; perf, bpftrace and gdb find it by its name. The text of an order is
 * made only if somebody looks: the kernel counts him in orders_taken_semaphore.
 */
#include <stdio.h>
#include <stdlib.h>

#define STR(x)  #x
#define TEXT(x) STR(x)

/* Where the note believes to be loaded: tools see from it whether the file was moved after it was linked. */
__asm__(".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".popsection\n");

/*
 * The nop, and its note: the owner "stapsdt" and the type 3; the address of the nop, the base, and the address of the semaphore;
 * provider, name, and where the two arguments are, as SIZE@PLACE in the words of the assembler.
 */
#define PROBE(provider, name, semaphore, first, second)                                                          \
	__asm__ volatile("990:	nop\n"                                                                            \
			 "	.pushsection .note.stapsdt, \"\", \"note\"\n"                                     \
			 "	.balign 4\n"                                                                      \
			 "	.4byte 992f - 991f, 994f - 993f, 3\n"                                             \
			 "991:	.asciz \"stapsdt\"\n"                                                             \
			 "992:	.balign 4\n"                                                                      \
			 "993:	.8byte 990b, _.stapsdt.base, " TEXT(semaphore) "\n"                               \
			 "	.asciz \"" TEXT(provider) "\", \"" TEXT(name) "\", \"-8@%0 8@%1\"\n"              \
			 "994:	.balign 4\n"                                                                      \
			 "	.popsection\n"                                                                    \
			 :                                                                                        \
			 : "nor"((long)(first)), "nor"((unsigned long)(second)))

/* In the file, so not in .bss: the kernel finds it by its place there. */
volatile unsigned short orders_taken_semaphore __attribute__((section(".probes")));

static unsigned long texts;

static __attribute__((noinline)) long take_order(long number)
{
	long price = 100 + number * number;
	static char text[64];

	if (orders_taken_semaphore) {
		texts++;
		snprintf(text, sizeof(text), "order %ld for %ld", number, price);
		PROBE(orders, taken, orders_taken_semaphore, price, text);
	}
	return price;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 3, sum = 0;

	for (long number = 1; number <= count; number++)
		sum += take_order(number);
	PROBE(orders, done, 0, sum, count);
	printf("%ld orders, %ld in all, %lu texts\n", count, sum, texts);
	return 0;
}
