/* The types of the arguments of probes: trace/probes/probe_arg.h. */
#include "fs/vfs/fs.h"
#include "kernel/errno.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "trace/probes/internal.h"

static const struct probe_type types[] = {
	{ .name = "x64", .size = 8, .fmt = "0x%Lx", .field_type = "u64" }, /* without a type */
	{ .name = "u8", .size = 1, .fmt = "%u", .field_type = "u8" },
	{ .name = "u16", .size = 2, .fmt = "%u", .field_type = "u16" },
	{ .name = "u32", .size = 4, .fmt = "%u", .field_type = "u32" },
	{ .name = "u64", .size = 8, .fmt = "%Lu", .field_type = "u64" },
	{ .name = "s8", .size = 1, .is_signed = true, .fmt = "%d", .field_type = "s8" },
	{ .name = "s16", .size = 2, .is_signed = true, .fmt = "%d", .field_type = "s16" },
	{ .name = "s32", .size = 4, .is_signed = true, .fmt = "%d", .field_type = "s32" },
	{ .name = "s64", .size = 8, .is_signed = true, .fmt = "%Ld", .field_type = "s64" },
	{ .name = "x8", .size = 1, .fmt = "0x%x", .field_type = "u8" },
	{ .name = "x16", .size = 2, .fmt = "0x%x", .field_type = "u16" },
	{ .name = "x32", .size = 4, .fmt = "0x%x", .field_type = "u32" },
	{ .name = "char", .size = 1, .fmt = "'%c'", .field_type = "u8" },
	{ .name = "symbol", .size = 8, .fmt = "%pS", .field_type = "u64" },
	{ .name = "string",
	  .size = 4,
	  .is_signed = true,
	  .is_string = true,
	  .fmt = "\\\"%s\\\"",
	  .field_type = "char[]" },
	{ .name = "ustring",
	  .size = 4,
	  .is_signed = true,
	  .is_string = true,
	  .is_user = true,
	  .fmt = "\\\"%s\\\"",
	  .field_type = "char[]" },
	{ .name = "symstr",
	  .size = 4,
	  .is_signed = true,
	  .is_string = true,
	  .is_symbol_text = true,
	  .fmt = "\\\"%s\\\"",
	  .field_type = "char[]" },
	/* The last name in the path of a struct dentry, and of a struct file. */
	{ .name = "%pd",
	  .size = 4,
	  .is_signed = true,
	  .is_string = true,
	  .fmt = "\\\"%s\\\"",
	  .field_type = "char[]",
	  .nr_steps = 2,
	  .steps = { offsetof(struct dentry, d_name.name), 0 } },
	{ .name = "%pD",
	  .size = 4,
	  .is_signed = true,
	  .is_string = true,
	  .fmt = "\\\"%s\\\"",
	  .field_type = "char[]",
	  .nr_steps = 3,
	  .steps = { offsetof(struct file, f_path.dentry), offsetof(struct dentry, d_name.name),
		     0 } },
};

