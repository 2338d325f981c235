/*
 * bpf-bytes: loads a program of eBPF that is written as bytes, and runs it at each task switch.
 *
 *	bpf-bytes FILE
 *
 * A line of FILE is an instruction: 8 bytes in hexadecimal, and what you want to say of it. Descriptor 3 is a map with one value
 * of 8 bytes. What the verifier says is printed first, and the value after a second. /sys/fs/bpf/FILE keeps the program running.
 */
#include <errno.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAXIMUM 64 /* instructions */
#define LOG_MAX 65536

/* bpf(2) describes the commands, and the members of union bpf_attr. musl has no header with them. */
enum {
	BPF_MAP_CREATE = 0,
	BPF_MAP_LOOKUP_ELEM = 1,
	BPF_PROG_LOAD = 5,
	BPF_OBJ_PIN = 6,
	BPF_RAW_TRACEPOINT_OPEN = 17
};
enum { BPF_MAP_TYPE_ARRAY = 2, BPF_PROG_TYPE_RAW_TRACEPOINT = 17 };

struct map_create {
	uint32_t type, key_size, value_size, max_entries;
};

struct map_lookup {
	uint32_t fd, unused;
	const uint32_t *key;
	uint64_t *value;
};

struct prog_load {
	uint32_t type, count;
	const uint8_t (*instructions)[8];
	const char *license;
	uint32_t log_level, log_size;
	char *log;
	uint32_t version, flags;
	char name[16];
};

struct raw_tracepoint_open {
	const char *name;
	uint32_t fd, unused;
};

struct obj_pin {
	const char *path;
	uint32_t fd, flags;
};

static uint8_t program[MAXIMUM][8];
static char log[LOG_MAX];

/* A command of bpf(2), with its members of union bpf_attr. An error ends this program. */
#define bpf(command, ...) call(command, #command, &(__VA_ARGS__), sizeof(__VA_ARGS__))

static int call(int command, const char *name, const void *attr, size_t size)
{
	int result = (int)syscall(SYS_bpf, command, attr, size);

	if (command == BPF_PROG_LOAD)
		fputs(log, stdout);
	fflush(stdout);
	if (result < 0) {
		fprintf(stderr, "bpf-bytes: %s: %s\n", name, strerror(errno));
		exit(1);
	}
	return result;
}

/* Returns the number of instructions. */
static uint32_t read_program(const char *path)
{
	FILE *file = fopen(path, "r");
	uint32_t n = 0;
	char line[256];

	if (!file) {
		perror(path);
		exit(1);
	}
	for (; n < MAXIMUM && fgets(line, sizeof(line), file); n++) {
		uint8_t *byte = program[n];

		if (sscanf(line, "%hhx %hhx %hhx %hhx %hhx %hhx %hhx %hhx", &byte[0], &byte[1],
			   &byte[2], &byte[3], &byte[4], &byte[5], &byte[6], &byte[7]) != 8) {
			fprintf(stderr, "bpf-bytes: line %u has no 8 bytes\n", n + 1);
			exit(1);
		}
	}
	fclose(file);
	return n;
}

int main(int argc, char **argv)
{
	struct prog_load load = {
		BPF_PROG_TYPE_RAW_TRACEPOINT, 0, program, "GPL", 2, LOG_MAX, log, 0, 0, ""
	};
	uint32_t first = 0;
	uint64_t value = 0;
	char path[64];
	int map, fd, link;

	if (argc != 2) {
		fprintf(stderr, "usage: bpf-bytes FILE\n");
		return 2;
	}
	load.count = read_program(argv[1]);
	strncpy(load.name, basename(argv[1]), sizeof(load.name) - 1);
	snprintf(path, sizeof(path), "/sys/fs/bpf/%s", load.name);

	map = bpf(BPF_MAP_CREATE,
		  (struct map_create){ BPF_MAP_TYPE_ARRAY, sizeof(first), sizeof(value), 1 });
	fd = bpf(BPF_PROG_LOAD, load);
	link = bpf(BPF_RAW_TRACEPOINT_OPEN, (struct raw_tracepoint_open){ "sched_switch", fd, 0 });
	bpf(BPF_OBJ_PIN, (struct obj_pin){ path, link, 0 });
	sleep(1);
	bpf(BPF_MAP_LOOKUP_ELEM, (struct map_lookup){ map, 0, &first, &value });
	printf("%llu\n", (unsigned long long)value);
	return 0;
}
