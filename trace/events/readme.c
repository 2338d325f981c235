/* The paragraphs of README about events: all of them, and those that users make. */
#include "trace/core/readme.h"

TRACE_README(dynamic_events, "3a",
	     "\n  dynamic_events\t- the events that users have made, of all kinds\n"
	     "\t\t\t  Create/append/remove/show them, one command on each line\n");

TRACE_README(format, "3d", "\t   Format:\n");

TRACE_README(event_probes, "3g",
	     "\t           e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>] [if "
	     "<filter>]\n"
	     "\t           -:[<group>/][<event>]\n");

TRACE_README(
	events, "4b",
	"  set_event\t\t- the events that are on; write <system>:<event> or !<system>:<event>\n"
	"  available_events\t- the names that set_event accepts\n"
	"  set_event_pid\t\t- record events of these tasks only\n"
	"  set_event_notrace_pid\t- record no events of these tasks\n"
	"  events/\t\t- a directory for each system of events, and in it one for each event\n"
	"      enable\t\t- 1 or 0: all events of the directory on or off\n"
	"      filter\t\t- record only events for which this expression is true\n"
	"      format\t\t- the fields of the event\n");
