/* The paragraphs of README about events that users make of probes. */
#include "trace/core/readme.h"

TRACE_README(probe_files, "3c",
	     "  kprobe_events\t\t- the same, only those at places in the kernel\n"
	     "  uprobe_events\t\t- the same, only those at places in programs\n"
	     "  kprobe_profile, uprobe_profile - how often each of them has occurred\n");

TRACE_README(probe_format, "3e",
	     "\t           p[:[<group>/][<event>]] <place> [<args>]\n"
	     "\t           r[maxactive][:[<group>/][<event>]] <place> [<args>]\n"
	     "\t           f[:[<group>/][<event>]] <func-name>[%return] [<args>]\n"
	     "\t           t[:[<group>/][<event>]] <tracepoint> [<args>]\n");

TRACE_README(places, "3h",
	     "\t    place: [<module>:]<symbol>[+<offset>]|<memaddr>\n"
	     "place (kretprobe): [<module>:]<symbol>[+<offset>]%return|<memaddr>\n"
	     "   place (uprobe): <path>:<offset>[%return][(ref_ctr_offset)]\n");

TRACE_README(return_probes, "3l", "\t    kernel return probes support: $retval, $arg<N>, $comm\n");
