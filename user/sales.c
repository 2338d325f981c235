/*
 * sales: a program with an event of its own (user_events), which it writes only while somebody wants it.
 *
 *	sales [N [SECONDS]]    sells N things, 3 if N is missing, and waits SECONDS before each
 *
 * The kernel keeps bit 0 of `wanted` up to date: it is set while ftrace, perf or an eBPF program uses the event.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

/* <linux/user_events.h> has this since Linux 6.4. */
struct user_reg {
	uint32_t size;
	uint8_t enable_bit;
	uint8_t enable_size;
	uint16_t flags;
	uint64_t enable_addr;
	uint64_t name_args;
	uint32_t write_index;
} __attribute__((packed));
#define DIAG_IOCSREG _IOWR('*', 0, struct user_reg *)

static volatile uint32_t wanted;
static unsigned long written;

/* What follows the index in a write: as the fields say, without gaps. */
struct sale {
	uint32_t number;
	uint32_t price;
	uint32_t thing; /* a __rel_loc: where the text is behind this word, and its length << 16 */
} __attribute__((packed));

/* Returns the file to write to. */
static int register_sale(uint32_t *index)
{
	int fd = open("/sys/kernel/tracing/user_events_data", O_RDWR);
	struct user_reg reg = {
		.size = sizeof(reg),
		.enable_bit = 0,
		.enable_size = sizeof(wanted),
		.enable_addr = (uintptr_t)&wanted,
		.name_args = (uintptr_t) "sale u32 number; u32 price; __rel_loc char[] thing",
	};

	if (fd < 0 || ioctl(fd, DIAG_IOCSREG, &reg) < 0) {
		perror("sales: user_events_data");
		exit(1);
	}
	*index = reg.write_index;
	return fd;
}

static void trace_sale(int fd, uint32_t index, uint32_t number, uint32_t price, const char *thing)
{
	size_t length = strlen(thing) + 1;
	struct sale sale = { number, price, (uint32_t)length << 16 };
	struct iovec parts[] = {
		{ &index, sizeof(index) },
		{ &sale, sizeof(sale) },
		{ (void *)thing, length },
	};

	if (writev(fd, parts, 3) < 0)
		perror("sales: writev");
	else
		written++;
}

int main(int argc, char **argv)
{
	static const char *const things[] = { "apple", "bread", "cheese" };
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 3, sum = 0;
	uint32_t index;
	int fd = register_sale(&index);

	for (unsigned number = 0; number < count; number++) {
		unsigned price = 100 + number % 3 * 50;

		if (argc > 2)
			sleep((unsigned)atoi(argv[2]));
		sum += price;
		if (wanted & 1)
			trace_sale(fd, index, number, price, things[number % 3]);
	}
	printf("%u sales, %u in all, %lu events\n", count, sum, written);
	return 0;
}
