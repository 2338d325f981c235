/* Signals of overflows: REFRESH, SIGIO with F_SETSIG and F_SETOWN_EX, poll, and SIGTRAP of the event itself. */
#include "perf.h"

#include <linux/hw_breakpoint.h>

static volatile uint64_t watched;
static volatile int signals, last_code, last_fd, last_number;
static volatile unsigned long last_data, last_address;

static void handler(int number, siginfo_t *info, void *context)
{
	signals++;
	last_number = number;
	last_code = info->si_code;
	if (number == SIGTRAP) {
		/* glibc 2.36 has no name for si_perf_data; it stands behind si_addr. */
		last_address = (unsigned long)info->si_addr;
		last_data = *(unsigned long *)((char *)&info->si_addr + sizeof(void *));
	} else {
		last_fd = info->si_fd;
	}
}

static void catch_signal(int number)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(number, &action, NULL);
}

#define WATCH .type = PERF_TYPE_BREAKPOINT, .config = 0, .bp_type = HW_BREAKPOINT_W, .bp_addr = (unsigned long)&watched, .bp_len = 8

static const char *code_name(int code)
{
	return code == POLL_IN ? "POLL_IN" : code == POLL_HUP ? "POLL_HUP" : "other";
}

/* Writes the watched word, and says what signal each write has led to. */
static void writes(int count, int fd)
{
	for (int i = 0; i < count; i++) {
		int before = signals;

		watched = (unsigned)i;
		getppid(); /* a signal of an interrupt comes at the latest when the program leaves the kernel */
		if (signals == before)
			show("write %d: no signal", i + 1);
		else
			show("write %d: signal %d, %s, %s descriptor", i + 1, last_number, code_name(last_code), last_fd == fd ? "its" : "another");
	}
}

static void owned(int fd)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid) };

	CALL(fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK));
	CALL(fcntl(fd, F_SETSIG, SIGUSR1));
	CALL(fcntl(fd, F_SETOWN_EX, &owner));
}

static void refresh(void)
{
	int fd = EVENT(WATCH, .sample_period = 1, .disabled = 1, .exclude_kernel = 1);
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	void *buffer;

	owned(fd);
	writes(1, fd);
	said("REFRESH 0", ioctl(fd, PERF_EVENT_IOC_REFRESH, 0));
	said("REFRESH 2", ioctl(fd, PERF_EVENT_IOC_REFRESH, 2));
	writes(3, fd);
	show("counted: %ld", count_of(fd));
	said("REFRESH 1", ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	writes(2, fd);
	show("counted: %ld", count_of(fd));
	said("ENABLE", ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	writes(2, fd);
	said("DISABLE", ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	buffer = map_buffer(fd, 1);
	poll(&polled, 1, 0);
	show("poll before REFRESH 1: %#x", polled.revents);
	said("REFRESH 1", ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	writes(1, fd);
	poll(&polled, 1, 0);
	show("poll after it: %#x", polled.revents);
	poll(&polled, 1, 0);
	show("poll again: %#x", polled.revents);
	munmap(buffer, 2 * PAGE);
	close(fd);
	fd = EVENT(WATCH, .sample_period = 1, .disabled = 1, .exclude_kernel = 1, .inherit = 1);
	said("REFRESH of an inherited event", ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	close(fd);
	fd = EVENT(WATCH, .sample_period = 3, .disabled = 1, .exclude_kernel = 1);
	owned(fd);
	said("ENABLE, period 3", ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	writes(6, fd);
	said("PERIOD 2", ioctl(fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){ 2 }));
	writes(4, fd);
	said("PERIOD 0", ioctl(fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){ 0 }));
	said("PERIOD 1 << 63", ioctl(fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){ 1UL << 63 }));
	close(fd);
}

static void trap(void)
{
	int fd = EVENT(WATCH, .sample_period = 1, .exclude_kernel = 1, .sigtrap = 1, .remove_on_exec = 1, .sig_data = 0x1234);
	sigset_t set, old;
	int before = signals;
	pid_t pid;
	int status;

	said("sigtrap", fd);
	watched = 1;
	show("signals %d, number %d, code %d, data %#lx, address %s", signals - before, last_number, last_code, last_data,
	     last_address == (unsigned long)&watched ? "right" : "other");
	watched = 2;
	show("signals %d", signals - before);
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	pid = fork();
	if (!pid) {
		watched = 3;
		show("a child: signals %d", signals - before);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	close(fd);
	fd = EVENT(WATCH, .sample_period = 1, .exclude_kernel = 1, .sigtrap = 1, .remove_on_exec = 1, .inherit = 1, .inherit_thread = 1);
	said("sigtrap, inherited to threads", fd);
	close(fd);
	pid = fork();
	if (!pid) {
		signal(SIGTRAP, SIG_DFL);
		EVENT(WATCH, .sample_period = 1, .exclude_kernel = 1, .sigtrap = 1, .remove_on_exec = 1);
		watched = 4;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	show_status("without a handler", status);
	sigprocmask(SIG_BLOCK, &set, &old);
	fd = EVENT(WATCH, .sample_period = 1, .exclude_kernel = 1, .sigtrap = 1, .remove_on_exec = 1);
	before = signals;
	watched = 5;
	show("blocked: %d", signals - before);
	sigprocmask(SIG_SETMASK, &old, NULL);
	show("then: %d", signals - before);
	close(fd);
}

int main(void)
{
	catch_signal(SIGUSR1);
	catch_signal(SIGIO);
	catch_signal(SIGTRAP);
	refresh();
	trap();
	return 0;
}
