/*
 * The text output of the function graph tracer, for entries made here: each column as in Linux.
 * sources: trace/tracers/function_graph/output.c trace/tracers/function_graph/columns.c trace/tracers/function_graph/header.c trace/core/output.c
 * sources: trace/tracers/function/args.c trace/core/event_types.c trace/core/trace_seq.c fs/vfs/seq_file.c kernel/lib/vsprintf*.c kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include "arch/ftrace/ftrace.h"
#include "handmade_trace.h"

/*
 * ---- comparison with Linux: linux_graph.txt is the output of 6.1 for this trace ----
 *
 * Recorded with linux-ref --cpus 12: set_ftrace_filter has the five functions, set_graph_function has
 * vfs_open, a shell does `read x < /proc/uptime`, and `head -n 40 trace` follows for each combination
 * of the options. Each output has only its heading, without the lines about the tracer and about
 * the latency, and the first 6 entries.
 */

__asm__(".pushsection .rodata\n"
	"linux_graph: .incbin \"linux_graph.txt\"\n"
	".byte 0\n"
	".popsection");
extern const char linux_graph[];

static void make_opening_of_a_file(void)
{
	struct trace_entry *entry;

	call(7, 153, 10105678000, FUNC(OPEN), 0);
	call(7, 153, 10105977000, FUNC(DENTRY), 1);
	call(7, 153, 10105990000, FUNC(PATH_GET), 2);
	call(7, 153, 10105991000, FUNC(MNTGET), 3);
	ret(7, 153, 10106025222, FUNC(MNTGET), 3, 34222);
	/* Linux records that preemption was on when the callback ran. */
	entry = (void *)ret(7, 153, 10106151000, FUNC(PATH_GET), 2, 161417)->words;
	entry->preempt_count = 0;
	call(7, 153, 10106155000, FUNC(MODULE_GET), 2);
	ret(7, 153, 10106156498, FUNC(MODULE_GET), 2, 1498);
}

static void add_heading(void)
{
	struct seq_file m = { .buf = text, .size = sizeof(text) };
	char *rest = strdup(print_all());

	print_graph_headers(&m, &iter);
	strcpy(text + m.count, rest);
	free(rest);
}

static void test_every_combination_of_columns_is_as_in_linux(void **state)
{
	unsigned abstime, proc, duration, cpu, latency, overhead, compared = 0;
	char expected[4096] = "";
	const char *line = linux_graph;

	(void)state;
	for (bool more = true; more; line = strchr(line, '\n') + 1) {
		more = *line;
		if (more && strncmp(line, "==", 2) != 0) {
			strncat(expected, line, (size_t)(strchr(line, '\n') + 1 - line));
			continue;
		}
		if (expected[0]) {
			add_heading();
			assert_string_equal(text, expected);
			end();
			compared++;
		}
		if (!more)
			break;
		expected[0] = '\0';
		assert_int_equal(
			sscanf(line, "== abstime=%u proc=%u duration=%u cpu=%u latency=%u overhead=%u",
			       &abstime, &proc, &duration, &cpu, &latency, &overhead),
			6);
		begin(12);
		make_opening_of_a_file();
		flags = (abstime ? TRACE_GRAPH_PRINT_ABS_TIME : 0) |
				  (proc ? TRACE_GRAPH_PRINT_PROC : 0) |
				  (duration ? TRACE_GRAPH_PRINT_DURATION : 0) |
				  (cpu ? TRACE_GRAPH_PRINT_CPU : 0) |
				  (overhead ? TRACE_GRAPH_PRINT_OVERHEAD : 0) |
				  TRACE_GRAPH_PRINT_IRQS;
		if (latency)
			array.trace_flags |= TRACE_ITER_LATENCY_FMT;
	}
	assert_int_equal(compared, 48);
}

