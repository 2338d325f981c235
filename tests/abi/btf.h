/* The types of the kernel: the number of a function, for programs of eBPF. */
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number of a FUNC, by its name, in /sys/kernel/btf/vmlinux; 0: none. */
static uint32_t kernel_function_id(const char *name)
{
	struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t hdr_len, type_off, type_len, str_off, str_len;
	} *header;
	struct type {
		uint32_t name, info, size;
	} *t;
	const char *strings;
	struct stat st;
	uint32_t id = 0, *end;
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	size_t got = 0;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return 0;
	header = malloc((size_t)st.st_size);
	while ((n = read(fd, (char *)header + got, (size_t)st.st_size - got)) > 0)
		got += (size_t)n;
	close(fd);
	t = (struct type *)((char *)header + header->hdr_len + header->type_off);
	end = (uint32_t *)((char *)t + header->type_len);
	strings = (char *)header + header->hdr_len + header->str_off;
	while ((uint32_t *)t < end) {
		/* bytes behind the type, by its kind, for each of its members */
		static const uint8_t each[32] = { [4] = 12, [5] = 12, [6] = 8, [13] = 8, [15] = 12, [19] = 12 };
		static const uint8_t fixed[32] = { [1] = 4, [3] = 12, [14] = 4, [17] = 4 };
		uint32_t kind = t->info >> 24 & 31;

		id++;
		if (kind == 12 && !strcmp(strings + t->name, name))
			break;
		t = (struct type *)((char *)(t + 1) + fixed[kind] + each[kind] * (t->info & 0xffff));
	}
	id = (uint32_t *)t < end ? id : 0;
	free(header);
	return id;
}
