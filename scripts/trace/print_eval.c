/* Computes the arguments of a print fmt for a record, as C does. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "print_fmt.h"

#define EVAL_DEPTH_MAX	 500
#define STRUCT_PAGE_SIZE 64 /* of pointer arithmetic: the only structures in arrays are those of pages */

static const struct value unknown_value = { .unknown = true };

static struct value eval_call(struct record *record, const struct node *node);

/* ---- numbers ---- */

/* Cuts a number to the size of its type, and extends it to 64 bits by its sign. */
static uint64_t fit(uint64_t number, struct type type)
{
	unsigned shift = type.size && type.size < 8 ? 64 - 8U * type.size : 0;

	if (type.is_pointer || !shift)
		return number;
	number <<= shift;
	return type.is_unsigned ? number >> shift : (uint64_t)((int64_t)number >> shift);
}

static struct value make_number(uint64_t number, struct type type)
{
	return (struct value){ .type = type, .number = fit(number, type) };
}

/* The type in which C computes with a value: an int at least. */
static struct type promoted(struct type type)
{
	if (type.is_pointer)
		return (struct type){ 8, true, false };
	return type.size < 4 ? (struct type){ 4, false, false } : type;
}

static struct type common_type(struct type a, struct type b)
{
	a = promoted(a);
	b = promoted(b);
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	a.is_unsigned |= b.is_unsigned;
	return a;
}

static const struct type int_type = { 4, false, false };

static bool is_true(struct value value)
{
	return value.text || value.number;
}

static struct value compare(int op, uint64_t a, uint64_t b, bool is_unsigned)
{
	int order = a == b ? 0 : (is_unsigned ? a < b : (int64_t)a < (int64_t)b) ? -1 : 1;
	bool holds = op == OP_EQUAL	? order == 0
		     : op == OP_UNEQUAL ? order != 0
		     : op == '<'	? order < 0
		     : op == '>'	? order > 0
		     : op == OP_AT_MOST ? order <= 0
					: order >= 0;

	return make_number(holds, int_type);
}

static struct value shift(int op, struct value a, struct value b)
{
	struct type type = promoted(a.type);
	unsigned by = b.number & (type.size * 8U - 1);

	if (op == OP_LEFT)
		return make_number(a.number << by, type);
	return make_number(type.is_unsigned ? a.number >> by : (uint64_t)((int64_t)a.number >> by), type);
}

static struct value divide(int op, uint64_t a, uint64_t b, struct type type)
{
	if (!b || (!type.is_unsigned && b == UINT64_MAX && op == '%'))
		return b ? make_number(0, type) : unknown_value;
	if (type.is_unsigned)
		return make_number(op == '/' ? a / b : a % b, type);
	if (b == UINT64_MAX)
		return make_number(0 - a, type);
	return make_number((uint64_t)(op == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b), type);
}

/* Adds a number to a pointer, or takes it away: it counts what the pointer refers to. */
static struct value move_pointer(int op, struct value pointer, struct value by)
{
	uint64_t bytes = by.number * (pointer.type.size ? pointer.type.size : STRUCT_PAGE_SIZE);

	if (pointer.text)
		return unknown_value;
	return make_number(op == '+' ? pointer.number + bytes : pointer.number - bytes, pointer.type);
}

static struct value compute(int op, struct value a, struct value b)
{
	struct type type = common_type(a.type, b.type);
	uint64_t x = fit(a.number, type), y = fit(b.number, type);

	if ((op == '+' || op == '-') && a.type.is_pointer && !b.type.is_pointer)
		return move_pointer(op, a, b);
	switch (op) {
	case '+':
		return make_number(x + y, type);
	case '-':
		return make_number(x - y, type);
	case '*':
		return make_number(x * y, type);
	case '/':
	case '%':
		return divide(op, x, y, type);
	case '&':
		return make_number(x & y, type);
	case '|':
		return make_number(x | y, type);
	case '^':
		return make_number(x ^ y, type);
	case OP_LEFT:
	case OP_RIGHT:
		return shift(op, a, b);
	default:
		return compare(op, x, y, type.is_unsigned);
	}
}

static struct value eval_binary(struct record *record, const struct node *node)
{
	struct value a = print_eval(record, node->a), b;

	if (a.unknown)
		return a;
	/* The right side of && and || is only computed if it matters. */
	if ((node->op == OP_AND && !is_true(a)) || (node->op == OP_OR && is_true(a)))
		return make_number(node->op == OP_OR, int_type);
	b = print_eval(record, node->b);
	if (b.unknown)
		return b;
	if (node->op == OP_AND || node->op == OP_OR)
		return make_number(is_true(b), int_type);
	return compute(node->op, a, b);
}

static struct value eval_unary(struct record *record, const struct node *node)
{
	struct value value = print_eval(record, node->a);

