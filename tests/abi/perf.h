/*
 * What the programs about perf_event_open(2) share: one line of output for each attempt, "case -> result".
 *
 * An attempt that says nothing else counts the page faults of the calling task, in the kernel too.
 */
#pragma once
#include "abi.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <sys/mount.h>

#define PAGE 4096

/* An attempt repeats a field that ATTR() has set already: the last value is meant. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define ATTR(...)                                                                                                            \
	(struct perf_event_attr)                                                                                             \
	{                                                                                                                    \
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr), .config = PERF_COUNT_SW_PAGE_FAULTS, __VA_ARGS__ \
	}

static inline int perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

/* Prints "what -> ok" or the name of the error. Returns the result. */
static inline long said(const char *what, long result)
{
	show("%s -> %s", what, result >= 0 ? "ok" : error_name(errno));
	return result;
}

/* Opens an event and keeps it; says nothing. */
#define EVENT_ON(pid, cpu, group, flags, ...) perf_open(&ATTR(__VA_ARGS__), pid, cpu, group, flags)
#define EVENT(...)                            EVENT_ON(0, -1, -1, 0, __VA_ARGS__)

/* Opens an event, says what came of it, and closes it. */
static inline void tried(const char *what, int fd)
{
	said(what, fd);
	if (fd >= 0)
		close(fd);
}

#define TRY_ON(what, pid, cpu, group, flags, ...) tried(what, EVENT_ON(pid, cpu, group, flags, __VA_ARGS__))
#define TRY(what, ...)                            tried(what, EVENT(__VA_ARGS__))

/* Maps the buffer of an event: its first page, and so many pages of data. MAP_FAILED: an error. */
static inline struct perf_event_mmap_page *map_buffer(int fd, int pages)
{
	return mmap(NULL, (size_t)(1 + pages) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* The count of an event that has no read_format. -1: it cannot be read. */
static inline long count_of(int fd)
{
	uint64_t value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? (long)value : -1;
}

/* Writes a number into a file of /proc/sys/kernel. */
static inline int set_sysctl(const char *name, int value)
{
	char path[100];
	int fd, good;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	fd = open(path, O_WRONLY);
	good = fd >= 0 && dprintf(fd, "%d\n", value) > 0;
	if (fd >= 0)
		close(fd);
	if (!good)
		show("%s cannot be set", name);
	return good;
}

/* The number in a file, such as an event's id. -1: none. */
static inline int number_in(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY), size = fd < 0 ? -1 : (int)read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return size > 0 ? atoi(text) : -1;
}

/* Runs fn in a child of user 1000, who has no capabilities, and waits for it. */
static inline void as_user(void (*fn)(void))
{
	pid_t pid = fork();

	if (!pid) {
		if (setgid(1000) || setuid(1000))
			_exit(99);
		fn();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Fresh pages of this process, which no fault has filled yet. */
static inline volatile char *fresh_pages(int count)
{
	return mmap(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static inline void touch(volatile char *pages, int count)
{
	for (int i = 0; i < count; i++)
		pages[i * PAGE] = 1;
}

/* tracefs, below the directory of the program. It must be gone before something can end the program: tests/abi/run removes the directory. */
static inline void mount_tracefs(void)
{
	mkdir("t", 0755);
	said("mount tracefs", mount("none", "t", "tracefs", 0, NULL));
}

static inline void umount_tracefs(void)
{
	umount("t");
}