static void test_without_context_the_calls_alone_are_left(void **state)
{
	(void)state;
	begin(12);
	make_opening_of_a_file();
	array.trace_flags &= ~(u64)TRACE_ITER_CONTEXT_INFO;
	add_heading();
	assert_string_equal(text, "vfs_open() {\n"
				  "  do_dentry_open() {\n"
				  "    path_get() {\n"
				  "      mntget();\n"
				  "    }\n"
				  "    try_module_get();\n");
	end();
}

static void test_an_empty_trace_has_no_heading_in_latency_format(void **state)
{
	(void)state;
	begin(4);
	array.trace_flags |= TRACE_ITER_LATENCY_FMT;
	add_heading();
	assert_string_equal(text, "");
	array.trace_flags &= ~(u64)TRACE_ITER_LATENCY_FMT;
	add_heading();
	assert_string_equal(text, "# CPU  DURATION                  FUNCTION CALLS\n"
				  "# |     |   |                     |   |   |   |\n");
	end();
}

static void test_durations_fill_their_column_and_are_marked(void **state)
{
	static const struct {
		u64 ns;
		const char *column; /* as Linux 6.1 prints them */
	} cases[] = {
		{ 0, "  0.000 us    |  " },
		{ 141, "  0.141 us    |  " },
		{ 9999, "  9.999 us    |  " },
		{ 10000, "  10.000 us   |  " },
		{ 10001, "+ 10.001 us   |  " },
		{ 100000, "+ 100.000 us  |  " },
		{ 100001, "! 100.001 us  |  " },
		{ 282651, "! 282.651 us  |  " },
		{ 1000000, "! 1000.000 us |  " },
		{ 4013461, "# 4013.461 us |  " },
		{ 10000000, "# 10000.00 us |  " },
		{ 39308350, "* 39308.35 us |  " },
		{ 123456789, "@ 123456.7 us |  " },
		{ 1000000001, "$ 1000000 us  |  " },
		{ 12345678901, "$ 12345678 us |  " },
		{ 123456789012, "$ 123456789 us |  " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char expected[64];

		begin(2);
		call(0, 14, 1, FUNC(LOCK), 0);
		ret(0, 14, 200000000000, FUNC(LOCK), 0, cases[i].ns);
		snprintf(expected, sizeof(expected), " 0) %smutex_lock();\n", cases[i].column);
		assert_string_equal(print_all(), expected);
		end();
	}
}

/* ---- joining ---- */

static void test_a_call_joins_only_its_own_return(void **state)
{
	(void)state;
	begin(2);
	call(0, 14, 1000, FUNC(READ), 0);
	call(1, 99, 1100, FUNC(LOCK), 0);
	ret(0, 14, 1200, FUNC(READ), 0, 200); /* next on its CPU, though not next in time */
	ret(1, 99, 1300, FUNC(LOCK), 0, 200);
	call(0, 14, 1400, FUNC(READ), 0);
	ret(0, 99, 1500, FUNC(READ), 0, 100); /* another task's */
	call(1, 99, 1600, FUNC(READ), 0);
	ret(1, 99, 1700, FUNC(LOCK), 0, 100); /* another function's */
	assert_string_equal(print_all(),
			    " 0)   0.200 us    |  vfs_read();\n"
			    " 1)   0.200 us    |  mutex_lock();\n"
			    " 0)               |  vfs_read() {\n"
			    " ------------------------------------------\n"
			    " 0)     sh-14      =>    sleep-99   \n"
			    " ------------------------------------------\n"
			    "\n"
			    " 0)   0.100 us    |  }\n"
			    " 1)               |  vfs_read() {\n"
			    " 1)   0.100 us    |  } /* mutex_lock */\n");
	end();
}

static void test_a_line_that_did_not_fit_is_printed_whole_the_next_time(void **state)
{
	static const char expected[] = " ------------------------------------------\n"
				       " 0)     sh-14      =>    sleep-99   \n"
				       " ------------------------------------------\n"
				       "\n"
				       " 0)   0.200 us    |  mutex_lock();\n";

	(void)state;
	for (size_t room = 0; room < sizeof(expected) - 1; room++) {
		size_t start = TRACE_SEQ_SIZE - room;

		begin(2);
		call(0, 14, 500, FUNC(READ), 0);
		call(0, 99, 1000, FUNC(LOCK), 0);
		ret(0, 99, 1200, FUNC(LOCK), 0, 200);
		go_to(0);
		assert_int_equal(print_graph_function(&iter), TRACE_TYPE_HANDLED);
		go_to(1);
		iter.idx = 1;
		trace_seq_init(&iter.seq);
		iter.seq.len = start;
		assert_int_equal(print_graph_function(&iter), TRACE_TYPE_PARTIAL_LINE);
		trace_seq_init(&iter.seq);
		assert_int_equal(print_graph_function(&iter), TRACE_TYPE_HANDLED);
		assert_int_equal(iter.seq.len, sizeof(expected) - 1);
		assert_memory_equal(iter.seq.buffer, expected, sizeof(expected) - 1);
		end();
	}
}

static void test_a_return_whose_line_did_not_fit_keeps_its_brace(void **state)
{
	(void)state;
	begin(2);
	call(0, 14, 500, FUNC(READ), 0);
	call(0, 14, 600, FUNC(LOCK), 1);
	ret(0, 14, 700, FUNC(READ), 0, 200);
	go_to(0);
	print_graph_function(&iter);
	go_to(2);
	iter.idx = 2;
	iter.seq.len = TRACE_SEQ_SIZE - 4;
	assert_int_equal(print_graph_function(&iter), TRACE_TYPE_PARTIAL_LINE);
	trace_seq_init(&iter.seq);
	assert_int_equal(print_graph_function(&iter), TRACE_TYPE_HANDLED);
	assert_memory_equal(iter.seq.buffer, " 0)   0.200 us    |  }\n", iter.seq.len);
	end();
}

/* ---- events between calls ---- */

static void test_a_change_of_task_is_told(void **state)
{
	(void)state;
	begin(4);
	call(0, 9, 1000, FUNC(READ), 0);
	call(1, 14, 1100, FUNC(READ), 0); /* a call on another CPU does not count */
	call(0, 14, 1200, FUNC(READ), 0);
	call(0, 1000000, 1300, FUNC(READ), 0);
	call(0, 0, 1400, FUNC(READ), 0);
	assert_string_equal(print_all(),
			    " 0)               |  vfs_read() {\n"
			    " 1)               |  vfs_read() {\n"
			    " ------------------------------------------\n"
			    " 0)   ksoftir-9    =>     sh-14     \n"
			    " ------------------------------------------\n"
			    "\n"
			    " 0)               |  vfs_read() {\n"
			    " ------------------------------------------\n"
			    " 0)     sh-14      => a_long_-1000000\n"
			    " ------------------------------------------\n"
			    "\n"
			    " 0)               |  vfs_read() {\n"
			    " ------------------------------------------\n"
			    " 0) a_long_-1000000 =>    <idle>-0   \n"
			    " ------------------------------------------\n"
			    "\n"
			    " 0)               |  vfs_read() {\n");
	end();
}

static void make_an_interrupt(void)
{
	call(0, 14, 1000, FUNC(READ), 0);
	call(0, 14, 1100, IRQ_FUNC, 1);
	call(0, 14, 1200, FUNC(LOCK), 2);
	ret(0, 14, 1300, FUNC(LOCK), 2, 100);
	ret(0, 14, 1400, IRQ_FUNC, 1, 300);
	call(0, 14, 1500, IRQ_FUNC, 1);
	ret(0, 14, 1600, IRQ_FUNC, 1, 100);
	ret(0, 14, 1700, FUNC(READ), 0, 700);
}

static void test_arrows_stand_around_interrupts(void **state)
{
	(void)state;
	begin(2);
	make_an_interrupt();
	assert_string_equal(print_all(), " 0)               |  vfs_read() {\n"
					 " 0)   ==========> |\n"
					 " 0)               |    do_interrupt() {\n"
					 " 0)   0.100 us    |      mutex_lock();\n"
					 " 0)   0.300 us    |    }\n"
					 " 0)   <========== |\n"
					 " 0)   ==========> |\n"
					 " 0)   0.100 us    |    do_interrupt();\n"
					 " 0)   <========== |\n"
					 " 0)   0.700 us    |  }\n");
	flags &= ~(u32)TRACE_GRAPH_PRINT_DURATION;
	assert_non_null(strstr(print_all(), " 0) vfs_read() {\n"
					    " 0) ==========>\n"
					    " 0)   do_interrupt() {\n"));
	end();
}

static void test_nofuncgraph_irqs_leaves_interrupts_out(void **state)
{
	(void)state;
	begin(2);
	make_an_interrupt();
	flags &= ~(u32)TRACE_GRAPH_PRINT_IRQS;
	assert_string_equal(print_all(), " 0)   0.700 us    |  vfs_read();\n");
	end();
}

static void test_a_call_with_other_calls_than_those_of_a_hidden_interrupt_is_no_leaf(void **state)
{
	(void)state;
	begin(2);
	flags &= ~(u32)TRACE_GRAPH_PRINT_IRQS;
	call(0, 14, 1000, FUNC(READ), 0);
	call(0, 14, 1100, IRQ_FUNC, 1);
	ret(0, 14, 1200, IRQ_FUNC, 1, 100);
	call(0, 14, 1300, FUNC(LOCK), 1);
	call(0, 14, 1400, IRQ_FUNC, 2);
	ret(0, 14, 1500, IRQ_FUNC, 2, 100);
	ret(0, 14, 1600, FUNC(LOCK), 1, 300);
	ret(0, 14, 1700, FUNC(READ), 0, 700);
	assert_string_equal(print_all(), " 0)               |  vfs_read() {\n"
					 " 0)   0.300 us    |    mutex_lock();\n"
					 " 0)   0.700 us    |  }\n");
	end();
}

/* The end of the interrupt is recorded after the call was printed. */
static void test_an_interrupt_stays_hidden_when_a_line_did_not_fit(void **state)
{
	static const char expected[] = " 0)               |  vfs_read() {\n";

	(void)state;
	for (size_t room = 0; room < sizeof(expected) - 1; room++) {
		begin(2);
		flags &= ~(u32)TRACE_GRAPH_PRINT_IRQS;
		call(0, 14, 1000, FUNC(READ), 0);
		call(0, 14, 1100, IRQ_FUNC, 1);
		call(0, 14, 1200, FUNC(LOCK), 2);
		go_to(0);
		iter.seq.len = TRACE_SEQ_SIZE - room;
		assert_int_equal(print_graph_function(&iter), TRACE_TYPE_PARTIAL_LINE);
		trace_seq_init(&iter.seq);
		assert_int_equal(print_graph_function(&iter), TRACE_TYPE_HANDLED);
		ret(0, 14, 1300, FUNC(LOCK), 2, 100);
		go_to(3);
		iter.idx = 3;
		assert_int_equal(print_graph_function(&iter), TRACE_TYPE_HANDLED);
		assert_int_equal(iter.seq.len, sizeof(expected) - 1);
		assert_memory_equal(iter.seq.buffer, expected, sizeof(expected) - 1);
		end();
	}
}

static void test_a_marker_is_a_comment_where_it_was_written(void **state)
{
	(void)state;
	begin(2);
	marker(0, 14, 900, "before\n");
	call(0, 14, 1000, FUNC(READ), 0);
	marker(0, 14, 1100, "outer\n");
	call(0, 14, 1200, FUNC(OPEN), 1);
	marker(0, 14, 1300, "no newline");
	ret(0, 14, 1400, FUNC(OPEN), 1, 200);
	marker(0, 14, 1500, "two\nlines\n");
	puts_entry(0, 14, 1600, "of trace_puts()\n");
	assert_string_equal(print_all(), " 0)               |  /* before */\n"
					 " 0)               |  vfs_read() {\n"
					 " 0)               |  /* outer */\n"
					 " 0)               |    vfs_open() {\n"
					 " 0)               |      /* no newline */\n"
					 " 0)   0.200 us    |    }\n"
					 " 0)               |  /* two\nlines */\n"
					 " 0)               |  /* of trace_puts() */\n");
	end();
}

/* ---- returns ---- */

static void test_a_return_without_its_call_has_a_name(void **state)
{
	(void)state;
	begin(2);
	ret(0, 14, 1000, FUNC(LOCK), 1, 5);
	call(0, 14, 1100, FUNC(OPEN), 0);
	marker(0, 14, 1150, "x");
	ret(0, 14, 1200, FUNC(OPEN), 0, 100);
	call(0, 14, 1300, FUNC(OPEN), 60); /* deeper than any state that is kept */
	marker(0, 14, 1350, "x");
	ret(0, 14, 1400, FUNC(READ), 60, 100);
	print_all();
	assert_non_null(strstr(text, " 0)   0.005 us    |    } /* mutex_lock */\n"));
	assert_non_null(strstr(text, " 0)   0.100 us    |  }\n"));
	assert_null(strstr(text, "vfs_read"));
	end();
}

static void test_tail_and_overrun_are_options(void **state)
{
	struct ftrace_graph_ret_entry *entry;

	(void)state;
	begin(2);
	call(0, 14, 1100, FUNC(OPEN), 0);
	call(0, 14, 1150, FUNC(LOCK), 1);
	ret(0, 14, 1160, FUNC(LOCK), 1, 10);
	entry = (void *)ret(0, 14, 1200, FUNC(OPEN), 0, 100)->words;
	entry->overrun = 7;
	flags |= TRACE_GRAPH_PRINT_TAIL | TRACE_GRAPH_PRINT_OVERRUN;
	assert_string_equal(print_all(), " 0)               |  vfs_open() {\n"
					 " 0)   0.010 us    |    mutex_lock();\n"
					 " 0)   0.100 us    |  } /* vfs_open */\n"
					 " (Overruns: 7)\n");
	end();
}

static void test_values_are_errors_or_hexadecimal(void **state)
{
	static const struct {
		unsigned long value;
		const char *leaf, *hex;
	} cases[] = {
		{ 0, "0x0", "0x0" },
		{ 1, "0x1", "0x1" },
		{ (unsigned long)-2, "-2", "0xfffffffffffffffe" },
		{ 0xfffffffe, "-2", "0xfffffffe" }, /* an int */
		{ (unsigned long)-4095, "-4095", "0xfffffffffffff001" },
		{ (unsigned long)-4096, "0xfffffffffffff000", "0xfffffffffffff000" },
		{ 0xfffff001, "-4095", "0xfffff001" },
		{ 0xfffff000, "0xfffff000", "0xfffff000" },
		{ 0x1fffffffe, "0x1fffffffe", "0x1fffffffe" },
		{ 0xffff93fcfd346c00, "0xffff93fcfd346c00", "0xffff93fcfd346c00" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		const char *value = i & 1 ? cases[i / 2].hex : cases[i / 2].leaf;
		char expected[256];

		begin(2);
		call(0, 14, 1000, FUNC(OPEN), 0);
		call(0, 14, 1100, FUNC(LOCK), 1);
		with_retval(ret(0, 14, 1200, FUNC(LOCK), 1, 10), cases[i / 2].value);
		with_retval(ret(0, 14, 1300, FUNC(OPEN), 0, 10), cases[i / 2].value);
		flags |= TRACE_GRAPH_PRINT_RETVAL |
				   (i & 1 ? TRACE_GRAPH_PRINT_RETVAL_HEX : 0);
		snprintf(expected, sizeof(expected),
			 " 0)               |  vfs_open() {\n"
			 " 0)   0.010 us    |    mutex_lock(); /* = %s */\n"
			 " 0)   0.010 us    |  } /* vfs_open = %s */\n",
			 value, value);
		assert_string_equal(print_all(), expected);
		end();
	}
}

static void test_values_and_arguments_show_where_they_were_recorded(void **state)
{
	struct ftrace_graph_ent_entry *entry;
	struct made *e;

	(void)state;
	begin(2);
	call(0, 14, 1000, FUNC(OPEN), 0); /* before the options were on */
	e = call(0, 14, 1100, FUNC(LOCK), 1);
	e->size += FTRACE_REGS_MAX_ARGS * sizeof(entry->args[0]);
	entry = (void *)e->words;
	for (unsigned i = 0; i < FTRACE_REGS_MAX_ARGS; i++)
		entry->args[i] = i * 17;
	with_retval(ret(0, 14, 1200, FUNC(LOCK), 1, 10), 5);
	ret(0, 14, 1300, FUNC(OPEN), 0, 10);
	flags |= TRACE_GRAPH_PRINT_RETVAL | TRACE_GRAPH_ARGS;
	assert_string_equal(
		print_all(),
		" 0)               |  vfs_open() {\n"
		" 0)   0.010 us    |    mutex_lock(0x0, 0x11, 0x22, 0x33, 0x44, 0x55); /* = 0x5 */\n"
		" 0)   0.010 us    |  }\n");
	flags &= ~(u32)(TRACE_GRAPH_PRINT_RETVAL | TRACE_GRAPH_ARGS);
	assert_non_null(strstr(print_all(), "|    mutex_lock();\n"));
	end();
}

static void test_a_reader_without_memory_still_reads(void **state)
{
	(void)state;
	no_memory = true;
	begin(2);
	no_memory = false;
	assert_null(*trace_iter_private(&iter, &graph_trace));
	make_an_interrupt();
	assert_string_equal(print_all(), " 0)               |  vfs_read() {\n"
					 " 0)   ==========> |\n"
					 " 0)               |    do_interrupt() {\n"
					 " 0)               |      mutex_lock() {\n"
					 " 0)   0.100 us    |      }\n"
					 " 0)   0.300 us    |    }\n"
					 " 0)   <========== |\n"
					 " 0)   ==========> |\n"
					 " 0)               |    do_interrupt() {\n"
					 " 0)   0.100 us    |    }\n"
					 " 0)   <========== |\n"
					 " 0)   0.700 us    |  }\n");
	end();
}

static void test_reading_again_from_the_beginning_gives_the_same(void **state)
{
	char first[4096];

	(void)state;
	begin(2);
	make_an_interrupt();
	call(0, 99, 1800, FUNC(OPEN), 0);
	strcpy(first, print_all());
	assert_string_equal(print_all(), first);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_combination_of_columns_is_as_in_linux),
		cmocka_unit_test(test_without_context_the_calls_alone_are_left),
		cmocka_unit_test(test_an_empty_trace_has_no_heading_in_latency_format),
		cmocka_unit_test(test_durations_fill_their_column_and_are_marked),
		cmocka_unit_test(test_a_call_joins_only_its_own_return),
		cmocka_unit_test(test_a_line_that_did_not_fit_is_printed_whole_the_next_time),
		cmocka_unit_test(test_a_return_whose_line_did_not_fit_keeps_its_brace),
		cmocka_unit_test(test_a_change_of_task_is_told),
		cmocka_unit_test(test_arrows_stand_around_interrupts),
		cmocka_unit_test(test_nofuncgraph_irqs_leaves_interrupts_out),
		cmocka_unit_test(
			test_a_call_with_other_calls_than_those_of_a_hidden_interrupt_is_no_leaf),
		cmocka_unit_test(test_an_interrupt_stays_hidden_when_a_line_did_not_fit),
		cmocka_unit_test(test_a_marker_is_a_comment_where_it_was_written),
		cmocka_unit_test(test_a_return_without_its_call_has_a_name),
		cmocka_unit_test(test_tail_and_overrun_are_options),
		cmocka_unit_test(test_values_are_errors_or_hexadecimal),
		cmocka_unit_test(test_values_and_arguments_show_where_they_were_recorded),
		cmocka_unit_test(test_a_reader_without_memory_still_reads),
		cmocka_unit_test(test_reading_again_from_the_beginning_gives_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
