/* Self-test of AF_UNIX: a message that comes together with the end of the connection is read. */
#include "arch/cpu/processor.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/threads.h"
#include "selftest/net/sockets.h"
#include "selftest/selftest.h"
#include "trace/ftrace/ftrace.h"

/* The task that has found no message, and stays in prepare_to_wait() until the peer is closed. */
static struct task_struct *reader;
static bool reader_waits, peer_closed;
static ssize_t first_read, second_read;

static void hold_reader(unsigned long ip __unused, unsigned long parent_ip __unused,
			struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	if (current != READ_ONCE(reader))
		return;
	WRITE_ONCE(reader_waits, true);
	while (!READ_ONCE(peer_closed))
		cpu_relax();
}

static struct ftrace_ops holder = { .func = hold_reader };

static void read_last_message(void *arg, unsigned index __unused)
{
	struct socket *sock = arg;
	char buf[4];

	WRITE_ONCE(reader, current);
	first_read = socket_recv(sock, buf, sizeof(buf), false);
	WRITE_ONCE(reader, NULL);
	second_read = socket_recv(sock, buf, sizeof(buf), false);
}

static void send_and_close_while_the_peer_begins_to_wait(struct selftest *test, unsigned type)
{
	struct socket *a = sock_create(AF_UNIX, type, 0), *b = sock_create(AF_UNIX, type, 0);
	struct test_group group;
	char message[] = "ab";

	ASSERT(!IS_ERR(a) && !IS_ERR(b));
	a->ops->socketpair(a, b);
	reader_waits = peer_closed = false;
	ASSERT(test_group_start(&group, 1, nth_online_cpu(1), read_last_message, a));
	while (!READ_ONCE(reader_waits))
		schedule_timeout(NSEC_PER_MSEC);
	EXPECT_EQ(socket_send(b, message, 2, false), 2);
	socket_close(b);
	WRITE_ONCE(peer_closed, true);
	test_group_wait(&group);
	EXPECT_EQ(first_read, 2);
	EXPECT_EQ(second_read, 0);
	socket_close(a);
}

SELFTEST(unix, a_message_before_the_end_is_read_by_one_who_begins_to_wait)
{
	if (num_online_cpus() == 1)
		return; /* the held task would keep the only CPU */
	ASSERT(run_on_nth_cpu(0));
	ASSERT(ftrace_set_filter_ip(&holder, (unsigned long)prepare_to_wait, false, true) == 0);
	ASSERT(register_ftrace_function(&holder) == 0);
	send_and_close_while_the_peer_begins_to_wait(test, SOCK_STREAM);
	send_and_close_while_the_peer_begins_to_wait(test, SOCK_SEQPACKET);
	EXPECT_EQ(unregister_ftrace_function(&holder), 0);
	run_on_any_cpu();
}
