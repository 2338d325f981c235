/*
 * Arguments of probes, under libFuzzer. What is accepted must have a type, a place in the record and few enough
 * dereferences. What is refused has a position in the text.
 *
 * sources: trace/probes/probe_command.c trace/probes/probe_parse.c trace/probes/probe_type.c trace/probes/probe_btf.c kernel/btf/btf.c arch/x86_64/unwind/regs.c kernel/lib/kstrtox.c kernel/lib/string_helpers.c
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host_strdup.h"
#include "kernel/btf/btf.h"
#include "trace/events/error_log.h"
#include "trace/core/trace_array.h"
#include "trace/probes/probe_arg.h"

struct trace_array global_trace;
static unsigned errors;

void tracing_log_err(struct trace_array *tr, const char *location, const char *command,
		     const char *const *errs, u8 type, u16 position)
{
	CHECK(tr == &global_trace && location && errs[type] && position <= strlen(command) + 1);
	errors++;
}

/* The host's, without the flags of the kernel's. */
int nop5_snprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return length;
}

unsigned long kallsyms_lookup_name(const char *name)
{
	return strcmp(name, "schedule") == 0 ? 0xffffffff80001000UL : 0;
}

/* The types of tests/fuzz/corpus/btf/small. All functions are find(). */
static struct btf small;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static u8 data[4096] __attribute__((aligned(4)));
	FILE *file = fopen(FUZZ_CORPUS "/btf/small", "rb");
	size_t size;

	(void)argc;
	(void)argv;
	CHECK(file);
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	CHECK(btf_parse(&small, data, size) == 0 && btf_index_funcs(&small) == 0);
	host_objects = 0; /* small stays */
	return 0;
}

void btf_vmlinux_load(void)
{
}

const struct btf *btf_vmlinux(void)
{
	return &small;
}

const struct btf_type *btf_proto_at(unsigned long address)
{
	CHECK(address);
	return btf_find_func_proto(&small, "find");
}

static int find_field(const char *name, struct probe_source *source, void *data)
{
	if (strcmp(name, "field") != 0)
		return -ENOENT;
	source->data = data;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct probe_arg_sources kinds[] = {
		{ .flags = PROBE_FL_FIELDS, .parse = find_field },
		{ .flags = PROBE_FL_REGS | PROBE_FL_ENTRY },
		{ .flags = PROBE_FL_REGS | PROBE_FL_RETURN },
		{ .flags = PROBE_FL_REGS | PROBE_FL_USER },
	};
	const struct probe_arg_sources *sources = &kinds[size ? *data % 4 : 0];
	struct probe_command command;
	struct probe_arg *args;
	const char *group = NULL, *event = NULL;
	char *text = malloc(size + 1);
	unsigned count = 0, good = 0;

	memcpy(text, data, size);
	text[size] = '\0';
	CHECK(probe_command_init(&command, "fuzz", text) == 0);
	command.func = 1;
	if (command.argc > 2 && probe_expand_args(&command, sources->flags)) {
		probe_command_free(&command);
		CHECK(!host_objects);
		free(text);
		return 0;
	}
	args = kcalloc(command.argc + 1, sizeof(*args), GFP_KERNEL);
	/* The first byte says which allocation fails. */
	host_allocations_left = size && *data < 16 ? *data : -1;
	for (unsigned word = 1; word < command.argc && word < 8; word++) {
		const struct probe_arg *arg = &args[count];
		int error;

		errors = 0;
		error = probe_arg_parse(&command, word, args, count++, sources, NULL);
		if (error) {
			CHECK(error == -EINVAL || error == -ENOENT || error == -ERANGE || error == -E2BIG ||
			      !host_allocations_left);
			break;
		}
		CHECK(!errors && arg->type && arg->name && arg->text);
		CHECK(arg->nr_derefs <= PROBE_DEREFS_MAX && arg->count <= PROBE_ARRAY_MAX);
		CHECK(arg->bit_width + arg->bit_shift <= 8 * arg->type->size);
		CHECK(arg->size && arg->offset + arg->size <= PROBE_SIZE_MAX);
		good = count;
	}
	if (command.argc && !probe_parse_event_name(&command, 0, command.argv[0], &group, &event))
		CHECK((!event || probe_is_good_name(event)) && (!group || *group));
	(void)probe_args_resolve(args, good);
	probe_args_free(args, count);
	probe_command_free(&command);
	host_allocations_left = -1;
	CHECK(!host_objects);
	free(text);
	return 0;
}
