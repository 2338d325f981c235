/*
 * execs: prints each program that is executed, and each process that ends, as it happens, until ^C.
 *
 *	execs
 *
 * A line with + is a program with its arguments, one with - the end of a process.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include "execs.h"
#include "execs.skel.h"

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

/* The arguments follow the event, each with a 0 behind it. */
static void print_arguments(const struct event *event)
{
	const char *text = (const char *)(event + 1);

	for (unsigned i = 0; i < event->args; i++) {
		if (i == 0 || !text[i - 1])
			putchar(' ');
		if (text[i])
			putchar(text[i]);
	}
}

static int print(void *context, void *data, size_t size)
{
	const struct event *event = data;

	(void)context, (void)size;
	if (event->args) {
		printf("+ %4d %4d", event->pid, event->ppid);
		print_arguments(event);
	} else {
		printf("- %4d %4d %s", event->pid, event->ppid, event->comm);
		if (WIFSIGNALED(event->exit_code))
			printf(", signal %d", WTERMSIG(event->exit_code));
		else
			printf(", status %d", WEXITSTATUS(event->exit_code));
		printf(" after %.1f ms", event->ran / 1e6);
	}
	putchar('\n');
	fflush(stdout);
	return 0;
}

int main(void)
{
	struct execs *skeleton = execs__open_and_load();
	struct ring_buffer *ring;
	int status = 1;

	if (!skeleton || execs__attach(skeleton))
		goto out;
	ring = ring_buffer__new(bpf_map__fd(skeleton->maps.events), print, NULL, NULL);
	if (!ring)
		goto out;
	signal(SIGINT, stop);
	printf("   PID PPID COMMAND\n");
	fflush(stdout);
	while (!stopped && (ring_buffer__poll(ring, -1) >= 0 || errno == EINTR))
		;
	if (skeleton->bss->lost)
		printf("%llu records were lost\n", skeleton->bss->lost);
	ring_buffer__free(ring);
	status = 0;
out:
	execs__destroy(skeleton);
	return status;
}
