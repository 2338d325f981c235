/*
 * The file README: a short description of each file. Programs and Linux's test-suite search it for
 * literal fragments to find out which features exist, so those are Linux's; the rest is our own.
 */
#include "kernel/btf/vmlinux.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "trace/core/files.h"

static const char text_before_names[] =
	"tracing mini-HOWTO:\n\n"
	"Only root may look in here. To give a group access to all files:\n"
	"\t mount -t tracefs [-o [gid=<gid>]] nodev /sys/kernel/tracing\n\n"
	"# echo 0 > tracing_on : stop recording, and keep the trace\n"
	"# echo 1 > tracing_on : continue recording\n\n"
	" The files:\n"
	"  trace\t\t\t- the recorded entries as text; reading keeps them\n"
	"\t\t\t  echo > trace removes them all\n"
	"  trace_pipe\t\t- the same, but each read removes what it returns, and waits\n"
	"  current_tracer\t- the tracer that runs now; write a name to start another\n"
	"  available_tracers\t- the names that current_tracer accepts\n"
	"  error_log\t- why the last commands were refused\n"
	"  buffer_size_kb\t- size of the buffer of each CPU\n"
	"  buffer_total_size_kb- size of all these buffers together\n"
	"  buffer_subbuf_size_kb- size of the pieces of a buffer; no entry is larger\n"
	"  buffer_percent\t- how full a buffer wakes a reader of trace_pipe_raw\n"
	"  free_buffer\t\t- closing it gives the memory of the buffers back\n\n"
	"  trace_clock\t\t- the clock of the time stamps\n"
	"       local:   fast; CPUs may differ a little\n"
	"      global:   never runs backwards between CPUs, but is slower\n"
	"     counter:   adds 1 for each entry; shows the order only\n"
	"      uptime:   timer ticks since the boot\n"
	"        mono:   nanoseconds since the boot, as CLOCK_MONOTONIC\n"
	"     tai:       international atomic time: the time of day without leap seconds\n"
	"     x86-tsc:   cycles of the CPU's time stamp counter\n"
	"\n  timestamp_mode\t- how the buffer stores times\n"
	"       delta:   as the time since the previous entry\n"
	"    absolute:   as the full time in each entry\n"
	"\n  trace_marker\t\t- text that a program writes here becomes an entry\n"
	"  trace_marker_raw\t- the same for any bytes, behind a number of 4 bytes\n"
	"  tracing_cpumask\t- the CPUs that record, as a hexadecimal mask\n"
	"  trace_options\t\t- switches for the format and the recording; write\n"
	"\t\t\t  NAME to set one and noNAME to clear it\n"
	"  options/\t\t- the same switches, a file for each\n"
	"  saved_cmdlines\t- the names of the tasks in the trace\n"
	"  saved_cmdlines_size\t- how many task names the kernel keeps for traces\n"
	"  saved_tgids\t\t- the processes of the tasks in the trace\n"
	"  printk_formats\t- the formats of trace_printk()\n"
	"  instances\t\t- mkdir makes another trace here, with files of its own;\n"
	"\t\t\t  rmdir removes it\n"
	"  snapshot\t\t- the trace as it was when 1 was written here\n"
	"\t\t\t  Read it for what may be written\n"
	"  tracing_max_latency\t- the longest time that a latency tracer has found\n"
	"  tracing_thresh\t- record only calls, latencies and gaps of at least so many us\n"
	"  hwlat_detector/\t- the settings of the tracer hwlat\n"
	"  osnoise/\t\t- the settings of the tracers osnoise and timerlat\n"
