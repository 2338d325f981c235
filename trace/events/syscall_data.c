/* The data that arguments of system calls point to (syscalls.h): which there are; copying them. */
#include "arch/mm/uaccess.h"
#include "arch/unwind/maccess.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "trace/events/syscalls.h"

/*
 * Calls whose data the types do not tell. Every other argument of the type "const char *" is the
 * address of a text. A "char *" is memory that the kernel writes, but for those here.
 */
static const struct {
	const char *name;
	struct syscall_data data;
} special_calls[] = {
	{ "sys_write", { .mask = 0b10, .length_arg = 2 } },
	{ "sys_pwrite64", { .mask = 0b10, .length_arg = 2 } },
	{ "sys_sethostname", { .mask = 0b1, .length_arg = 1, .is_text = true } },
	{ "sys_setdomainname", { .mask = 0b1, .length_arg = 1, .is_text = true } },
	{ "sys_mount", { .mask = 0b111, .is_text = true } },
	{ "sys_umount", { .mask = 0b1, .is_text = true } },
	{ "sys_utime", { .mask = 0b1, .is_text = true } },
	{ "sys_utimes", { .mask = 0b1, .is_text = true } },
};

void syscall_data_describe(const struct syscall_metadata *call, struct syscall_data *data)
{
	for (unsigned i = 0; i < ARRAY_SIZE(special_calls); i++) {
		if (!strcmp(special_calls[i].name, call->name)) {
			*data = special_calls[i].data;
			return;
		}
	}
	*data = (struct syscall_data){ .is_text = true };
	for (unsigned i = 0; i < call->nb_args; i++) {
		if (!strcmp(call->types[i], "const char *"))
			data->mask |= (u8)BIT(i);
	}
	data->opens_file = !strcmp(call->name, "sys_open") || !strcmp(call->name, "sys_openat");
}

/* Returns how many bytes a record has of a text: with "..." if it is longer than limit. */
static unsigned end_text(char *text, unsigned length, unsigned limit)
{
	for (unsigned i = 0; i < length; i++)
		if (!isprint(text[i]))
			text[i] = '.';
	if (length <= limit) {
		text[length] = '\0';
		return length + 1;
	}
	memcpy(text + limit, SYSCALL_DATA_MORE, sizeof(SYSCALL_DATA_MORE));
	return limit + sizeof(SYSCALL_DATA_MORE);
}

static unsigned copy_text(char *to, unsigned long from, unsigned limit)
{
	/* One byte more shows that the text is longer. */
	long size = strncpy_from_user_nofault(to, (const void *)from, limit + 2);

	return size <= 0 ? 0 : end_text(to, (unsigned)size - 1, limit);
}

static unsigned copy_bytes(char *to, unsigned long from, unsigned long length, unsigned limit,
			   bool is_text)
{
	unsigned size = (unsigned)min(length, (unsigned long)limit + is_text);

	if (!size || copy_from_user_nofault(to, (const void *)from, size))
		return 0;
	return is_text ? end_text(to, size, limit) : size;
}

void syscall_data_copy(struct syscall_copy *copy, const struct syscall_data *data,
		       const unsigned long *args, unsigned limit)
{
	copy->count = 0;
	copy->size = 0;
	for (unsigned i = 0; i < SYSCALL_ARGS_MAX; i++) {
		char *to = copy->data[copy->count];
		unsigned size = 0;

		if (!(data->mask & BIT(i)))
			continue;
		if (limit && data->length_arg)
			size = copy_bytes(to, args[i], args[data->length_arg], limit,
					  data->is_text);
		else if (limit)
			size = copy_text(to, args[i], limit);
		copy->lengths[copy->count++] = (u16)size;
		copy->size += sizeof(u32) + size;
	}
}

void syscall_data_put(const struct syscall_copy *copy, void *record, size_t offset)
{
	u32 *word = record + offset;

	offset += copy->count * sizeof(*word);
	for (unsigned i = 0; i < copy->count; i++) {
		word[i] = (u32)offset | (u32)copy->lengths[i] << 16;
		memcpy(record + offset, copy->data[i], copy->lengths[i]);
		offset += copy->lengths[i];
	}
}

/* A read of a page that is not there brings it in. */
static bool text_is_there(const char __user *text)
{
	return strnlen_user(text, SYSCALL_DATA_MAX + 1);
}

static bool bytes_are_there(const char __user *bytes, unsigned long length)
{
	char copy[SYSCALL_DATA_MAX];

	return !copy_from_user(copy, bytes, min(length, sizeof(copy)));
}

void syscall_data_read(const struct syscall_data *data, const unsigned long *args)
{
	for (unsigned i = 0; i < SYSCALL_ARGS_MAX; i++) {
		const char __user *from = (const char __user *)args[i];

		if (data->mask & BIT(i))
			(void)(data->length_arg ? bytes_are_there(from, args[data->length_arg])
						: text_is_there(from));
	}
}
