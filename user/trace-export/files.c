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

/* Sends the files that wait in the payload. The payload is free then. */
static int send_files(struct trace_export *x)
{
	size_t size = x->packed;

	x->packed = 0;
	return size ? export_link_send(&x->link, EXPORT_FILES, 0, 0, size) : 0;
}

/* Reads behind the first `size` bytes of the payload until the file ends or the payload is full. Returns the new size. */
static ssize_t fill(struct trace_export *x, int fd, size_t size)
{
	ssize_t n;

	while (size < EXPORT_PAYLOAD) {
		n = result(read(fd, x->link.payload + size, EXPORT_PAYLOAD - size));
		if (!n)
			break;
		if (n < 0 && !export_go_on(x, n))
			return n;
		size += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)size;
}

/* Sends a file that fills the payload in frames of its own: `size` bytes of it, and of its name, have been read. */
static int send_large_file(struct trace_export *x, int fd, size_t head, ssize_t size)
{
	u8 flags = EXPORT_FIRST;

	while (size > (ssize_t)head) {
		if (export_link_send(&x->link, EXPORT_FILE, flags, 0, (size_t)size))
			return x->link.error;
		flags = 0;
		size = fill(x, fd, head);
	}
	return size < 0 ? (int)size : 0;
}

/*
 * Puts a file into the payload, behind those that wait there: hundreds of small files with similar contents take few frames, and less room
 * together. A file that does not fit even alone is sent at once.
 */
static int put_file(struct trace_export *x, int fd, const char *name)
{
	size_t name_size = strlen(name) + 1, head = name_size + sizeof(u32), start = x->packed;
	ssize_t end;
	u32 size;

	if (start + head >= EXPORT_PAYLOAD) {
		if (send_files(x))
			return x->link.error;
		start = 0;
	}
	end = fill(x, fd, start + head);
	if (end == EXPORT_PAYLOAD && start) {
		if (send_files(x))
			return x->link.error;
		memmove(x->link.payload, x->link.payload + start, EXPORT_PAYLOAD - start);
		end = fill(x, fd, EXPORT_PAYLOAD - start);
		start = 0;
	}
	if (end < 0)
		return (int)end;
	memcpy(x->link.payload + start, name, name_size);
	if (end == EXPORT_PAYLOAD) {
		memmove(x->link.payload + name_size, x->link.payload + head, EXPORT_PAYLOAD - head);
		return send_large_file(x, fd, name_size, (ssize_t)(EXPORT_PAYLOAD - sizeof(u32)));
	}
	size = (u32)((size_t)end - start - head);
	memcpy(x->link.payload + start + name_size, &size, sizeof(size));
	x->packed = (size_t)end;
	return 0;
}

/* Sends a file under the name `name`, or lets it wait for send_files(). Skips a file that does not exist. */
static int send_file(struct trace_export *x, const char *path, const char *name)
{
	long fd = result(open(path, O_RDONLY));
	int error;

	if (fd < 0)
		return fd == -ENOENT ? 0 : (int)fd;
	error = put_file(x, (int)fd, name);
	close((int)fd);
	return error;
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
	return error ? error : send_files(x);
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
	return error ? error : send_files(x);
}
