/*
 * The events of system calls: their records, and the data that arguments point to.
 *
 * Some arguments are addresses of texts or buffers in the program's memory. The records of
 * sys_enter_NAME have a copy of these data behind the arguments, as those of Linux 6.19:
 *
 *	nr  args[0] … args[nb_args - 1]  a __data_loc word for each argument with data  the data
 *
 * A probe runs with preemption off, so it cannot wait for a page that is not there yet. Two steps
 * solve that. __traceiter_sys_enter() calls syscall_data_bring_in() with preemption on: it reads
 * the data once, so that page faults bring them in. The probe copies them without page faults. If
 * another thread unmaps or changes the memory in between, or between the copy and the system call,
 * the record has other data than the system call, or none.
 */
#pragma once

#include "kernel/jump_label.h"
#include "kernel/syscalls/syscalls.h"
#include "trace/core/entries.h"
#include "trace/core/iterator.h"

struct seq_file;

struct syscall_trace_enter {
	struct trace_entry ent;
	int nr;
	unsigned long args[];
};

struct syscall_trace_exit {
	struct trace_entry ent;
	int nr;
	long ret;
};

#define SYSCALL_DATA_ARGS    3U   /* arguments with data that a call may have */
#define SYSCALL_DATA_MAX     165U /* bytes of each; as in Linux */
#define SYSCALL_DATA_DEFAULT 63U  /* syscall_user_buf_size at first; as in Linux */
#define SYSCALL_DATA_MORE    "..."

/* Which arguments of a call have data. Constant after the boot. */
struct syscall_data {
	u8 mask;         /* bit i: args[i] is an address */
	u8 length_arg;   /* the argument with the number of bytes; 0: texts that end with NUL */
	bool is_text;    /* shown as text, not as bytes */
	bool opens_file; /* the argument "flags" has O_* bits, the next one is a mode */
};

/* The copied data of one call. On the stack of the probe. */
struct syscall_copy {
	unsigned count; /* of the arguments with data */
	size_t size;    /* in the record: the __data_loc words and the data */
	u16 lengths[SYSCALL_DATA_ARGS];
	char data[SYSCALL_DATA_ARGS][SYSCALL_DATA_MAX + sizeof(SYSCALL_DATA_MORE)];
};

/* ---- syscall_data.c ---- */

/* Finds the arguments with data by their types. Boot. */
void syscall_data_describe(const struct syscall_metadata *call, struct syscall_data *data);
/* Copies at most limit bytes of each argument; none if the memory is not there. Any context. */
void syscall_data_copy(struct syscall_copy *copy, const struct syscall_data *data,
		       const unsigned long *args, unsigned limit);
/* Writes copy->size bytes at offset into a record. Any context. */
void syscall_data_put(const struct syscall_copy *copy, void *record, size_t offset);
/* Reads the data, so that the pages are there. Task context, preemption on; sleeps. */
void syscall_data_read(const struct syscall_data *data, const unsigned long *args);

/* ---- syscall_text.c ---- */

/*
 * Prints "sys_open(filename: 0x7ffd… "/etc/passwd", flags: O_RDONLY)". With the option verbose,
 * each type stands before its name, and flags are a number. data: of the call.
 */
void syscall_print_enter(struct trace_iterator *iter, const struct syscall_metadata *call,
			 const struct syscall_data *data);
void syscall_show_print_fmt(struct seq_file *m, const struct syscall_metadata *call,
			    const struct syscall_data *data);

/* ---- syscalls.c ---- */

/* On while an enabled event has data. */
extern struct static_key_false syscall_data_key;
/* Brings in the data of a call whose event is enabled. As syscall_data_read(). */
void syscall_data_bring_in(const unsigned long *args, long nr);
