/*
 * Definitions of synthetic events, under libFuzzer. A definition that is accepted must give the same fields when
 * it is printed and parsed again. A refused one has a position in the text.
 *
 * sources: trace/synth/parse.c kernel/lib/kstrtox.c kernel/lib/string_helpers.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host_strdup.h"
#include "trace/synth/parse.h"

/* Returns 0 or the errno. */
static int parse(const char *text, struct synth_definition *definition)
{
	struct synth_error error = { 0, 0 };
	const char *fields;
	int result;

	*definition = (struct synth_definition){ .nr_fields = 0 };
	result = synth_parse_name(text, text, &definition->name, &fields, &error);
	if (!result)
		result = synth_parse_fields(text, fields, definition, &error);
	CHECK(!result || (error.type <= SYNTH_ERR_INVALID_ARRAY_SPEC &&
			  error.position <= strlen(text)));
	return result;
}

static char *print(const struct synth_definition *definition)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "%s\t", definition->name);
	for (unsigned i = 0; i < definition->nr_fields; i++)
		fprintf(out, "%s%s %s", i ? "; " : "", definition->fields[i].type,
			definition->fields[i].name);
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct synth_definition definition, again;
	char *text = malloc(size + 1);

	/* The first byte says which allocation fails. */
	host_allocations_left = size && *data < 16 ? *data : -1;

	memcpy(text, data, size);
	text[size] = '\0';
	if (host_allocations_left >= 0 && size) {
		CHECK(parse(text + 1, &definition) <= 0);
	} else if (parse(text, &definition) == 0) {
		char *printed = print(&definition), *reprinted;

		CHECK(definition.nr_fields && definition.nr_fields <= SYNTH_FIELDS_MAX);
		CHECK(parse(printed, &again) == 0 && again.nr_fields == definition.nr_fields);
		for (unsigned i = 0; i < definition.nr_fields; i++) {
			CHECK(is_good_name(definition.fields[i].name));
			CHECK(definition.fields[i].size <= SYNTH_STRING_MAX);
			CHECK(definition.fields[i].kind == again.fields[i].kind &&
			      definition.fields[i].size == again.fields[i].size);
		}
		reprinted = print(&again);
		CHECK(strcmp(printed, reprinted) == 0);
		synth_definition_free(&again);
		free(printed);
		free(reprinted);
	}
	synth_definition_free(&definition);
	CHECK(!host_objects);
	free(text);
	return 0;
}
