/* Records of probes: fetching and storing the arguments (trace/probes/probe_arg.h). */
#include "arch/unwind/maccess.h"
#include "arch/cpu/ptrace.h"
#include "arch/unwind/regs.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/sched.h"
#include "trace/probes/internal.h"

/* ---- memory ---- */

/* Whose memory an address is of. */
enum memory {
	MEMORY_KERNEL, /* or of the task, if the address is below the kernel's */
	MEMORY_TASK,
	MEMORY_TASK_FAULTS, /* pages are faulted in */
};

static enum memory memory_of(const struct probe_arg_sources *sources, bool user)
{
	if (sources->flags & PROBE_FL_USER)
		return MEMORY_TASK_FAULTS;
	return user ? MEMORY_TASK : MEMORY_KERNEL;
}

static bool is_kernel_address(u64 address)
{
	return (s64)address < 0;
}

/* 0 or an error. */
static long copy(void *to, u64 address, size_t size, enum memory memory)
{
	if (is_kernel_address(address))
		return memory == MEMORY_KERNEL
			       ? copy_from_kernel_nofault(to, (const void *)address, size)
			       : -EFAULT;
	if (memory == MEMORY_TASK_FAULTS)
		return copy_from_user(to, (__force const void __user *)address, size) ? -EFAULT : 0;
	return copy_from_user_nofault(to, (const void *)address, size);
}

/* Copies a string, cut to size bytes with its NUL. Returns the number of bytes, or an error. */
static long copy_string(char *to, u64 address, size_t size, enum memory memory)
{
	long length;

	if (is_kernel_address(address))
		return memory == MEMORY_KERNEL
			       ? strncpy_from_kernel_nofault(to, (const void *)address, size)
			       : -EFAULT;
	if (memory != MEMORY_TASK_FAULTS)
		return strncpy_from_user_nofault(to, (const void *)address, size);
	length = strncpy_from_user(to, (__force const char __user *)address, (long)size);
	if (length < 0)
		return length;
	if (length < (long)size)
		return length + 1;
	to[size - 1] = '\0';
	return (long)size;
}

/* ---- sources ---- */

/* A value on its way: an address, if the type reads memory there. */
struct place {
	u64 value;
	enum memory memory; /* of the address */
	bool in_memory;     /* value is the address of the element */
	bool fault;
};

/* A word of the stack; 0 if it is not on the kernel's stack, or is not there. */
static u64 stack_word(const struct pt_regs *regs, u64 number, enum memory memory)
{
	u64 address = regs->sp + number * sizeof(u64), word;

	if (memory == MEMORY_KERNEL &&
	    ALIGN_DOWN(address, THREAD_SIZE) != ALIGN_DOWN(regs->sp, THREAD_SIZE))
		return 0;
	return copy(&word, address, sizeof(word), memory) ? 0 : word;
}

static u64 source_value(const struct probe_source *source, const struct probe_arg_sources *sources,
			const void *context)
{
	const struct pt_regs *regs = context;

	switch (source->kind) {
	case PROBE_SOURCE_TEXT:
		return (u64)(unsigned long)source->text;
	case PROBE_SOURCE_COMM:
		return (u64)(unsigned long)current->comm;
	case PROBE_SOURCE_REGISTER:
		return *(const u64 *)((const char *)context + source->value);
	case PROBE_SOURCE_STACK_POINTER:
		return regs->sp;
	case PROBE_SOURCE_STACK:
		return stack_word(regs, source->value, memory_of(sources, false));
	case PROBE_SOURCE_ENTRY_ARG:
		return ((const u64 *)regs->orig_ax)[source->value];
	case PROBE_SOURCE_FIELD:
	case PROBE_SOURCE_FILE:
		return sources->fetch(source, context);
	default:
		return source->value;
	}
}

void probe_entry_args_store(const struct probe_entry_args *args, const struct pt_regs *regs,
			    u64 *words)
{
	for (unsigned i = 0; i < args->count; i++) {
		int offset = regs_argument_offset(args->numbers[i] - 1U);

		words[i] = offset < 0 ? stack_word(regs, args->numbers[i] - REGS_ARGUMENTS,
						   MEMORY_KERNEL)
				      : *(const u64 *)((const char *)regs + offset);
	}
}

