/* Self-tests of the trace files: malformed writes give errors and change nothing. */
#include "fs/vfs/fs.h"
#include "fs/vfs/syscalls.h"
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
#include "selftest/trace/fuzz_text.h"
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
	if (strstr(file->name, "synthetic_events") || strstr(file->name, "dynamic_events") ||
	    strstr(file->name, "probe_events"))
		return memchr(data, '\n', length);
	return words > 1 && (strstr(file->name, "set_event") || is_function_filter(file) ||
			     memchr(data, ':', length));
}

/*
 * Returns whether the file shows a set of functions. As on Linux, a refused word leaves what the
 * words before it changed.
 */
static bool is_function_set(const char *file)
{
	static const char *const names[] = { "set_ftrace_filter", "set_ftrace_notrace",
					     "set_graph_function", "set_graph_notrace",
					     "stack_trace_filter" };
	const char *last = strrchr(file, '/');

	last = last ? last + 1 : file;
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(last, names[i]) == 0)
			return true;
	return false;
}

/* Gives a set of functions the content that was read from its file. */
static void put_function_set(const char *file, const char *content)
{
	put(file, "");
	for (const char *line = content, *end; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		/* Emptying leaves the probes. */
		if (*line != '#' && !memchr(line, ':', (size_t)(end - line)))
			put_mode(file, line, (size_t)(end - line), 0);
	}
}

/*
 * Writes the first words of data to a set of functions, each by itself, up to the first one that is
 * refused, and at most limit. Returns how many were accepted.
 */
static unsigned put_words(const char *file, const char *data, size_t length, unsigned limit)
{
	char word[FUZZ_MAX + 1];
	unsigned accepted = 0;
	size_t used = 0;

	for (size_t i = 0; i <= length && accepted < limit; i++) {
		bool ends = i == length || isspace(data[i]) || !data[i];

		word[used] = ends ? ' ' : data[i];
		if (!ends) {
			used++;
		} else if (used) {
			if (put_mode(file, word, used + 1, 0))
				break;
			accepted++;
			used = 0;
		}
	}
	return accepted;
}

/*
 * data was refused. Checks that the file shows what it showed before, changed by the words before
 * the refused one: the same set, to which only those words are written, is equal then.
 */
static void check_words_before_refused(struct selftest *test, const char *file, const char *data,
				       size_t length, const char *before)
{
	static char after[TEXT_SIZE];
	unsigned accepted;

	get_into(file, after, sizeof(after));
	if (strlen(before) == TEXT_SIZE - 1 || strlen(after) == TEXT_SIZE - 1)
		return; /* the file is longer than what could be read of it */
	put_function_set(file, before);
	accepted = put_words(file, data, length, FUZZ_MAX);
	put_function_set(file, before);
	EXPECT_EQ(put_words(file, data, length, accepted), accepted);
	if (strcmp(after, get(file)) != 0) {
		selftest_diag(test, "%s: %.*s gives %s, its first %u words give %s", file,
			      (int)length, data, after, accepted, text);
		EXPECT(!"the words before the refused one");
	}
}

/*
 * Does one write. With compare, checks that an error left the file unchanged, or changed a set of
 * functions by the words before the refused one. Returns the error.
 */
static long fuzz_once(struct selftest *test, const struct fuzz_file *file, int mode, bool compare)
{
	static char data[FUZZ_MAX], before[TEXT_SIZE];
	size_t length = fuzz_text(file->name, data);
	long error;

	compare = compare && !may_be_done_in_part(file, data, length);
	if (compare)
		get_into(file->name, before, sizeof(before));
	if ((mode & O_TRUNC) && is_function_set(file->name))
		before[0] = '\0'; /* opening empties it */
	error = put_mode(file->name, data, length, mode);
	if (error > 0 || error <= -4096) {
		selftest_diag(test, "%s: error %ld", file->name, error);
		EXPECT(!"an errno");
	}
	if (!error || !compare)
		return error;
	if (is_function_set(file->name)) {
		check_words_before_refused(test, file->name, data, length, before);
	} else if (strcmp(before, get(file->name)) != 0) {
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
