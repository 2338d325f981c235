/*
 * The reader of cpio archives: whatever the boot loader hands over, every name, text and content that the reader
 * gives lies in the archive, and the reader comes to an end.
 * sources: fs/initramfs/cpio.c
 */
#include <stdlib.h>
#include <string.h>

#include "fs/initramfs/cpio.h"

static volatile unsigned char sink;

static void read_bytes(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sink ^= (unsigned char)data[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of exactly this size: ASan sees each byte that is read behind its end. */
	char *archive = malloc(size ? size : 1);
	struct cpio_reader reader = { .data = archive, .size = size };
	struct cpio_entry entry;
	size_t last = 0;
	int ret;

	memcpy(archive, data, size);
	while ((ret = cpio_next(&reader, &entry)) > 0) {
		if (reader.pos <= last || reader.pos > size)
			abort();
		last = reader.pos;
		if (!entry.name[0] || strlen(entry.name) >= CPIO_NAME_MAX)
			abort();
		read_bytes(entry.data, entry.size);
	}
	if (ret < 0 && !reader.problem)
		abort();
	free(archive);
	return 0;
}
