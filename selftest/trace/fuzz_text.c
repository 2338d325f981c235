/* Texts of the fuzzer of trace files: selftest/trace/fuzz_text.h. */
#include "selftest/trace/fuzz_text.h"

#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"

/* The parts of the texts that are written to a file. */
struct fuzz_words {
	const char *file;  /* the end of its name; NULL: all other files */
	unsigned valid_in; /* one of this many writes is an unchanged word */
	unsigned digits;   /* at most this many in a row (a size costs memory); 0: no limit */
#define NO_DIGITS 100      /* no digit except 0 */
	const char *words[24];
};

#define NOWHERE "18446744073709551616"

static const struct fuzz_words fuzz_words[] = {
	{ "current_tracer",
	  512,
	  0,
	  { "function", "function_graph", "nop", "bogus", "function ", "nop nop" } },
	{ "trace_clock", 16, 0, { "local", "global", "mono", "x86-tsc", "counter", "[local]" } },
	{ "trace_options",
	  16,
	  0,
	  { "raw", "noraw", "sym-addr", "nosym-addr", "nopause-on-trace", "overwrite", "no", "nono",
	    "test_nop_accept", "notest_nop_accept", "test_nop_refuse" } },
	{ "_pid", 8, 0, { "1", "2 3", "!1", "32767", "32768", "-1", "no pid", NOWHERE, "0" } },
	{ "size_kb", 16, 2, { "8", "64", "0", "-1", "1 2", NOWHERE, "36028797018963968", "0x10" } },
	{ "saved_cmdlines_size", 16, 3, { "128", "1", "0", "-5", "99999", NOWHERE } },
	{ "tracing_cpumask", 8, 0, { "1", "3", "ff", "ffffffff,ffffffff", "0", "1,2", "zz" } },
	{ "buffer_percent", 8, 0, { "0", "50", "100", "101", "-1", NOWHERE } },
	{ "tracing_on", 8, 0, { "0", "1", "2", "-1", "on" } },
	{ "set_event",
	  64,
	  0,
	  { "sched:sched_kthread_stop", "!sched:sched_kthread_stop", "rcu:", "!rcu", "nosuch",
	    "sched:nosuch", "sched_*", "!", ":mod:x", "sched_switch:" } },
	{ "synthetic_events",
	  16,
	  0,
	  { "ev u64 a", "ev u64 a; char b[16]; char c[]", "ev unsigned long s[]", "!ev", "x int",
	    "ev char a[999]", "ev unsigned a", "!", ";;", "a-b u64 a", "ev u64 a; u64" } },
	{ "dynamic_events",
	  16,
	  0,
	  { "s:ev u64 a", "-:ev", "e:p sched.sched_switch a=$next_pid:s32 if next_pid > 1",
	    "e sched.sched_switch a=+0(+8($prev_pid)):string[4]", "!e:p", "-:", "e:a/b/c x.y",
	    "e:q sched/sched_switch b=\\\"x\" c=@schedule+4:x8[3] d=\\-5", "s:synthetic/x int a",
	    "e:p sched.sched_switch a=$next_prio:b4@2/32 a=$comm", "-:eprobes/", "e:p" } },
	{ "inject",
	  8,
	  0,
	  { "next_pid=5 next_comm=\"x\"", "prev_pid=-1", "prev_state=0x10", "next_comm='it\\'s'",
	    "nosuch=1", "common_pid=7", "common_type=1", "next_comm=5", "next_pid=\"x\"",
	    "buf=\"x\"", "cpu=1", "prev_pid=" NOWHERE } },
	{ "trace_marker_raw", 8, 0, { "four", "ids and data", "x", "\n" } },
	{ "trace_marker", 8, 0, { "a text", "%s%n%d", "\n", "\x1b[2J" } },
	{ "/filter",
	  8,
	  0,
	  { "common_pid == 1", "comm == \"x\"", "prev_comm ~ '*a*'", "prev_pid & 0x10", "(",
	    "!(pid > -1)", "cpu != 0 && prev_prio <= 120", "prev_state ==", "0",
	    "prev_comm == 'x' || next_prio >= 1", "comm", "next_pid == 99999999999999999999" } },
	/* Counts of 0 only, because the events occur meanwhile. */
	{ "/trigger",
	  8,
	  NO_DIGITS,
	  { "traceon:0",
	    "!traceon",
	    "traceoff:0 if prev_comm == \"x\"",
	    "!traceoff",
	    "snapshot:0 if common_pid < -0",
	    "!snapshot",
	    "stacktrace:0",
	    "!stacktrace",
	    "enable_event:sched:sched_kthread_stop",
	    "!enable_event:sched:sched_kthread_stop",
	    "disable_event:sched:nosuch",
	    "stacktrace if (",
	    "hist:keys=prev_pid:vals=prev_prio,next_prio,hitcount:sort=nosuch",
	    "hist:keys=next_pid:x=prev_pid-$nosuch*x:onmatch(sched.sched_waking).trace(no,$x)",
	    "hist:keys=prev_pid:a=prev_prio,b=-(a+x)/0:onmax($a).save(prev_comm,nosuch)",
	    "hist:name=n:keys=stacktrace,common_pid.execname:onchange($y).snapshot()",
	    "hist:keys=prev_comm.hex:clock=bogus if prev_pid >",
	    "!hist:keys=prev_pid",
	    "hist:keys=ip:vals=buf.percent",
	    "hist:keys=,:vals=.graph",
	    "enable_hist:sched:nosuch" } },
	/* The functions with probes are not called meanwhile, so the counts do not change. */
	{ "filter",
	  8,
	  0,
	  { "schedule", "!vfs_read", "no_such", "1", "99999", "vfs_*", "schedule:bogus",
	    "!:", "ftrace_many_*:traceoff:7", "!ftrace_many_1:traceoff:0",
	    "ftrace_target_*:stacktrace", "!ftrace_target_*:stacktrace" } },
	/*
	 * Probes stay few: each 8th write begins with O_APPEND, and each name is one event.
	 */
	{ "kprobe_events",
	  8,
	  0,
	  { "p:f vfs_read $arg1 b=+8($arg2):x32", "r:f2 vfs_read $retval:s64", "-:f", "-:f2",
	    "p:g/h vfs_write+5 %ax:b3@5/32", "-:g/h", "p vfs_read:", "p:m nomod:func c=$comm",
	    "p 0x10", "r9:x schedule+1", "p:i vfs_read +u0(+8(%di)):ustring[3]",
	    "p:j vfs_read @linux_proc_banner:string[4] \\4:u8", "p:k vfs_read%return $stack99",
	    "!p:f vfs_read", "-:kprobes/nosuch x=%ax" } },
	{ "uprobe_events",
	  8,
	  0,
	  { "p:u /init:0x10 %ax", "r:v /init:0x10(0x20) +0(%sp):string", "-:u", "-:v", "p /:0",
	    "p /nosuch:1", "p:w /init:16%return(8) $retval", "r /init:0x10(", "-:w",
	    "p:g/x /init:0x18446744073709551616", "p /init:0x10 @+8:u8[65]", "-:uprobes/none" } },
	{ "max_graph_depth", 8, 0, { "0", "1", "50", "4294967295", "-1", NOWHERE, "0x1", " 1" } },
	{ "tracing_thresh", 8, 0, { "0", "1", "100000", "-1", NOWHERE, "18446744073709551615" } },
	{ "notrace", 8, 0, { "schedule", "vfs_read", "!vfs_read", "no_such", "0", "vfs_?[a-r]*" } },
	/* A word that means no removes the file: see load_livepatch(). */
	/* 0 s: one round. No other valid numbers, because a storm takes that many seconds. */
	{ "ftrace_storm", 4096, NO_DIGITS, { "0", "-1", "86401", NOWHERE, "0x0", "" } },
	{ "enabled", 64, 0, { "1", "2", "on", "yes", "-1", NOWHERE, "please" } },
	{ NULL,
	  32,
	  0,
	  { "0", "1", "2", "8", "-1", NOWHERE, "vfs_read", "schedule", "vfs_*", "!vfs_*", "*x*y*",
	    "[a-" } },
};

