/* Self-tests of vhangup(2). */
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

struct reader {
	struct tty_struct *tty;
	ssize_t result;
};

static void read_as_opened(void *arg, unsigned index __unused)
{
	struct reader *reader = arg;
	struct tty_struct *tty = reader->tty;
	char c;

	reader->result =
		tty_read(tty, &c, 1, (struct tty_user){ .hangups = READ_ONCE(tty->hangups) });
}

SELFTEST(tty, vhangup_ends_a_read_and_leaves_the_console_open)
{
	struct reader reader = { .tty = tty_find(0), .result = -1 };
	struct tty_user before, console = { .stays = true };
	struct test_group group;

	ASSERT(reader.tty);
	before = (struct tty_user){ .hangups = READ_ONCE(reader.tty->hangups) };
	console.hangups = before.hangups;
	EXPECT(!tty_user_is_hung_up(reader.tty, before));
	ASSERT(test_group_start(&group, 1, ANY_CPU, read_as_opened, &reader));
	while (!tty_has_waiting_reader(reader.tty))
		cond_resched();
	tty_hangup(reader.tty, false);
	test_group_wait(&group);
	EXPECT_EQ(reader.result, 0);
	EXPECT(tty_user_is_hung_up(reader.tty, before));
	EXPECT(!tty_user_is_hung_up(reader.tty, console));
	EXPECT(!tty_user_is_hung_up(
		reader.tty, (struct tty_user){ .hangups = READ_ONCE(reader.tty->hangups) }));
}

/* The reader has not run since vhangup(2) has woken it. */
SELFTEST(tty, a_read_that_vhangup_ends_takes_no_later_input)
{
	struct reader reader = { .tty = tty_find(0), .result = -1 };
	struct test_group group;
	u32 c_lflag;

	ASSERT(reader.tty);
	c_lflag = reader.tty->ldata.termios.c_lflag;
	reader.tty->ldata.termios.c_lflag &= ~ECHO;
	ASSERT(test_group_start(&group, 1, ANY_CPU, read_as_opened, &reader));
	while (!tty_has_waiting_reader(reader.tty))
		cond_resched();
	WRITE_ONCE(reader.tty->hangups, reader.tty->hangups + 1);
	mutex_lock(&reader.tty->buf_lock);
	EXPECT_EQ(n_tty_receive_buf(reader.tty, (const u8 *)"x\n", NULL, 2), 2);
	mutex_unlock(&reader.tty->buf_lock);
	test_group_wait(&group);
	EXPECT_EQ(reader.result, 0);
	EXPECT_EQ(n_tty_flush(reader.tty, TCIFLUSH), 0);
	reader.tty->ldata.termios.c_lflag = c_lflag;
}
