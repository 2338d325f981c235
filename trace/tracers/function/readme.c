/* The paragraphs of README about the files that choose functions. */
#include "trace/core/readme.h"

TRACE_README(functions, "2a",
	     "\n  available_filter_functions - the functions that can be traced\n"
	     "  available_filter_functions_addrs - the same with their addresses\n"
	     "  dyn_ftrace_total_info\t- their number\n"
	     "  enabled_functions\t- the functions that are traced now, and by what\n"
	     "  touched_functions\t- the functions that were ever traced\n"
	     "  set_ftrace_filter\t- trace only the functions that are listed here\n"
	     "\t     accepts: func_full_name or glob-matching-pattern\n");

TRACE_README(
	chosen_functions, "2c",
	"  set_ftrace_notrace\t- do not trace the functions that are listed here\n"
	"\t    accepts: func_full_name, *func_end, func_begin*, *func_middle*\n"
	"  set_ftrace_pid\t- trace only the tasks with these PIDs\n"
	"\t\t    (function)\n"
	"  set_ftrace_notrace_pid\t- do not trace the tasks with these PIDs\n"
	"\t\t    (function)\n"
	"  set_graph_function\t- only these functions and the calls inside (function_graph)\n"
	"  set_graph_notrace\t- neither these functions nor the calls inside (function_graph)\n"
	"  max_graph_depth\t- the deepest calls that are recorded; 0: all (function_graph)\n");
