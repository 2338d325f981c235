/*
 * Makes events from a header that declares them with TRACE_EVENT().
 *
 * An event is written once, in a header beside its subsystem. That header is read in two ways. The
 * kernel's code includes it and gets declarations (kernel/tracepoint.h). One source file for each
 * header, in trace/events/systems/, makes the events:
 *
 *	#define TRACE_EVENTS_HEADER "kernel/sched/sched_events.h"
 *	#include "trace/events/define.h"
 *
 * This file then includes the header several times. Each time, which is called a pass, the words of
 * the declaration mean something else. __field(pid_t, pid) is a member of a struct in pass 1, and a
 * line of the format file in pass 3. For TRACE_EVENT(NAME, …) the passes make:
 *
 *	1  struct trace_event_raw_NAME          the record
 *	2  trace_event_size_NAME()              the bytes that it needs, and where its strings lie
 *	3  trace_event_fields_NAME[]            the fields
 *	4  trace_event_print_NAME()             the text in the file `trace`
 *	   trace_event_record_NAME()            the probe: reserves, fills and commits a record
 *	5  trace_event_print_fmt_NAME[]         the print fmt, for programs that read raw records
 *	6  __tracepoint_NAME, event_NAME        the tracepoint, and the event in the linker table
 *
 * DECLARE_EVENT_CLASS() makes 1 to 5, DEFINE_EVENT() makes 6, TRACE_EVENT() is both. The words are
 * those of Linux, so that students can read declarations there, too.
 */
#include "kernel/lib/string.h"
#include "trace/core/output.h"
#include "trace/events/print.h"
#include "trace/events/record.h"

/* Few events use all their arguments in each of the functions below. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include TRACE_EVENTS_HEADER /* the declarations, and the types of the arguments */
#define TRACE_EVENTS_PASS

#define TRACE_SYSTEM_NAME __stringify(TRACE_SYSTEM)

/*
 * A file may define the value of the first field of all its events, a number of 8 bytes, by their
 * arguments. Then its events, which are short, are recorded without a call in the usual case, and a
 * filter that compares the first field drops them before the record is built.
 */
#ifdef TRACE_EVENTS_FIRST
#define TRACE_EVENTS_INLINE true
#else
#define TRACE_EVENTS_INLINE false
#define TRACE_EVENTS_FIRST  0
#endif

/* Keeps a list of arguments together when it is handed on to another macro. */
#define PARAMS(args...)           args
#define TP_STRUCT__entry(args...) args
#define TP_fast_assign(args...)   args

#undef TRACE_EVENT
#undef TRACE_EVENT_CONDITION
#undef TRACE_EVENT_FN
#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef DEFINE_EVENT_PRINT
#undef DEFINE_EVENT_CONDITION
#undef DEFINE_EVENT_FN
#define TRACE_EVENT(name, proto, args, fields, assign, print)                                      \
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args), PARAMS(fields), PARAMS(assign),     \
			    PARAMS(print))                                                         \
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_CONDITION(name, proto, args, cond, fields, assign, print)                      \
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args), PARAMS(fields), PARAMS(assign),     \
			    PARAMS(print))                                                         \
	DEFINE_EVENT_CONDITION(name, name, PARAMS(proto), PARAMS(args), PARAMS(cond))
#define TRACE_EVENT_FN(name, proto, args, fields, assign, print, reg, unreg)                       \
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args), PARAMS(fields), PARAMS(assign),     \
			    PARAMS(print))                                                         \
	DEFINE_EVENT_FN(name, name, PARAMS(proto), PARAMS(args), reg, unreg)

/* ---- pass 1: the record ---- */

#define DECLARE_EVENT_CLASS(class, proto, args, fields, assign, print)                             \
	struct trace_event_raw_##class                                                             \
	{                                                                                          \
		struct trace_entry ent;                                                            \
		fields char __data[];                                                              \
	};