	if (value.unknown)
		return value;
	switch (node->op) {
	case '!':
		return make_number(!is_true(value), int_type);
	case '-':
		return make_number(0 - value.number, promoted(value.type));
	case '~':
		return make_number(~value.number, promoted(value.type));
	case '+':
		return make_number(value.number, promoted(value.type));
	case '&':
		return value.text ? value : unknown_value;
	default:
		return unknown_value; /* nothing but the record can be read */
	}
}

static struct value cast(struct value value, struct type type)
{
	if (value.unknown || (!type.size && !type.is_pointer))
		return value;
	value.type = type;
	if (!value.text)
		value.number = fit(value.number, type);
	return value;
}

/* ---- the record ---- */

static uint64_t load(const uint8_t *data, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, data, size);
	return value;
}

/* The part of the record that belongs to a field. False: the record is too short. */
static bool find_bytes(const struct record *record, const struct event_field *field, size_t *offset, size_t *size)
{
	*offset = field->offset;
	*size = field->size;
	if (*offset > record->size)
		return false;
	if (!*size && field->is_array)
		*size = record->size - *offset;
	return *size <= record->size - *offset;
}

/* The same for a field whose value says where its bytes are: as offset and length, of 16 bits each. */
static bool find_dynamic(const struct record *record, const struct event_field *field, size_t element, size_t *offset,
			 size_t *size)
{
	uint64_t where;

	if (!find_bytes(record, field, offset, size) || *size < 4 || element > *size / 4 - 1)
		return false;
	where = load(record->data + *offset + 4 * element, 4);
	if (field->place == PLACE_RELATIVE)
		*offset += 4 * element + 4 + (where & 0xffff);
	else
		*offset = where & 0xffff;
	*size = where >> 16;
	return *offset <= record->size && *size <= record->size - *offset;
}

static struct value make_bytes(const struct record *record, size_t offset, size_t size, struct type element)
{
	element.is_pointer = true;
	return (struct value){ .type = element, .text = (const char *)record->data + offset, .size = size };
}

static struct value eval_field(const struct record *record, const struct event_field *field)
{
	struct type element = { (uint8_t)field->element, !field->is_signed, false };
	size_t offset, size;

	if (field->place != PLACE_HERE)
		return find_dynamic(record, field, 0, &offset, &size) ? make_bytes(record, offset, size, element)
								      : unknown_value;
	if (!find_bytes(record, field, &offset, &size))
		return unknown_value;
	if (field->is_array || size > 8)
		return make_bytes(record, offset, size, element);
	return make_number(load(record->data + offset, size), (struct type){ (uint8_t)size, !field->is_signed, false });
}

static struct value eval_index(struct record *record, const struct node *node)
{
	struct value array = print_eval(record, node->a), index = print_eval(record, node->b);
	size_t size = array.type.size;
	struct type type = array.type;

	if (array.unknown || index.unknown || !array.text || !size || index.number >= array.size / size)
		return unknown_value;
	type.is_pointer = false;
	return make_number(load((const uint8_t *)array.text + index.number * size, size), type);
}

/* Looks the symbol up once: the node becomes the number, or unknown. */
static struct value eval_symbol(const struct record *record, struct node *node)
{
	node->type = (struct type){ 8, true, false };
	node->kind = dat_symbol_address(record->dat, node->text, &node->number) ? NODE_NUMBER : NODE_UNKNOWN;
	return node->kind == NODE_NUMBER ? make_number(node->number, node->type) : unknown_value;
}

struct value print_eval(struct record *record, unsigned number)
{
	struct node *node = &record->print->nodes[number];
	struct value value = unknown_value;

	if (record->depth == EVAL_DEPTH_MAX)
		return value;
	record->depth++;
	switch (node->kind) {
	case NODE_UNKNOWN:
		break;
	case NODE_NUMBER:
		value = make_number(node->number, node->type);
		break;
	case NODE_SYMBOL:
		value = eval_symbol(record, node);
		break;
	case NODE_TEXT:
		value = (struct value){ .type = { 1, false, true }, .text = node->text, .size = strlen(node->text) };
		break;
	case NODE_FIELD:
		value = eval_field(record, node->field);
		break;
	case NODE_CAST:
		value = cast(print_eval(record, node->a), node->type);
		break;
	case NODE_UNARY:
		value = eval_unary(record, node);
		break;
	case NODE_BINARY:
		value = eval_binary(record, node);
		break;
	case NODE_CONDITION:
		value = print_eval(record, node->a);
		if (!value.unknown)
			value = print_eval(record, is_true(value) ? node->b : node->c);
		break;
	case NODE_INDEX:
		value = eval_index(record, node);
		break;
	case NODE_CALL:
		value = eval_call(record, node);
	}
	record->depth--;
	return value;
}

/* ---- functions ---- */

/* Adds to the text that is being made. What does not fit is left out. */
__attribute__((format(printf, 2, 3))) static void make(struct record *record, const char *format, ...)
{
	size_t room = sizeof(record->made) - record->nr_made;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(record->made + record->nr_made, room, format, args);
	va_end(args);
	if (n > 0)
		record->nr_made += (size_t)n < room ? (size_t)n : room - 1;
}

