/*
 * A program that loads changed copies of a module: mutate FILE COUNT SEED. It prints how many were refused, and removes
 * those that were loaded. A change may give a module another name, also one that rmmod cannot be told.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned long state;

static unsigned long next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

int main(int argc, char **argv)
{
	static unsigned char original[1 << 16], copy[1 << 16];
	FILE *file = argc == 4 ? fopen(argv[1], "r") : NULL;
	size_t size = file ? fread(original, 1, sizeof(original), file) : 0;
	char *name = memmem(original, size, "\0name=", 6);
	unsigned refused = 0;

	if (!size || !name)
		return 1;
	name = (char *)copy + (name - (char *)original) + 6;
	state = strtoul(argv[3], NULL, 0) | 1;
	for (int i = 0; i < atoi(argv[2]); i++) {
		size_t length = next_random() % 16 ? size : next_random() % size;

		memcpy(copy, original, size);
		for (unsigned n = 1 + next_random() % 4; n; n--) {
			/* Half of the changes are in the headers, at the start and at the end. */
			size_t at = next_random() % 4 == 0 ? next_random() % 64
				    : next_random() % 2 ? size - 1 - next_random() % (size / 3)
							: next_random() % size;
			static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };

			copy[at] = next_random() % 2 ? values[next_random() % sizeof(values)]
						     : (unsigned char)next_random();
		}
		if (syscall(SYS_init_module, copy, length, ""))
			refused++;
		else if (syscall(SYS_delete_module, name, 0))
			return 2;
	}
	printf("%u refused\n", refused);
	return 0;
}
