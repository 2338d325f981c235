/* Self-tests of the trace files: malformed writes give errors and change nothing. */
#include "fs/fs.h"
#include "fs/syscalls.h"
#include "kernel/init.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "selftest/selftest.h"
#include "trace/ftrace/internal.h"
#include "trace/livepatch/livepatch.h"
#include "selftest/trace/cmdline_patch.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/trace_array.h"

#define TEXT_SIZE TRACE_TEXT_SIZE
/* Writes to each file. selftest_fuzz= reduces them for kernels that are tested repeatedly. */
static unsigned long fuzz_writes = 10000;

static int __init fuzz_writes_setup(const char *value)
{
	return value ? kstrtoul(value, 10, &fuzz_writes) : -EINVAL;
}
__setup("selftest_fuzz", fuzz_writes_setup);
#define FUZZ_MAX   300U /* bytes of a write: more than the longest word of a filter */
#define FUZZ_FILES 1024U
#define INSTANCE   "instances/fuzz"
#define LIVEPATCH  "/sys/kernel/livepatch"
#define NAME_SIZE  64U

SELFTEST(trace, a_refused_write_says_why_and_changes_nothing)
{
	static const struct {
		const char *file, *data;
		long error;
	} refused[] = {
		{ "current_tracer", "bogus", -EINVAL },
		{ "current_tracer", "\n", -EINVAL },
		{ "trace_clock", "bogus", -EINVAL },
		{ "trace_options", "bogus", -EINVAL },
		{ "trace_options", "no", -EINVAL },
		{ "tracing_on", "x", -EINVAL },
		{ "options/raw", "2", -EINVAL },
		{ "options/test_nop_refuse", "1", -EINVAL },
		{ "buffer_size_kb", "0", -EINVAL },
		{ "buffer_size_kb", "1x", -EINVAL },
		{ "buffer_size_kb", "99999999999", -ENOMEM },
		{ "buffer_percent", "101", -EINVAL },
		{ "saved_cmdlines_size", "0", -EINVAL },
		{ "tracing_cpumask", "zz", -EINVAL },
		{ "set_ftrace_pid", "-1", -EINVAL },
		{ "set_ftrace_pid", "1 2 x", -EINVAL },
		{ "set_graph_function", "no_such\n", -EINVAL },
		{ "set_graph_function", "1\n", -EINVAL },
		{ "set_graph_notrace", "!vfs_read\n", -EINVAL },
		{ "max_graph_depth", "-1", -EINVAL },
		{ "max_graph_depth", "18446744073709551616", -ERANGE },
		{ "tracing_thresh", "1 2", -EINVAL },
		{ "options/funcgraph-tail", "2", -EINVAL },
		{ "README", "x", -EINVAL },
		{ "available_tracers", "x", -EINVAL },
	};
	char *before = kmalloc(TEXT_SIZE, GFP_KERNEL);

	ASSERT(before);
	reset();
	for (unsigned i = 0; i < ARRAY_SIZE(refused); i++) {
		long error;

		get_into(refused[i].file, before, TEXT_SIZE);
		error = put_mode(refused[i].file, refused[i].data, strlen(refused[i].data), 0);
		if (error != refused[i].error || strcmp(before, get(refused[i].file)) != 0) {
			selftest_diag(test, "%s to %s: %ld, then %s", refused[i].data,
				      refused[i].file, error, text);
			EXPECT(!"refused as it should be");
		}
	}
	kfree(before);
}

/* ---- every file that can be written gets 10,000 random and malformed writes ---- */

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

