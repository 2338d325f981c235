/* The paragraphs of README about the arguments of probes. */
#include "kernel/btf/vmlinux.h"
#include "trace/core/readme.h"

TRACE_README(args, "3i",
	     "\t     args: <name>=fetcharg[:type]\n"
	     "\t fetcharg: (%<register>|$<efield>), @<address>, @<symbol>[+|-<offset>],\n"
	     "\t           $stack<index>, $stack, $retval, $comm, $arg<N>,\n");

/* Only a kernel that was built with pahole knows the names of parameters. */
static bool knows_names(void)
{
	return btf_vmlinux_size();
}
TRACE_README(argument_names, "3j",
	     "\t           <argname>[->field[->field|.field...]],\n"
	     "\t           (<struct>[,<field>])<fetcharg>->field[->field|.field...],\n",
	     .applies = knows_names);

TRACE_README(fetchargs, "3k",
	     "\t           +|-[u]<offset>(<fetcharg>), \\imm-value, \\\"imm-string\"\n"
	     "\t     type: s8/16/32/64, u8/16/32/64, x8/16/32/64, char, string, symbol,\n"
	     "\t           b<bit-width>@<bit-offset>/<container-size>, ustring,\n"
	     "\t           symstr, %pd/%pD, <type>\\[<array-size>\\]\n");