#define DEFINE_EVENT(class, name, proto, args)
#define DEFINE_EVENT_PRINT(class, name, proto, args, print)
#define DEFINE_EVENT_CONDITION(class, name, proto, args, cond)
#define DEFINE_EVENT_FN(class, name, proto, args, reg, unreg)
#define __field(type, item)              type item;
#define __field_ext(type, item, filter)  type item;
#define __field_struct(type, item)       type item;
#define __array(type, item, len)         type item[len];
#define __dynamic_array(type, item, len) u32 __data_loc_##item;
#define __string(item, src)              __dynamic_array(char, item, -1)
#define __string_len(item, src, len)     __dynamic_array(char, item, -1)
#define __bitmask(item, bits)            __dynamic_array(unsigned long, item, -1)
#define __cpumask(item)                  __dynamic_array(unsigned long, item, -1)

#include TRACE_EVENTS_HEADER

/* ---- pass 2: the size of the record ---- */

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(class, proto, args, fields, assign, print)                             \
	struct trace_event_offsets_##class                                                         \
	{                                                                                          \
		fields                                                                             \
	};
#undef __field
#undef __field_ext
#undef __field_struct
#undef __array
#undef __dynamic_array
#define __field(type, item)
#define __field_ext(type, item, filter)
#define __field_struct(type, item)
#define __array(type, item, len)
#define __dynamic_array(type, item, len) u32 item;

#include TRACE_EVENTS_HEADER