/* Writes a word, a damaged word, several words, noise; sometimes very long. Returns the length. */
static size_t fuzz_text(const struct fuzz_words *w, char data[FUZZ_MAX])
{
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

/* ---- the files ---- */

struct fuzz_file {
	char name[NAME_SIZE];
	bool readable, writable;
	char *before; /* the content at the start, if the file shows a state */
};

static struct fuzz_file *fuzz_files; /* FUZZ_FILES elements */
static unsigned nr_fuzz_files;

static void add_file(const char *name, umode_t mode)
{
	struct fuzz_file *file = &fuzz_files[nr_fuzz_files];

	if (nr_fuzz_files == FUZZ_FILES)
		return;
	nr_fuzz_files++;
	strscpy(file->name, name, sizeof(file->name));
	file->readable = mode & 0444;
	file->writable = mode & 0222;
}

static void find_files(const char *dir);

/* Returns whether dir is an event or a system of events that stands for all others. */
static bool is_chosen_event(const char *dir, const char *entry)
{
	static const char *const chosen[] = { "sched", "sched_switch", "ftrace", "print" };
	const char *events = strstr(dir, "events");

	if (!events || (events > dir && events[-1] != '/') || (events[6] && events[6] != '/'))
		return true; /* no directory of events */
	for (unsigned i = 0; i < ARRAY_SIZE(chosen); i++)
		if (strcmp(entry, chosen[i]) == 0)
			return true;
	return false;
}

static void add_entry(const char *dir, const char *entry)
{
	char name[NAME_SIZE], path[128];
	struct kstat st;

	snprintf(name, sizeof(name), "%s%s%s", dir, *dir ? "/" : "", entry);
	snprintf(path, sizeof(path), "%s%s", *name == '/' ? "" : TRACING, name);
	if (entry[0] == '.' || vfs_stat(path, true, &st))
		return;
	if (S_ISDIR(st.st_mode) && is_chosen_event(dir, entry))
		find_files(name);
	else if (!S_ISDIR(st.st_mode))
		add_file(name, st.st_mode);
}

/* Adds all files below dir: a path in tracefs, or one that begins with '/'. dir may not exist. */
static void find_files(const char *dir)
{
	size_t size = 1024;
	char path[128], *buf = kmalloc(size, GFP_KERNEL);
	long fd, length;

	snprintf(path, sizeof(path), "%s%s", *dir == '/' ? "" : TRACING, dir);
	fd = sys_open(path, O_RDONLY | O_DIRECTORY, 0);
	while (buf && fd >= 0 && (length = sys_getdents64((int)fd, buf, size)) > 0)
		for (long at = 0; at < length;) {
			struct linux_dirent64 *entry = (struct linux_dirent64 *)(buf + at);

			add_entry(dir, entry->d_name);
			at += entry->d_reclen;
		}
	if (fd >= 0)
		sys_close((int)fd);
	kfree(buf);
}

/* Excludes trace, which changes by itself, and error_log, which changes with each error. */
static bool shows_a_state(const struct fuzz_file *file)
{
	const char *last = strrchr(file->name, '/');

	last = last ? last + 1 : file->name;
	return file->readable && file->writable && strcmp(last, "trace") != 0 &&
	       strcmp(last, "error_log") != 0;
}

/* Enables the patch again: a write to its files may have disabled it. */
static void load_livepatch(void)
{
	klp_wait_for_transition();
	klp_enable_patch(&cmdline_patch); /* -EBUSY: it is enabled */
	klp_wait_for_transition();
}

static void unload_livepatch(void)
{
	put(CMDLINE_PATCH "/enabled", "0");
	klp_wait_for_transition();
}

/* Returns whether the file is the filter of an event or of a system. */
static bool is_event_filter(const struct fuzz_file *file)
{
	const char *last = strrchr(file->name, '/');

	return last && strcmp(last, "/filter") == 0;
}

static void remove_triggers(const char *file)
{
	static const char *const lines[] = { "!traceon", "!snapshot", "!stacktrace",
					     "!enable_event:sched:sched_kthread_stop" };

	for (unsigned i = 0; i < ARRAY_SIZE(lines); i++)
		put_patiently(file, lines[i], O_APPEND);
	put_mode(file, "hist:", 5, O_TRUNC); /* opening removes histograms; the line is refused */
	/* What the triggers may have done to their trace_array. */
	if (strstarts(file, INSTANCE)) {
		put(INSTANCE "/tracing_on", "1");
		put(INSTANCE "/events/enable", "0");
		put(INSTANCE "/snapshot", "0");
	} else {
		put("tracing_on", "1");
		put("events/enable", "0");
		put("snapshot", "0");
	}
}

/* Restores the content that the file had at the start. */
static void restore_file(const struct fuzz_file *file)
{
	char *rest = file->before, *line, *chosen = strchr(rest, '[');

	if (strstr(file->name, "set_ftrace_filter"))
		remove_probes(file->name);
	if (strstr(file->name, "/trigger"))
		remove_triggers(file->name);
	if (chosen) {
		line = kstrdup(chosen + 1, GFP_KERNEL);
		if (line && strchr(line, ']')) {
			*strchr(line, ']') = '\0';
			put(file->name, line);
		}
		kfree(line);
	} else if (strstr(rest, "* Snapshot is freed *")) {
		put(file->name, "0");
	} else if (strstarts(rest, "off")) {
		put(file->name, "0");
	} else if (is_event_filter(file)) {
		put(file->name, "0");
	} else if (!*rest || *rest == '#' || strstarts(rest, "no pid")) {
		put(file->name, "");
	} else {
		for (rest = line = kstrdup(rest, GFP_KERNEL); rest && *rest;) {
			char *one = strsep(&rest, "\n");

			if (*one)
				put(file->name, one);
		}
		kfree(line);
	}
}

/* Sets of functions: words are added, and with O_TRUNC they replace the set. */
static bool is_function_filter(const struct fuzz_file *file)
{
	return !strstr(file->name, "_pid") &&
	       (strstr(file->name, "set_ftrace_filter") ||
		strstr(file->name, "set_ftrace_notrace") || strstr(file->name, "set_graph_") ||
		strstr(file->name, "stack_trace_filter"));
}

/*
 * Returns true for several words, if the first one takes effect before a later one fails: events,
 * functions, and commands of function probes. So do the first of several lines that define events.
 */
static bool may_be_done_in_part(const struct fuzz_file *file, const char *data, size_t length)
{
	unsigned words = 0;

	for (size_t i = 0; i < length; i++)
		words += !isspace(data[i]) && (i == 0 || isspace(data[i - 1]));
	if (strstr(file->name, "synthetic_events") || strstr(file->name, "dynamic_events"))
		return memchr(data, '\n', length);
	return words > 1 && (strstr(file->name, "set_event") || is_function_filter(file) ||
			     memchr(data, ':', length));
}

/* Does one write. With compare, checks that an error left the file unchanged. Returns the error. */
static long fuzz_once(struct selftest *test, const struct fuzz_file *file, int mode, bool compare)
{
	static char data[FUZZ_MAX], before[TEXT_SIZE];
	size_t length = fuzz_text(words_of(file->name), data);
	long error;

	compare = compare && !may_be_done_in_part(file, data, length);
	if (compare)
		get_into(file->name, before, sizeof(before));
	error = put_mode(file->name, data, length, mode);
	if (error > 0 || error <= -4096) {
		selftest_diag(test, "%s: error %ld", file->name, error);
		EXPECT(!"an errno");
	}
	if (error && compare && strcmp(before, get(file->name)) != 0) {
		selftest_diag(test, "%s: %.*s refused (%ld), and changed it to %s", file->name,
			      (int)length, data, error, text);
		EXPECT(!"unchanged");
	}
	return error;
}

/*
 * Does fuzz_writes writes. Checks that an error leaves the file unchanged: after each write, or,
 * for files with long content, after each 32nd write. Replaces a filter sometimes, so that it stays
 * short; a refused word changes nothing, but O_TRUNC has emptied the filter. Returns how many
 * writes were refused.
 */
static unsigned fuzz_file(struct selftest *test, const struct fuzz_file *file)
{
	bool is_filter = is_function_filter(file);
	bool is_long = is_filter || strstr(file->name, "trace_options") ||
		       strstr(file->name, "filter") || strstr(file->name, "graph");
	unsigned refused = 0;

	bool is_livepatch = strstarts(file->name, LIVEPATCH);

	for (unsigned i = 0; i < fuzz_writes; i++) {
		int mode = i % 8 ? 0 : is_filter ? O_TRUNC : O_APPEND;
		/* A refused filter is shown with the reason, as in Linux. */
		bool compare = file->before && (!is_long || i % 32 == 1) && !is_livepatch &&
			       !is_event_filter(file);
		long error = fuzz_once(test, file, mode, compare);

		refused += error < 0;
		if (is_livepatch && error == -ENOENT)
			load_livepatch();
		cond_resched();
	}
	return refused;
}

/* Fuzzes the file of the storm first: the storm checks that nothing is traced at its end. */
static unsigned fuzz_storm(struct selftest *test)
{
	static const struct fuzz_file storm = { .name = "/sys/kernel/debug/ftrace_storm",
						.writable = true };
	unsigned refused = fuzz_file(test, &storm);

	EXPECT_EQ(put(storm.name, "0"), 0);
	reset();
	return refused;
}

static void note_state(struct fuzz_file *file)
{
	if (!shows_a_state(file))
		return;
	file->before = kmalloc(TEXT_SIZE, GFP_KERNEL);
	if (file->before)
		get_into(file->name, file->before, TEXT_SIZE);
}

/* Reads the whole file. Returns true if that gave no error. Consuming files do not wait. */
static bool can_be_read(const struct fuzz_file *file)
{
	long error = file->readable ? get_into(file->name, text, sizeof(text)) : 0;

	return error >= 0 || error == -EAGAIN;
}

SELFTEST(trace, thousands_of_malformed_writes_to_each_file_give_only_errors)
{
	unsigned refused = 0, writable = 0;

	fuzz_files = kcalloc(FUZZ_FILES, sizeof(*fuzz_files), GFP_KERNEL);
	ASSERT(fuzz_files);
	nr_fuzz_files = 0;
	reset();
	EXPECT(fuzz_storm(test) > fuzz_writes / 2);
	EXPECT_EQ(put("buffer_size_kb", "64"), 0);
	EXPECT_EQ(sys_mkdir(TRACING INSTANCE, 0755), 0);
	EXPECT_EQ(put(INSTANCE "/buffer_size_kb", "64"), 0);
	add_file("/proc/sys/kernel/stack_tracer_enabled", 0644); /* changes stack_max_size below */
	find_files("");
	load_livepatch();
	find_files(LIVEPATCH);
	EXPECT(nr_fuzz_files > 120 && nr_fuzz_files < FUZZ_FILES);
	for (unsigned i = 0; i < nr_fuzz_files; i++)
		note_state(&fuzz_files[i]);
	for (unsigned i = 0; i < nr_fuzz_files; i++) {
		if (!fuzz_files[i].writable)
			continue;
		writable++;
		refused += fuzz_file(test, &fuzz_files[i]);
		if (strstarts(fuzz_files[i].name, LIVEPATCH))
			load_livepatch();
		else if (fuzz_files[i].before)
			restore_file(&fuzz_files[i]);
		/* The next file is fuzzed without a tracer, and with a buffer of the usual size. */
		put("current_tracer", "nop");
		put("buffer_size_kb", "64");
	}
	selftest_diag(test, "%u files, %u writes refused", writable, refused);
	EXPECT(writable > 100 && refused > writable * fuzz_writes / 4);

	for (unsigned i = 0; i < nr_fuzz_files; i++) {
		struct fuzz_file *file = &fuzz_files[i];

		EXPECT(can_be_read(file));
		if (file->before && strcmp(file->before, get(file->name)) != 0) {
			selftest_diag(test, "%s says %s, not %s", file->name, text, file->before);
			EXPECT(!"as before");
		}
		kfree(file->before);
	}
	kfree(fuzz_files);
	unload_livepatch();
	EXPECT_EQ(sys_rmdir(TRACING INSTANCE), 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	reset();
	EXPECT_EQ(put("trace_marker", "alive"), 0);
	EXPECT(strstr(get("trace"), "alive"));
	EXPECT(trace_one_call());
	EXPECT(strstr(get("trace"), "ftrace_target_add <-"));
	reset();
}
