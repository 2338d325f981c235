/*
 * Arguments of traced calls with their types (options func-args and funcgraph-args). A kernel that
 * was built without pahole has no types, and shows the six registers.
 */
#include "kernel/btf/btf.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "selftest/lib/func_args_targets.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"

/* Through pointers that the compiler does not know, so that it passes all arguments. */
static void call_all(void)
{
	void (*volatile kinds)(int, unsigned, char, bool, enum func_args_color, const char *) =
		func_args_kinds;
	void (*volatile structures)(struct func_args_pair, struct func_args_triple, long) =
		func_args_structures;
	void (*volatile eight)(long, long, long, long, long, long, long, long) = func_args_eight;
	void (*volatile more)(const char *, ...) = func_args_more;
	void (*volatile none)(void) = func_args_none;

	kinds(-5, -5U, 'a', true, FUNC_ARGS_BLUE, (const char *)0x1234);
	structures((struct func_args_pair){ 1, 2 }, (struct func_args_triple){ { 3, 4, 5 } }, -6);
	eight(1, 2, 3, 4, 5, 6, 7, 8);
	more((const char *)0x5678, 1);
	none();
}

static bool is_shown(struct selftest *test, const char *call)
{
	char line[160];

	snprintf(line, sizeof(line), "func_args_%s", call);
	if (strstr(text, line))
		return true;
	selftest_diag(test, "no %s in %s", line, text);
	return false;
}

static void check_calls(struct selftest *test)
{
	if (!btf_vmlinux()) {
		EXPECT(is_shown(test, "eight(0x1, 0x2, 0x3, 0x4, 0x5, 0x6)"));
		return;
	}
	EXPECT(is_shown(test, "kinds(number=-5, flags=0xfffffffb, letter=97, on=0x1, color=7, "
			      "name=0x1234)"));
	EXPECT(is_shown(test, "structures(pair=(STRUCT)[0x1:0x2], triple=(STRUCT)[...], last=-6)"));
	EXPECT(is_shown(test, "eight(a=1, b=2, c=3, d=4, e=5, f=6, ...)"));
	EXPECT(is_shown(test, "more(fmt=0x5678, ...)"));
	EXPECT(is_shown(test, "none()"));
}

static void trace_calls(struct selftest *test, const char *tracer, const char *option)
{
	reset();
	EXPECT_EQ(put("set_ftrace_filter", "func_args_*"), 0);
	EXPECT_EQ(put(option, "1"), 0);
	EXPECT_EQ(put("current_tracer", tracer), 0);
	call_all();
	EXPECT_EQ(put("tracing_on", "0"), 0);
	get("trace");
	check_calls(test);
	EXPECT_EQ(put(option, "0"), 0);
	reset();
}

SELFTEST(func_args, the_function_tracer_shows_names_and_values)
{
	trace_calls(test, "function", "options/func-args");
}

SELFTEST(func_args, the_graph_tracer_shows_names_and_values)
{
	trace_calls(test, "function_graph", "options/funcgraph-args");
}

SELFTEST(func_args, a_system_call_has_the_types_of_its_body)
{
	const struct btf_type *proto, *t;

	btf_vmlinux_load();
	proto = btf_proto_at(kallsyms_lookup_name("__x64_sys_read"));
	EXPECT_EQ(proto != NULL, btf_vmlinux() != NULL);
	if (!proto)
		return;
	ASSERT(btf_vlen(proto) == 3);
	EXPECT(strcmp(btf_name_by_offset(btf_vmlinux(), btf_params(proto)[1].name_off), "buf") ==
	       0);
	t = btf_type_skip_modifiers(btf_vmlinux(), btf_params(proto)[1].type, NULL);
	EXPECT(t && btf_kind(t) == BTF_KIND_PTR);
}

/* BTF has one of their prototypes, and does not say whose. */
SELFTEST(func_args, functions_of_one_name_have_no_types)
{
	unsigned long vfs_read = kallsyms_lookup_name("vfs_read");

	btf_vmlinux_load();
	EXPECT_EQ(btf_proto_at(vfs_read) != NULL, btf_vmlinux() != NULL);
	EXPECT(!btf_proto_at(vfs_read + 1));
	EXPECT(!btf_proto_at(kallsyms_lookup_name("name_show")));
}

SELFTEST(func_args, a_probe_records_parameters_and_fields_by_their_names)
{
	static const struct func_args_item second = { .minus = -2 };
	static const struct func_args_item first = {
		.link.next = &second, .low = 2, .high = 21, .name = "a name", .text = "in it"
	};
	const char *probe = "p:func_args func_args_item item->link.next->minus low=item->low "
			    "high=item->high name=item->name:string bits=item->high:x8 "
			    "text=item->text:string item=item->link.next->number\n";
	void (*volatile target)(const struct func_args_item *) = func_args_item;

	reset();
	btf_vmlinux_load();
	EXPECT_EQ(put("kprobe_events", probe), btf_vmlinux() ? 0 : -EINVAL);
	if (!btf_vmlinux())
		return;
	EXPECT_EQ(put("events/kprobes/func_args/enable", "1"), 0);
	target(&first);
	EXPECT_EQ(put("events/kprobes/func_args/enable", "0"), 0);
	get("trace");
	EXPECT(strstr(text, " arg1=-2 low=2 high=21 name=\"a name\" bits=0x"));
	EXPECT(strstr(text, " text=\"in it\" item=0\n"));
	EXPECT_EQ(put("kprobe_events", "\n"), 0);
	reset();
}