/* The text from `start` on is complete. */
static struct value made_text(struct record *record, size_t start)
{
	struct value value = { .type = { 1, false, true }, .text = record->made + start,
			       .size = record->nr_made - start };

	if (record->nr_made < sizeof(record->made) - 1)
		record->nr_made++;
	record->made[record->nr_made] = '\0';
	return value;
}

static void make_name(struct record *record, unsigned node)
{
	struct value name = print_eval(record, node);

	if (!name.unknown && name.text)
		make(record, "%.*s", (int)strnlen(name.text, name.size), name.text);
}

static void print_flags(struct record *record, const struct node *node, uint64_t flags)
{
	bool first = true;

	for (unsigned pair = node->list; pair && flags; pair = record->print->nodes[pair].next) {
		uint64_t mask = print_eval(record, record->print->nodes[pair].a).number;

		if (!mask || (flags & mask) != mask)
			continue;
		if (!first)
			make_name(record, node->b);
		make_name(record, record->print->nodes[pair].b);
		flags &= ~mask;
		first = false;
	}
	if (!flags)
		return;
	if (!first)
		make_name(record, node->b);
	make(record, "0x%llx", (unsigned long long)flags);
}

static void print_symbolic(struct record *record, const struct node *node, uint64_t number)
{
	for (unsigned pair = node->list; pair; pair = record->print->nodes[pair].next)
		if (print_eval(record, record->print->nodes[pair].a).number == number) {
			make_name(record, record->print->nodes[pair].b);
			return;
		}
	make(record, "0x%llx", (unsigned long long)number);
}

static struct value print_bytes(struct record *record, const struct node *node, const char *between)
{
	struct value bytes = print_eval(record, node->a), count = print_eval(record, node->b);
	size_t start = record->nr_made;

	if (bytes.unknown || count.unknown || !bytes.text)
		return unknown_value;
	for (size_t i = 0; i < count.number && i < bytes.size; i++)
		make(record, "%s%02x", i ? between : "", (uint8_t)bytes.text[i]);
	return made_text(record, start);
}

static struct value print_array(struct record *record, const struct node *node)
{
	struct value array = print_eval(record, node->a), count = print_eval(record, node->b);
	struct value element = print_eval(record, node->c);
	size_t start = record->nr_made, size = element.number;

	if (array.unknown || count.unknown || element.unknown || !array.text || !size || size > 8)
		return unknown_value;
	make(record, "{");
	for (size_t i = 0; i < count.number && i < array.size / size; i++)
		make(record, "%s0x%llx", i ? "," : "",
		     (unsigned long long)load((const uint8_t *)array.text + i * size, size));
	make(record, "}");
	return made_text(record, start);
}

/* Groups of 32 bits, the highest first. */
static struct value print_bitmask(struct record *record, size_t offset, size_t size)
{
	size_t start = record->nr_made;

	for (size_t i = size / 4; i-- > 0;)
		make(record, "%08x%s", (unsigned)load(record->data + offset + 4 * i, 4), i ? "," : "");
	return made_text(record, start);
}

static struct value print_stack(struct record *record, size_t offset, size_t size)
{
	size_t start = record->nr_made;
	char name[DAT_SYMBOL_TEXT];

	make(record, "STACK:\n");
	for (size_t i = 0; i < size / 8; i++) {
		dat_symbol_text(record->dat, load(record->data + offset + 8 * i, 8), 'S', name);
		make(record, "=> %s\n", name);
	}
	return made_text(record, start);
}

static struct value eval_dynamic(struct record *record, const struct node *node)
{
	struct value element = node->a ? print_eval(record, node->a) : make_number(0, int_type);
	size_t offset, size;

	if (element.unknown || element.number > PAGE_MAX ||
	    !find_dynamic(record, node->field, element.number, &offset, &size))
		return unknown_value;
	switch (node->op) {
	case GET_LENGTH:
		return make_number(size, int_type);
	case GET_BITMASK:
		return print_bitmask(record, offset, size);
	case GET_STACK:
		return print_stack(record, offset, size);
	default:
		return make_bytes(record, offset, size, (struct type){ (uint8_t)node->field->element,
									!node->field->is_signed, true });
	}
}

static struct value eval_call(struct record *record, const struct node *node)
{
	struct value value;
	size_t start;

	switch (node->op) {
	case PRINT_FLAGS:
	case PRINT_SYMBOLIC:
		value = print_eval(record, node->a);
		if (value.unknown || value.text)
			return unknown_value;
		start = record->nr_made;
		if (node->op == PRINT_FLAGS)
			print_flags(record, node, value.number);
		else
			print_symbolic(record, node, value.number);
		return made_text(record, start);
	case PRINT_HEX:
		return print_bytes(record, node, " ");
	case PRINT_HEX_TOGETHER:
		return print_bytes(record, node, "");
	case PRINT_ARRAY:
		return print_array(record, node);
	default:
		return eval_dynamic(record, node);
	}
}
