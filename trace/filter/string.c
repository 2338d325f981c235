/* Copies of strings that are outside the record (string.h). */
#include "trace/filter/string.h"

#include "arch/unwind/maccess.h"
#include "arch/cpu/percpu.h"
#include "kernel/bug.h"

#define CONTEXTS 4 /* task, softirq, IRQ, NMI: each one interrupts only those before it */

/* Only the CPU itself uses its buffers. A context that interrupts leaves depth as it was. */
struct filter_strings {
	unsigned depth; /* buffers in use */
	struct filter_string_buffer buffers[CONTEXTS];
};
static DEFINE_PER_CPU(struct filter_strings, filter_strings);

struct filter_string_buffer *filter_string_get(void)
{
	struct filter_strings *strings = this_cpu_ptr(&filter_strings);
	unsigned depth = READ_ONCE(strings->depth);

	BUG_ON(depth >= CONTEXTS);
	WRITE_ONCE(strings->depth, depth + 1);
	barrier();
	return &strings->buffers[depth];
}

void filter_string_put(void)
{
	struct filter_strings *strings = this_cpu_ptr(&filter_strings);

	barrier();
	WRITE_ONCE(strings->depth, strings->depth - 1);
}

long filter_string_read(struct filter_string_buffer *buffer, const char *address, bool is_user)
{
	long size = is_user ? strncpy_from_user_nofault(buffer->text, address, FILTER_STRING_MAX)
			    : strncpy_from_kernel_nofault(buffer->text, address, FILTER_STRING_MAX);

	return size < 0 ? size : size - 1;
}