static const struct probe_type *find_type(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

/* Parses "b<width>@<offset>/<container size>". */
static int parse_bitfield(const struct probe_parser *p, const char *text)
{
	static const char *const containers[] = { "u8", "u16", "u32", "u64" };
	const char *slash = strchr(text, '/'), *start;
	unsigned long width, offset;
	unsigned size;
	char *end;

	if (!slash || kstrtouint(slash + 1, 0, &size) || size < 8 || size > 64 ||
	    (size & (size - 1)))
		return probe_parse_error(p, PROBE_ERR_BAD_TYPE, text);
	width = simple_strtoul(text + 1, &end, 0);
	if (!width || width > size || *end != '@')
		return probe_parse_error(p, PROBE_ERR_BAD_BITFIELD, text);
	start = end + 1;
	offset = simple_strtoul(start, &end, 0);
	if (end == start || end != slash || offset > size - width)
		return probe_parse_error(p, PROBE_ERR_BAD_BITFIELD, text);
	p->arg->type = find_type(containers[__builtin_ctz(size) - 3]);
	p->arg->bit_width = (u8)width;
	p->arg->bit_shift = (u8)offset;
	return 0;
}

int probe_parse_array(const struct probe_parser *p, char *text)
{
	char *bracket = strchr(text, '['), *close;
	unsigned count;

	if (!bracket)
		return 0;
	close = strchr(bracket, ']');
	if (!close)
		return probe_parse_error(p, PROBE_ERR_ARRAY_NO_CLOSE, bracket + strlen(bracket));
	if (close[1])
		return probe_parse_error(p, PROBE_ERR_BAD_ARRAY_SUFFIX, close + 1);
	*close = '\0';
	if (kstrtouint(bracket + 1, 0, &count) || !count)
		return probe_parse_error(p, PROBE_ERR_BAD_ARRAY_NUM, bracket + 1);
	if (count > PROBE_ARRAY_MAX)
		return probe_parse_error(p, PROBE_ERR_ARRAY_TOO_BIG, bracket + 1);
	*bracket = '\0';
	p->arg->count = (u8)count;
	return 0;
}

/* Whether the kind of probe has the type of the argument: some are of the kernel's memory only. */
static bool has_type(const struct probe_parser *p)
{
	const struct probe_type *type = p->arg->type;
	u32 flags = p->sources->flags;

	if (type->is_symbol_text)
		return !(flags & PROBE_FL_USER);
	return !type->nr_steps || (!(flags & (PROBE_FL_USER | PROBE_FL_FIELDS)) && !p->arg->count);
}

int probe_parse_type(const struct probe_parser *p, const char *text)
{
	p->arg->type = find_type(text);
	if (p->arg->type)
		return has_type(p) ? 0 : probe_parse_error(p, PROBE_ERR_BAD_TYPE, text);
	return *text == 'b' ? parse_bitfield(p, text)
			    : probe_parse_error(p, PROBE_ERR_BAD_TYPE, text);
}

/* Whether the source and the dereferences end at the address of a string. */
static bool is_string_address(const struct probe_arg *arg)
{
	if (arg->nr_derefs)
		return true;
	switch (arg->source.kind) {
	case PROBE_SOURCE_VALUE:
	case PROBE_SOURCE_TEXT:
	case PROBE_SOURCE_COMM:
	case PROBE_SOURCE_FIELD:
		return true;
	default:
		return false;
	}
}

/* Whether the value can be the address of a symbol. */
static bool is_symbol_address(const struct probe_arg *arg)
{
	if (arg->nr_derefs)
		return !arg->derefs[arg->nr_derefs - 1].user;
	switch (arg->source.kind) {
	case PROBE_SOURCE_VALUE:
	case PROBE_SOURCE_TEXT:
	case PROBE_SOURCE_STACK_POINTER:
		return false;
	default:
		return true;
	}
}

int probe_check_type(const struct probe_parser *p, const char *text)
{
	struct probe_arg *arg = p->arg;
	bool is_text =
		arg->source.kind == PROBE_SOURCE_TEXT || arg->source.kind == PROBE_SOURCE_COMM;

	if (!text)
		arg->type =
			find_type(is_text && !arg->nr_derefs ? "string" : probe_btf_type_name(p));
	else if (arg->type->is_string && !arg->type->is_symbol_text && !arg->type->nr_steps &&
		 probe_check_btf_string(p, text))
		return -EINVAL;
	if (arg->type->is_symbol_text) {
		if (!is_symbol_address(arg))
			return probe_parse_error(p, PROBE_ERR_BAD_SYMSTRING, text);
		return arg->count ? probe_parse_error(p, PROBE_ERR_BAD_STRING, text) : 0;
	}
	/* Linux refuses arrays of +u0(…), but for arrays of strings. */
	if (arg->type->is_string
		    ? !is_string_address(arg)
		    : arg->count && (!arg->nr_derefs || arg->derefs[arg->nr_derefs - 1].user))
		return probe_parse_error(p, PROBE_ERR_BAD_STRING, text);
	return 0;
}