#ifdef CONFIG_FUNCTION_TRACER
	"\n  available_filter_functions - the functions that can be traced\n"
	"  dyn_ftrace_total_info\t- their number\n"
	"  enabled_functions\t- the functions that are traced now, and by what\n"
	"  touched_functions\t- the functions that were ever traced\n"
	"  set_ftrace_filter\t- trace only the functions that are listed here\n"
	"\t     accepts: func_full_name or glob-matching-pattern\n"
	"\t     or a command: <function>:<command>[:count]\n"
	"\t     command: traceon, traceoff, stacktrace, snapshot,\n"
	"\t\t      enable_event:<system>:<event>,\n"
	"\t\t      disable_event:<system>:<event>,\n"
	"\t\t      dump, cpudump\n"
	"\t     example: echo do_fault:traceoff > set_ftrace_filter\n"
	"\t              echo '!do_fault:traceoff' > set_ftrace_filter\n"
	"  set_ftrace_notrace\t- do not trace the functions that are listed here\n"
	"\t    accepts: func_full_name, *func_end, func_begin*, *func_middle*\n"
	"  set_ftrace_pid\t- trace only the tasks with these PIDs\n"
	"\t\t    (function)\n"
	"  set_ftrace_notrace_pid\t- do not trace the tasks with these PIDs\n"
	"\t\t    (function)\n"
	"  set_graph_function\t- only these functions and the calls inside (function_graph)\n"
	"  set_graph_notrace\t- neither these functions nor the calls inside (function_graph)\n"
	"  max_graph_depth\t- the deepest calls that are recorded; 0: all (function_graph)\n"
	"  function_profile_enabled - 1: count and time all functions\n"
	"  trace_stat/\t\t- a table of them for each CPU\n"
	"  stack_trace\t\t- the deepest stack so far, function by function\n"
	"  stack_max_size\t- its size; write 0 to search for the deepest one again\n"
	"  stack_trace_filter\t- measure the stack only at these functions\n"
#endif
	"\n  dynamic_events\t- the events that users have made, of all kinds\n"
	"\t\t\t  Create/append/remove/show them, one command on each line\n"
	"  synthetic_events\t- the same, only those of kind s\n"
#ifdef CONFIG_FUNCTION_TRACER
	"  kprobe_events\t\t- the same, only those at places in the kernel\n"
	"  uprobe_events\t\t- the same, only those at places in programs\n"
	"  kprobe_profile, uprobe_profile - how often each of them has occurred\n"
#endif
	"\t   Format: p[:[<group>/][<event>]] <place> [<args>]\n"
	"\t           r[maxactive][:[<group>/][<event>]] <place> [<args>]\n"
#ifdef CONFIG_FUNCTION_TRACER
	"\t           f[:[<group>/][<event>]] <func-name>[%return] [<args>]\n"
	"\t           t[:[<group>/][<event>]] <tracepoint> [<args>]\n"
#endif
	"\t           s:[synthetic/]<event> <field> [<field>]\n"
	"\t           e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>] [if "
	"<filter>]\n"
	"\t           -:[<group>/][<event>]\n"
#ifdef CONFIG_FUNCTION_TRACER
	"\t    place: [<module>:]<symbol>[+<offset>]|<memaddr>\n"
	"place (kretprobe): [<module>:]<symbol>[+<offset>]%return|<memaddr>\n"
	"   place (uprobe): <path>:<offset>[%return][(ref_ctr_offset)]\n"
#endif
	"\t     args: <name>=fetcharg[:type]\n"
	"\t fetcharg: (%<register>|$<efield>), @<address>, @<symbol>[+|-<offset>],\n"
	"\t           $stack<index>, $stack, $retval, $comm, $arg<N>,\n";

#ifdef CONFIG_FUNCTION_TRACER
static const char text_about_names[] = "\t           <argname>[->field[->field|.field...]],\n";
#else
static const char text_about_names[] = "";
#endif

static const char text_behind_names[] =
	"\t           +|-[u]<offset>(<fetcharg>), \\imm-value, \\\"imm-string\"\n"
	"\t     type: s8/16/32/64, u8/16/32/64, x8/16/32/64, char, string, symbol,\n"
	"\t           b<bit-width>@<bit-offset>/<container-size>, ustring,\n"
	"\t           symstr, %pd/%pD, <type>\\[<array-size>\\]\n"