/* xorshift, with a fixed seed: each run has the same texts. */
static u64 fuzz_random(void)
{
	static u64 x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static const struct fuzz_words *words_of(const char *file)
{
	const struct fuzz_words *w = fuzz_words;
	size_t length = strlen(file);

	while (w->file &&
	       (strlen(w->file) > length || strcmp(file + length - strlen(w->file), w->file) != 0))
		w++;
	return w;
}

static const char *some_word(const struct fuzz_words *w)
{
	unsigned n = 0;

	while (n < ARRAY_SIZE(w->words) && w->words[n])
		n++;
	return w->words[fuzz_random() % n];
}

/* Mostly characters of names and numbers, because other bytes are refused at once. */
static char noise(void)
{
	static const char common[] = "abcdefghilmnoprstuvwxyz0123456789__--";
	static const char special[] = "*?[]!^:,.;#@%\\\"' \t\n";
	u64 r = fuzz_random();

	if (r % 64 == 0)
		return (char)(r >> 8);
	return r % 16 ? common[(r >> 8) % (sizeof(common) - 1)]
		      : special[(r >> 8) % (sizeof(special) - 1)];
}

static void shorten_digits(char *data, size_t length, unsigned max)
{
	unsigned run = 0;

	for (size_t i = 0; i < length; i++) {
		run = isdigit(data[i]) ? run + 1 : 0;
		if (run > max || (max == NO_DIGITS && run && data[i] != '0'))
			data[i] = 'x';
	}
}

size_t fuzz_text(const char *file, char data[FUZZ_MAX])
{
	const struct fuzz_words *w = words_of(file);
	size_t length = 0, most = fuzz_random() % 128 ? 16 : FUZZ_MAX;
	unsigned kind = fuzz_random() % 4;

	if (fuzz_random() % w->valid_in == 0)
		return (size_t)scnprintf(data, FUZZ_MAX, "%s%s", some_word(w), kind ? "\n" : "");
	for (unsigned words = kind == 3 ? 3 : kind ? 1 : 0; words; words--)
		length += (size_t)scnprintf(data + length, FUZZ_MAX - length, "%s%s", some_word(w),
					    words > 1 ? " " : "");
	if (!length)
		for (most = fuzz_random() % most; length < most; length++)
			data[length] = noise();
	for (unsigned damage = 1 + fuzz_random() % 3; damage && length; damage--)
		data[fuzz_random() % length] = noise();
	if (fuzz_random() % 4 == 0)
		length = fuzz_random() % (length + 1);
	if (w->digits)
		shorten_digits(data, length, w->digits);
	return length;
}
