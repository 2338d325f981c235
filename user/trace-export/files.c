/* Sends files of tracefs and proc as frames. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"

static int not_dots(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

long scan_directory(const char *directory, long (*fn)(void *arg, const char *path, const char *name), void *arg)
{
	struct dirent **entries;
	long count = result(scandir(directory, &entries, not_dots, alphasort)), ret = 0;
	char path[PATH_SIZE + 256];

	for (long i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
		ret = ret ? ret : fn(arg, path, entries[i]->d_name);
		free(entries[i]);
	}
	if (count < 0)
		return count;
	free(entries);
	return ret;
}

/* Sends a file under the name `name`. Skips a file that does not exist. */
static int send_file(struct trace_export *x, const char *path, const char *name)
{
	size_t head = strlen(name) + 1;
	u8 flags = EXPORT_FIRST;
	long fd = result(open(path, O_RDONLY));
	ssize_t n;

	if (fd < 0)
		return fd == -ENOENT ? 0 : (int)fd;
	do {
		size_t size = head;

		memcpy(x->link.payload, name, head);
		while ((n = result(read((int)fd, x->link.payload + size, EXPORT_PAYLOAD - size))) > 0 ||
		       export_go_on(x, n)) {
			size += n > 0 ? (size_t)n : 0;
			if (size == EXPORT_PAYLOAD)
				break;
		}
		if (n >= 0 && (size > head || flags) &&
		    export_link_send(&x->link, EXPORT_FILE, flags, 0, size))
			n = x->link.error;
		flags = 0;
	} while (n > 0);
	close((int)fd);
	return (int)n;
}

/* Sends a tracefs file under its own name: the instance's file, or else the top level's. */
static int send_trace_file(struct trace_export *x, const char *name)
{
	char path[PATH_SIZE];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", x->top, name);
	if (stat(path, &st) && errno == ENOENT)
		snprintf(path, sizeof(path), TRACEFS "/%s", name);
	return send_file(x, path, name);
}

/* Sends the format of an event, which is a directory. Skips files such as `enable`. */
static long send_format(void *x, const char *event, const char *name __attribute__((unused)))
{
	char path[PATH_SIZE];
	int error;

	snprintf(path, sizeof(path), "%s/format", event);
	error = send_file(x, path, path + strlen(TRACEFS "/"));
	return error == -ENOTDIR ? 0 : error;
}

/* Sends the formats of an event system, which is a directory of events. Skips plain files in
 * events/. */
static long send_formats(void *x, const char *path, const char *name __attribute__((unused)))
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return 0;
	return scan_directory(path, send_format, x);
}

int export_send_names(struct trace_export *x)
{
	static const char *const names[] = { "saved_cmdlines", "saved_tgids", "printk_formats" };
	int error = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(names) && !error; i++)
		error = send_trace_file(x, names[i]);
	return error;
}

int export_send_descriptions(struct trace_export *x)
{
	static const char *const names[] = { "events/header_page", "events/header_event",
					     "trace_clock", "current_tracer" };
	int error = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(names) && !error; i++)
		error = send_trace_file(x, names[i]);
	error = error ? error : (int)scan_directory(TRACEFS "/events", send_formats, x);
	error = error ? error : send_file(x, "/proc/kallsyms", "proc/kallsyms");
	return error ? error : export_send_names(x);
}

int export_send_stats(struct trace_export *x)
{
	char name[PATH_SIZE];
	int error = 0;

	for (unsigned cpu = 0; cpu < x->nr_cpus && !error; cpu++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
		error = send_trace_file(x, name);
	}
	return error;
}