#ifdef CONFIG_FUNCTION_TRACER
	"\t    kernel return probes support: $retval, $arg<N>, $comm\n"
#endif
	"\t    field: <stype> <name>;\n"
	"\t    stype: u8/u16/u32/u64, s8/s16/s32/s64, pid_t, char name[],\n"
	"\t           [unsigned] char/int/long, long[] for a stack\n"
	"\t     example: echo 'wait u64 lat; char name[]' >> synthetic_events\n"
	"\t              echo 'nap pid_t pid; long[] stack' >> synthetic_events\n"
	"\n  per_cpu/cpuN/\t\t- files for one CPU; stats has the numbers of its buffer\n"
	"  set_event\t\t- the events that are on; write <system>:<event> or !<system>:<event>\n"
	"  available_events\t- the names that set_event accepts\n"
	"  set_event_pid\t\t- record events of these tasks only\n"
	"  set_event_notrace_pid\t- record no events of these tasks\n"
	"  events/\t\t- a directory for each system of events, and in it one for each event\n"
	"      enable\t\t- 1 or 0: all events of the directory on or off\n"
	"      filter\t\t- record only events for which this expression is true\n"
	"      format\t\t- the fields of the event\n"
	"      trigger\t\t- what to do when the event happens\n"
	"\t    Format: <trigger>[:count][ if <filter>]\n"
	"\t   trigger: traceon, traceoff, snapshot, stacktrace, hist,\n"
	"\t            enable_event:<system>:<event>, disable_event:<system>:<event>,\n"
	"\t            enable_hist:<system>:<event>, disable_hist:<system>:<event>\n"
	"\t   example: echo 'traceoff:1 if prev_prio < 100' > events/sched/sched_switch/trigger\n"
	"\t            echo '!traceoff' > events/sched/sched_switch/trigger\n"
	"      hist\t\t- the histograms of the event. The trigger that makes one:\n"
	"\t    Format: hist:keys=<field1[,field2,...]>\n"
	"\t            [:<var1>=<field|var_ref|numeric_literal>[,<var2>=...]]\n"
	"\t            [:values=<field1[,field2,...]>]\n"
	"\t            [:sort=<field1[,field2,...]>]\n"
	"\t            [:size=#entries]\n"
	"\t            [:pause][:continue][:clear]\n"
	"\t            [:name=histname1]\n"
	"\t            [:<handler>.<action>]\n"
	"\t            [if <filter>]\n"
	"\t    A key can be any field, or the special string 'common_stacktrace'\n"
	"\t  modifiers: .hex .sym .sym-offset .execname .syscall .log2 .buckets=size\n"
	"\t             .usecs .percent .graph .stacktrace .ascending .descending\n"
	"\t   handlers: onmatch(matching.event), onmax(var), onchange(var)\n"
	"\t    actions: trace(<synthetic_event>,param list), save(field,...), snapshot()\n";

static char *readme_msg; /* constant after the boot */
static size_t readme_size;

static ssize_t readme_read(struct file *file __unused, char *buf, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(buf, count, pos, readme_msg, readme_size);
}

static const struct file_operations readme_fops = { .read = readme_read,
						    .llseek = generic_file_llseek };

TRACE_FILE(README, 0440, &readme_fops, .only_top = true);

/* Only a kernel that was built with pahole knows the names of parameters. */
static int __init trace_info_init(void)
{
	size_t room =
		sizeof(text_before_names) + sizeof(text_about_names) + sizeof(text_behind_names);

	readme_msg = kmalloc(room, GFP_KERNEL);
	if (!readme_msg)
		return -ENOMEM;
	readme_size =
		(size_t)snprintf(readme_msg, room, "%s%s%s", text_before_names,
				 btf_vmlinux_size() ? text_about_names : "", text_behind_names);
	return 0;
}
core_initcall(trace_info_init);
