/* The paragraph of README about histograms. */
#include "trace/core/readme.h"

TRACE_README(hist, "4d",
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
	     "\t    actions: trace(<synthetic_event>,param list), save(field,...), snapshot()\n");
