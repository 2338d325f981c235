/*
 * The interpreter of print fmts under libFuzzer: a print fmt, a NUL, and a record. For any input it must end, stay inside
 * the record and the buffer, and give a text with its NUL.
 *
 * sources: scripts/trace/print_parse.c scripts/trace/print_eval.c scripts/trace/print_text.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripts/trace/print_fmt.h"

void dat_symbol_text(const struct dat *dat, uint64_t address, char form, char text[DAT_SYMBOL_TEXT])
{
	(void)dat;
	snprintf(text, DAT_SYMBOL_TEXT, "symbol_%llx%c", (unsigned long long)address, form);
}

bool dat_symbol_address(const struct dat *dat, const char *name, uint64_t *address)
{
	(void)dat;
	*address = 0xffffffff80100000;
	return name[0] == '_';
}

const char *dat_string_at(const struct dat *dat, uint64_t address)
{
	(void)dat;
	return address & 1 ? "a constant" : NULL;
}

static const struct event_field fields[] = {
	{ .name = "a", .offset = 8, .size = 1, .element = 1 },
	{ .name = "b", .offset = 12, .size = 4, .element = 4, .is_signed = true },
	{ .name = "c", .offset = 16, .size = 8, .element = 8 },
	{ .name = "comm", .offset = 24, .size = 16, .element = 1, .is_array = true },
	{ .name = "args", .offset = 40, .size = 16, .element = 8, .is_array = true },
	{ .name = "str", .offset = 56, .size = 4, .element = 1, .place = PLACE_DYNAMIC },
	{ .name = "rel", .offset = 60, .size = 4, .element = 4, .place = PLACE_RELATIVE },
	{ .name = "many", .offset = 56, .size = 16, .element = 1, .place = PLACE_DYNAMIC },
	{ .name = "rest", .offset = 64, .size = 0, .element = 2, .is_array = true },
	{ .name = "odd", .offset = 3, .size = 7, .element = 0 },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t length = strnlen((const char *)data, size), behind = length < size ? length + 1 : size;
	char *line = strndup((const char *)data, length);
	struct print_fmt *print = print_fmt_parse(line, fields, sizeof(fields) / sizeof(*fields));
	/* ASan watches the ends of the record and of the text. */
	uint8_t *bytes = malloc(size - behind);
	struct record *record = calloc(1, sizeof(*record));

	memcpy(bytes, data + behind, size - behind);
	*record = (struct record){ .dat = (void *)1, .data = bytes, .size = size - behind, .print = print };
	for (size_t room = 1; print && room < 5000; room = room * 17 + 3) {
		char *text = malloc(room);

		if (print_fmt_text(record, text, room) != strlen(text))
			abort();
		free(text);
	}
	print_fmt_free(print);
	free(record);
	free(bytes);
	free(line);
	return 0;
}
