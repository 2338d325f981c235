/* The file README: what the files of tracing are for. */
#include "kernel/init.h"
#include "trace/core/files.h"

static const char readme_msg[] =
	"tracing mini-HOWTO:\n\n"
	"# echo 0 > tracing_on : quick way to disable tracing\n"
	"# echo 1 > tracing_on : quick way to re-enable tracing\n\n"
	" Important files:\n"
	"  trace\t\t\t- The static contents of the buffer\n"
	"\t\t\t  To clear the buffer write into this file: echo > trace\n"
	"  trace_pipe\t\t- A consuming read to see the contents of the buffer\n"
	"  current_tracer\t- function and latency tracers\n"
	"  available_tracers\t- list of configured tracers for current_tracer\n"
	"  error_log\t- error log for failed commands (that support it)\n"
	"  buffer_size_kb\t- view and modify size of per cpu buffer\n"
	"  buffer_total_size_kb  - view total size of all cpu buffers\n\n"
	"  trace_clock\t\t- change the clock used to order events\n"
	"       local:   Per cpu clock but may not be synced across CPUs\n"
	"      global:   Synced across CPUs but slows tracing down.\n"
	"     counter:   Not a clock, but just an increment\n"
	"      uptime:   Jiffy counter from time of boot\n"
	"        mono:   Nanoseconds since the kernel began\n"
	"     x86-tsc:   TSC cycle counter\n"
	"\n  timestamp_mode\t- view the mode used to timestamp events\n"
	"       delta:   Delta difference against a buffer-wide timestamp\n"
	"    absolute:   Absolute (standalone) timestamp\n"
	"\n  trace_marker\t\t- Writes into this file writes into the kernel buffer\n"
	"  tracing_cpumask\t- Limit which CPUs to trace\n"
	"  trace_options\t\t- Set format or modify how tracing happens\n"
	"\t\t\t  Disable an option by prefixing 'no' to the\n"
	"\t\t\t  option name\n"
	"  saved_cmdlines_size\t- echo command number in here to store comm-pid list\n"
#ifdef CONFIG_FUNCTION_TRACER
	"\n  available_filter_functions - list of functions that can be filtered on\n"
	"  set_ftrace_filter\t- echo function name in here to only trace these\n"
	"\t\t\t  functions\n"
	"\t     accepts: func_full_name or glob-matching-pattern\n"
	"\t     or a command: <function>:<command>[:count]\n"
	"\t     command: traceon, traceoff, stacktrace, snapshot,\n"
	"\t\t      dump, cpudump\n"
	"\t     example: echo do_fault:traceoff > set_ftrace_filter\n"
	"\t              echo '!do_fault:traceoff' > set_ftrace_filter\n"
	"  set_ftrace_notrace\t- echo function name in here to never trace.\n"
	"\t    accepts: func_full_name, *func_end, func_begin*, *func_middle*\n"
	"  set_ftrace_pid\t- Write pid(s) to only function trace those pids\n"
	"\t\t    (function)\n"
	"  set_ftrace_notrace_pid\t- Write pid(s) to not function trace those pids\n"
	"\t\t    (function)\n"
	"  set_graph_function\t- Trace the nested calls of a function (function_graph)\n"
	"  set_graph_notrace\t- Do not trace the nested calls of a function (function_graph)\n"
	"  max_graph_depth\t- Trace a limited depth of nested calls (0 is unlimited)\n"
	"  tracing_thresh\t- Record only calls that take longer, in microseconds (function_graph)\n"
#endif
	"  per_cpu/cpuN/\t\t- The same files for one CPU, and how full its buffer is: stats\n"
	"  events/\t\t- Directory containing the formats of what trace_pipe_raw holds\n";

static ssize_t readme_read(struct file *file __unused, char *buf, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(buf, count, pos, readme_msg, sizeof(readme_msg) - 1);
}

static const struct file_operations readme_fops = { .read = readme_read,
						    .llseek = generic_file_llseek };

static const struct trace_file info_files[] = {
	{ .name = "README", .mode = 0440, .fops = &readme_fops, .only_top = true },
	{ .name = NULL },
};

static int __init trace_info_init(void)
{
	trace_register_files(info_files);
	return 0;
}
core_initcall(trace_info_init);
