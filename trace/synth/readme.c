/* The paragraphs of README about synthetic events. */
#include "trace/core/readme.h"

TRACE_README(synthetic_events, "3b", "  synthetic_events\t- the same, only those of kind s\n");

TRACE_README(synthetic_format, "3f", "\t           s:[synthetic/]<event> <field> [<field>]\n");

TRACE_README(synthetic_fields, "3m",
	     "\t    field: <stype> <name>;\n"
	     "\t    stype: u8/u16/u32/u64, s8/s16/s32/s64, pid_t, char name[],\n"
	     "\t           [unsigned] char/int/long, long[] for a stack\n"
	     "\t     example: echo 'wait u64 lat; char name[]' >> synthetic_events\n"
	     "\t              echo 'nap pid_t pid; long[] stack' >> synthetic_events\n");
