/* An event with a field of each kind, for tests that compare the kernel with a model. */
#if !defined(MODEL_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define MODEL_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM model

#include "kernel/tracepoint.h"

#ifndef MODEL_NAME_SIZE
#define MODEL_NAME_SIZE 12

struct model_values {
	u64 u64;
	s64 s64;
	u32 u32;
	s32 s32;
	u16 u16;
	s16 s16;
	u8 u8;
	s8 s8;
	char name[MODEL_NAME_SIZE]; /* ends with a NUL */
	char text[40];
};
#endif

/* clang-format off */

TRACE_EVENT(model,
	TP_PROTO(const struct model_values *v),
	TP_ARGS(v),
	TP_STRUCT__entry(
		__field(u64, u64)
		__field(s64, s64)
		__field(u32, u32)
		__field(s32, s32)
		__field(u16, u16)
		__field(s16, s16)
		__field(u8, u8)
		__field(s8, s8)
		__array(char, name, MODEL_NAME_SIZE)
		__string(text, v->text)
	),
	TP_fast_assign(
		__entry->u64 = v->u64;
		__entry->s64 = v->s64;
		__entry->u32 = v->u32;
		__entry->s32 = v->s32;
		__entry->u16 = v->u16;
		__entry->s16 = v->s16;
		__entry->u8 = v->u8;
		__entry->s8 = v->s8;
		memcpy(__entry->name, v->name, MODEL_NAME_SIZE);
		__assign_str(text, v->text);
	),
	TP_printk("u64=%llu s64=%lld u32=%u s32=%d u16=%u s16=%d u8=%u s8=%d name=%s text=%s",
		  (unsigned long long)__entry->u64, (long long)__entry->s64, __entry->u32,
		  __entry->s32, __entry->u16, __entry->s16, __entry->u8, __entry->s8,
		  __entry->name, __get_str(text))
);

/* clang-format on */
#endif