/* Each offset has the form of a __data_loc field: the offset, and the length in the upper half. */
#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(class, proto, args, fields, assign, print)                             \
	static __always_inline u32 trace_event_size_##class(                                       \
		struct trace_event_offsets_##class * __offsets __unused, proto)                    \
	{                                                                                          \
		struct trace_event_raw_##class *__entry __unused;                                  \
		u32 __start = offsetof(struct trace_event_raw_##class, __data), __end = __start;   \
                                                                                                   \
		fields;                                                                            \
		return (u32)sizeof(*__entry) + __end - __start;                                    \
	}
#undef __dynamic_array
#undef __string
#undef __string_len
#undef __bitmask
#undef __cpumask
#define __dynamic_array(type, item, len)                                                           \
	__offsets->item = __end | (u32)((len) * sizeof(type)) << 16;                               \
	__end += (u32)((len) * sizeof(type));
#define __string(item, src)          __dynamic_array(char, item, trace_event_strlen(src) + 1)
#define __string_len(item, src, len) __dynamic_array(char, item, (len) + 1)
#define __bitmask(item, bits)        __dynamic_array(unsigned long, item, DIV_ROUND_UP(bits, 64))
#define __cpumask(item)              __bitmask(item, nr_cpu_ids)

#include TRACE_EVENTS_HEADER

/* ---- pass 3: the fields ---- */

/* A table in a function, because the lines of the table need one name for the struct: __record. */
#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(class, proto, args, fields, assign, print)                             \
	static const struct trace_event_field *trace_event_fields_##class(void)                    \
	{                                                                                          \
		typedef struct trace_event_raw_##class __record __unused;                          \
		static const struct trace_event_field table[] = { fields{ .name = NULL } };        \
                                                                                                   \
		return table;                                                                      \
	}
#undef __field
#undef __field_ext
#undef __field_struct
#undef __array
#undef __dynamic_array
#undef __string
#undef __string_len
#undef __bitmask
#undef __cpumask
#define __field(type, item) __field_ext(type, item, FILTER_OTHER)
#define __field_ext(type, item, filter)                                                            \
	{ #type, #item, offsetof(__record, item), sizeof(type), is_signed_type(type), filter, 0 },
#define __field_struct(type, item)                                                                 \
	{ #type, #item, offsetof(__record, item), sizeof(type), false, FILTER_OTHER, 0 },
#define __array(type, item, len)                                                                   \
	{ #type "[" __stringify(len) "]",                                                          \
	  #item,                                                                                   \
	  offsetof(__record, item),                                                                \
	  sizeof(type) * (len),                                                                    \
	  is_signed_type(type),                                                                    \
	  FILTER_OTHER,                                                                            \
	  0 },
#define __dynamic_array(type, item, len)                                                           \
	{ "__data_loc " #type "[]",                                                                \
	  #item,                                                                                   \
	  offsetof(__record, __data_loc_##item),                                                   \
	  sizeof(u32),                                                                             \
	  is_signed_type(type),                                                                    \
	  FILTER_OTHER,                                                                            \
	  0 },
#define __string(item, src)          __dynamic_array(char, item, -1)
#define __string_len(item, src, len) __dynamic_array(char, item, -1)
#define __bitmask(item, bits)        __dynamic_array(unsigned long, item, -1)
#define __cpumask(item)                                                                            \
	{                                                                                          \
		"__data_loc cpumask_t",                                                            \
		#item,                                                                             \
		offsetof(__record, __data_loc_##item),                                             \
		sizeof(u32),                                                                       \
		false,                                                                             \
		FILTER_OTHER,                                                                      \
		0                                                                                  \
	},

#include TRACE_EVENTS_HEADER

/* ---- pass 4: the text, and the probe ---- */

#undef TP_printk
#define TP_printk(fmt, ...) fmt "\n", ##__VA_ARGS__
#undef __get_dynamic_array
#undef __get_dynamic_array_len
#undef __get_str
#undef __get_bitmask
#undef __get_cpumask
#undef __print_flags
#undef __print_symbolic
#undef __print_hex
#define __get_dynamic_array(field)                                                                 \
	((void *)((char *)__entry + (__entry->__data_loc_##field & 0xffff)))
#define __get_dynamic_array_len(field) (__entry->__data_loc_##field >> 16 & 0xffff)
#define __get_str(field)               ((char *)__get_dynamic_array(field))
#define __get_bitmask(field)                                                                       \
	trace_print_bitmask(iter, __get_dynamic_array(field), __get_dynamic_array_len(field))
#define __get_cpumask(field) __get_bitmask(field)
#define __print_flags(flags, delim, ...)                                                           \
	trace_print_flags(iter, flags, delim,                                                      \
			  (const struct trace_print_flags[]){ __VA_ARGS__, { 0, NULL } })
#define __print_symbolic(value, ...)                                                               \
	trace_print_symbolic(iter, value,                                                          \
			     (const struct trace_print_flags[]){ __VA_ARGS__, { 0, NULL } })
#define __print_hex(bytes, count) trace_print_hex(iter, bytes, count)

#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT_PRINT
#define DECLARE_EVENT_CLASS(class, proto, args, fields, assign, print)                             \
	static enum print_line_t trace_event_print_##class(struct trace_iterator * iter)           \
	{                                                                                          \
		const struct trace_event_raw_##class *__entry __unused = (const void *)iter->ent;  \
                                                                                                   \
		return trace_event_printf(iter, print);                                            \
	}
#define DEFINE_EVENT_PRINT(class, name, proto, args, print)                                        \
	static enum print_line_t trace_event_print_##name(struct trace_iterator *iter)             \
	{                                                                                          \
		const struct trace_event_raw_##class *__entry __unused = (const void *)iter->ent;  \
                                                                                                   \
		return trace_event_printf(iter, print);                                            \
	}

#include TRACE_EVENTS_HEADER

#undef __field
#undef __field_ext
#undef __field_struct
#undef __array
#undef __dynamic_array
#undef __string
#undef __string_len
#undef __bitmask
#undef __cpumask
#define __field(type, item)
#define __field_ext(type, item, filter)
#define __field_struct(type, item)
#define __array(type, item, len)
#define __dynamic_array(type, item, len) __entry->__data_loc_##item = __offsets.item;
#define __string(item, src)              __dynamic_array(char, item, -1)
#define __string_len(item, src, len)     __dynamic_array(char, item, -1)
#define __bitmask(item, bits)            __dynamic_array(unsigned long, item, -1)
#define __cpumask(item)                  __dynamic_array(unsigned long, item, -1)
/* Copies a string to its place. It may have grown since its length was measured: then it is cut. */
#define __assign_str(field, src)                                                                   \
	trace_event_copy_string(__get_str(field), src, __get_dynamic_array_len(field))
#define __assign_bitmask(field, src, bits)                                                         \
	memcpy(__get_dynamic_array(field), src, __get_dynamic_array_len(field))
#define __assign_cpumask(field, src) __assign_bitmask(field, (src)->bits, nr_cpu_ids)

#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT_PRINT
#define DECLARE_EVENT_CLASS(class, proto, args, fields, assign, print)                             \
	static __always_inline void trace_event_fill_##class(                                      \
		struct trace_event_raw_##class * __entry,                                          \
		struct trace_event_offsets_##class __offsets __unused, proto)                      \
	{                                                                                          \
		fields;                                                                            \
		{                                                                                  \
			assign;                                                                    \
		}                                                                                  \
	}                                                                                          \
	/* The next four: only for a short record. */                                              \
	static noinline void trace_event_record_slow_##class(void *__data, proto)                  \
	{                                                                                          \
		struct trace_event_offsets_##class __offsets;                                      \
		u32 __size = trace_event_size_##class(&__offsets, args);                           \
		struct trace_event_raw_##class __record;                                           \
                                                                                                   \
		if (TRACE_EVENTS_INLINE &&                                                         \
		    trace_event_is_dropped_early(__data, (u64)TRACE_EVENTS_FIRST))                 \
			return;                                                                    \
		trace_event_fill_##class(&__record, __offsets, args);                              \
		trace_event_record_slow(__data, &__record.ent, __size);                            \
	}                                                                                          \
	static noinline void trace_event_ask_##class(void *__data, proto)                          \
	{                                                                                          \
		if (perf_event_ops.wants_record(__data))                                           \
			trace_event_record_slow_##class(__data, args);                             \
	}                                                                                          \
	static noinline void trace_event_record_begun_##class(                                     \
		void *__data, struct ring_buffer_per_cpu *__cb, proto)                             \
	{                                                                                          \
		struct trace_event_offsets_##class __offsets;                                      \
		u32 __size = trace_event_size_##class(&__offsets, args);                           \
		struct trace_event_raw_##class __record;                                           \
                                                                                                   \
		trace_event_fill_##class(&__record, __offsets, args);                              \
		trace_event_record_begun(__data, __cb, &__record.ent, __size);                     \
	}                                                                                          \
	/* The usual case of TRACE_EVENTS_INLINE. */                                               \
	static noinline void trace_event_record_inline_##class(void *__data, proto)                \
	{                                                                                          \
		struct trace_event_offsets_##class __offsets;                                      \
		u32 __size = trace_event_size_##class(&__offsets, args);                           \
		struct ring_buffer_per_cpu *__cb;                                                  \
		void *__entry;                                                                     \
		u64 __end;                                                                         \
                                                                                                   \
		if (!trace_event_begin(__data, &__cb))                                             \
			return;                                                                    \
		__entry = trace_event_reserve_inline(__data, __cb, rb_data_size(__size), &__end);  \
		if (likely(__entry)) {                                                             \
			trace_event_fill_##class(__entry, __offsets, args);                        \
			trace_event_commit_inline(__cb, __end);                                    \
		} else {                                                                           \
			trace_event_record_begun_##class(__data, __cb, args);                      \
		}                                                                                  \
	}                                                                                          \
	static void trace_event_record_##class(void *__data, proto)                                \
	{                                                                                          \
		unsigned long __flags = READ_ONCE(((struct trace_event_file *)__data)->flags);     \
		struct trace_event_offsets_##class __offsets;                                      \
		u32 __size = trace_event_size_##class(&__offsets, args);                           \
                                                                                                   \
		if (!TRACE_EVENT_IS_SHORT(__size)) {                                               \
			struct trace_event_buffer __buffer;                                        \
			void *__entry = trace_event_buffer_reserve(&__buffer, __data, __size);     \
                                                                                                   \
			if (__entry) {                                                             \
				trace_event_fill_##class(__entry, __offsets, args);                \
				trace_event_buffer_commit(&__buffer);                              \
			}                                                                          \
		} else if (unlikely(__flags & EVENT_FILE_FL_SLOW)) {                               \
			if (__flags & EVENT_FILE_FL_PERF_ASKS)                                     \
				trace_event_ask_##class(__data, args);                             \
			else                                                                       \
				trace_event_record_slow_##class(__data, args);                     \
		} else if (TRACE_EVENTS_INLINE) {                                                  \
			if (unlikely(trace_event_wants_stacks(                                     \
				    ((struct trace_event_file *)__data)->tr)))                     \
				trace_event_record_slow_##class(__data, args);                     \
			else                                                                       \
				trace_event_record_inline_##class(__data, args);                   \
		} else {                                                                           \
			struct trace_event_room __room =                                           \
				trace_event_reserve_short(__data, rb_data_size(__size));           \
                                                                                                   \
			if (__room.entry) {                                                        \
				trace_event_fill_##class(__room.entry, __offsets, args);           \
				trace_event_commit_short(__data, __room, rb_data_size(__size));    \
			}                                                                          \
		}                                                                                  \
	}
#define DEFINE_EVENT_PRINT(class, name, proto, args, print)
/* A copy of constant size, such as the name of a task, is two instructions instead of a call. */
#define memcpy __builtin_memcpy

#include TRACE_EVENTS_HEADER
#undef memcpy

/* ---- pass 5: the print fmt ---- */

/* The text is made of the words that stand in TP_printk(). So these must not be macros now. */
#undef __get_dynamic_array
#undef __get_dynamic_array_len
#undef __get_str
#undef __get_bitmask
#undef __get_cpumask
#undef __print_flags
#undef __print_symbolic
#undef __print_hex
#undef TP_printk
#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT_PRINT
#define __entry             REC
#define TP_printk(fmt, ...) "\"" fmt "\", " __stringify(__VA_ARGS__)
#define DECLARE_EVENT_CLASS(class, proto, args, fields, assign, print)                             \
	static const char trace_event_print_fmt_##class[] __unused = print;
#define DEFINE_EVENT_PRINT(class, name, proto, args, print)                                        \
	static const char trace_event_print_fmt_##name[] = print;

#include TRACE_EVENTS_HEADER
#undef __entry

/* ---- pass 6: tracepoints and events ---- */

#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef DEFINE_EVENT_PRINT
#undef DEFINE_EVENT_CONDITION
#undef DEFINE_EVENT_FN
#define TRACE_EVENT_CALL(class, name_, print_name)                                                 \
	static struct trace_event_call event_##name_ LINKER_TABLE_ENTRY(                           \
		data, trace_events, TRACE_SYSTEM_NAME "." #name_) = {                              \
		.event = { .system = TRACE_SYSTEM_NAME,                                            \
			   .name = #name_,                                                         \
			   .trace = trace_event_print_##print_name,                                \
			   .print_fmt = trace_event_print_fmt_##print_name },                      \
		.get_fields = trace_event_fields_##class,                                          \
		.tp = &__tracepoint_##name_,                                                       \
		.probe = trace_event_record_##class,                                               \
		.reg = trace_event_reg,                                                            \
		.flags = TRACE_EVENT_FL_TRACEPOINT,                                                \
	};                                                                                         \
	/* The compiler checks here that the probe has the arguments of the tracepoint. */         \
	static inline int __unused check_probe_##name_(void)                                       \
	{                                                                                          \
		return register_trace_##name_(trace_event_record_##class, NULL);                   \
	}
#define DECLARE_EVENT_CLASS(class, proto, args, fields, assign, print)
#define DEFINE_EVENT(class, name, proto, args)                                                     \
	TRACEPOINT_DEFINE(name, PARAMS(proto), PARAMS(args))                                       \
	TRACE_EVENT_CALL(class, name, class)
#define DEFINE_EVENT_PRINT(class, name, proto, args, print)                                        \
	TRACEPOINT_DEFINE(name, PARAMS(proto), PARAMS(args))                                       \
	TRACE_EVENT_CALL(class, name, name)
#define DEFINE_EVENT_CONDITION(class, name, proto, args, cond)                                     \
	TRACEPOINT_DEFINE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))               \
	TRACE_EVENT_CALL(class, name, class)
#define DEFINE_EVENT_FN(class, name, proto, args, reg, unreg)                                      \
	TRACEPOINT_DEFINE_FN(name, PARAMS(proto), PARAMS(args), reg, unreg)                        \
	TRACE_EVENT_CALL(class, name, class)

#include TRACE_EVENTS_HEADER