/* Runs the source and the dereferences; the last one is left to the type. */
static struct place find_place(const struct probe_arg *arg, const struct probe_arg_sources *sources,
			       const void *context)
{
	struct place place = { .value = source_value(&arg->source, sources, context) };

	/* The text of the source is in the kernel. */
	if (arg->source.kind != PROBE_SOURCE_TEXT && arg->source.kind != PROBE_SOURCE_COMM)
		place.memory = memory_of(sources, arg->type->is_user);
	for (unsigned i = 0; i < arg->nr_derefs; i++) {
		enum memory memory = memory_of(sources, arg->derefs[i].user);

		place.value += (u64)arg->derefs[i].offset;
		if (i + 1 < arg->nr_derefs) {
			if (copy(&place.value, place.value, sizeof(place.value), memory))
				return (struct place){ .fault = true };
			continue;
		}
		place.in_memory = true;
		if (memory != MEMORY_KERNEL)
			place.memory = memory;
	}
	return place;
}

/* ---- strings ---- */

/* Returns the address of the text of a string's element. 0: a fault. */
static u64 text_address(const struct probe_arg *arg, struct place place, unsigned element)
{
	u64 pointer;

	if (place.fault)
		return 0;
	if (!arg->count)
		return place.value;
	/* An array of strings is an array of pointers. */
	if (copy(&pointer, place.value + element * sizeof(pointer), sizeof(pointer), place.memory))
		return 0;
	return pointer;
}

/* Copies at most size bytes of the text, with its NUL. Returns the number, or 0: a fault. */
static size_t copy_text(const struct probe_arg *arg, struct place place, unsigned element, char *to,
			size_t size)
{
	u64 address = text_address(arg, place, element);
	long length;

	if (!address || !size)
		return 0;
	if (arg->type->is_symbol_text)
		return (size_t)scnprintf(to, size, "%pS", (void *)address) + 1;
	length = copy_string(to, address, size, place.memory);
	return length < 0 ? 0 : (size_t)length;
}

/* Returns the bytes of a text with its NUL, at most PROBE_STRING_MAX, or 0: a fault. */
static size_t text_size(const struct probe_arg *arg, struct place place, unsigned element)
{
	u64 address = text_address(arg, place, element);
	size_t size = 0;
	char piece[64];

	if (arg->type->is_symbol_text)
		return address ? (size_t)snprintf(NULL, 0, "%pS", (void *)address) + 1 : 0;
	while (address && size < PROBE_STRING_MAX) {
		long length = copy_string(piece, address + size, sizeof(piece), place.memory);

		if (length < 0)
			return 0;
		if (length < (long)sizeof(piece))
			return min(size + (size_t)length, (size_t)PROBE_STRING_MAX);
		size += sizeof(piece) - 1; /* the last byte of a cut piece is a NUL of its own */
	}
	return min(size, (size_t)PROBE_STRING_MAX);
}

size_t probe_args_data_size(const struct probe_arg *args, unsigned count,
			    const struct probe_arg_sources *sources, const void *context)
{
	size_t size = 0;

	for (unsigned i = 0; i < count; i++) {
		struct place place;

		if (!args[i].type->is_string)
			continue;
		place = find_place(&args[i], sources, context);
		for (unsigned j = 0; j < probe_arg_elements(&args[i]); j++)
			size += text_size(&args[i], place, j);
	}
	return size;
}

/* Stores the texts of one argument from `from` on. Returns the end. */
static size_t store_texts(const struct probe_arg *arg, struct place place, void *record,
			  size_t from, size_t end)
{
	for (unsigned j = 0; j < probe_arg_elements(arg); j++) {
		/* A text may have become longer since it was measured: then it is cut. */
		size_t room = min(end - from, (size_t)PROBE_STRING_MAX);
		size_t size = copy_text(arg, place, j, (char *)record + from, room);
		u32 loc = (u32)(from | size << 16);

		memcpy((u8 *)record + arg->offset + j * sizeof(loc), &loc, sizeof(loc));
		from += size;
	}
	return from;
}

/* ---- integers ---- */

static u64 bits(const struct probe_arg *arg, u64 value)
{
	return arg->bit_width ? value >> arg->bit_shift & (~0ULL >> (64 - arg->bit_width)) : value;
}

static void store_integers(const struct probe_arg *arg, struct place place, void *record)
{
	size_t size = arg->type->size;

	for (unsigned j = 0; j < probe_arg_elements(arg); j++) {
		u64 value = place.value;

		if (place.in_memory) {
			value = 0;
			if (copy(&value, place.value + j * size, size, place.memory))
				value = 0;
		}
		value = bits(arg, place.fault ? 0 : value);
		probe_store_value((u8 *)record + arg->offset + j * size, (unsigned)size, value);
	}
}

void probe_args_store_any(const struct probe_arg *arg, const struct probe_arg *end_arg,
			  const struct probe_arg_sources *sources, const void *context,
			  void *record, size_t from, size_t end)
{
	for (; arg < end_arg; arg++) {
		struct place place = find_place(arg, sources, context);

		if (arg->type->is_string)
			from = store_texts(arg, place, record, from, end);
		else
			store_integers(arg, place, record);
	}
}
