/*
 * The sender of the export protocol, with a receiver that follows docs/trace-export.md. The line between
 * them loses, damages and cuts frames and answers, in both directions.
 * sources: user/trace-export/link.c user/trace-export/deflate.c user/trace-export/crc32.c
 */
#include "test.h"

#include "kernel/errno.h"
#include "user/trace-export/crc32.h"
#include "user/trace-export/link.h"

#define FRAMES 400

/* The line, and the receiver at its other end. */
static struct {
	unsigned loss;   /* so many of 1000 frames and answers are lost or damaged */
	bool unplugged;  /* nothing arrives */
	int break_after; /* sends until send() fails; negative: never */
	uint32_t session, wanted, received[FRAMES + 16];
	char answer[4096];
	size_t answer_len;
	unsigned waits, silent_polls;
	bool said_bye;
} line;

static bool lossy(void)
{
	return (unsigned)rand() % 1000 < line.loss;
}

static void say(const char *word, uint32_t session, uint32_t sequence)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%s %x %x", word, session, sequence);

	n += snprintf(text + n, sizeof(text) - (size_t)n, " %x\n", crc32(0, text, (size_t)n));
	if (lossy())
		text[rand() % n] ^= 1;
	if (line.answer_len + (size_t)n > sizeof(line.answer))
		return;
	memcpy(line.answer + line.answer_len, text, (size_t)n);
	line.answer_len += (size_t)n;
}

static void ask(const char *word, uint32_t session, const char *command)
{
	char text[EXPORT_LINE_MAX];
	int n = snprintf(text, sizeof(text) - 12, "%s %x %s", word, session, command);

	line.answer_len += (size_t)snprintf(line.answer + line.answer_len, 2 * EXPORT_LINE_MAX,
					    "%s %x\n", text, crc32(0, text, (size_t)n));
}

static void receive_frame(const struct export_frame *frame)
{
	const uint8_t *body = (const uint8_t *)(frame + 1);

	assert_int_equal(frame->magic, EXPORT_MAGIC);
	assert_int_equal(crc32(crc32(0, frame, offsetof(struct export_frame, crc)), body,
			       frame->wire_size),
			 frame->crc);
	line.session = frame->session;
	if (frame->type == EXPORT_BYE) {
		assert_int_equal(frame->sequence, line.wanted);
		line.said_bye = true;
		return;
	}
	if (frame->sequence == line.wanted) {
		line.received[line.wanted++] = frame->raw_size;
		say("ack", frame->session, line.wanted);
	} else {
		say("ready", frame->session, line.wanted);
	}
}

static int send_frame(void *context, const void *data, size_t size)
{
	(void)context;
	assert_true(size >= sizeof(struct export_frame));
	if (line.break_after == 0)
		return -EINTR;
	if (line.break_after > 0)
		line.break_after--;
	if (!line.unplugged && !lossy())
		receive_frame(data);
	return 0;
}

static long receive(void *context, void *buf, size_t size, int timeout_ms)
{
	size_t n = line.answer_len < size ? line.answer_len : size;

	(void)context;
	if (n > 7)
		n = 1 + (size_t)rand() % n; /* sends a part only */
	memcpy(buf, line.answer, n);
	line.answer_len -= n;
	memmove(line.answer, line.answer + n, line.answer_len);
	if (!n && timeout_ms && ++line.silent_polls == 8)
		line.unplugged = false;
	return (long)n;
}

static void waiting(void *context)
{
	(void)context;
	line.waits++;
}

static const struct export_operations ops = { send_frame, receive, waiting };
static uint8_t frames[EXPORT_WINDOW * EXPORT_FRAME_MAX], payload[EXPORT_PAYLOAD];
static struct deflate_workspace work;

static struct export_link new_link(unsigned loss)
{
	memset(&line, 0, sizeof(line));
	line.loss = loss;
	line.break_after = -1;
	srand(11);
	return (struct export_link){ .ops = &ops,
				     .session = 0xabc1,
				     .frames = frames,
				     .payload = payload,
				     .work = &work };
}

static int send_number(struct export_link *link, uint32_t i)
{
	/* The size identifies the frame. */
	memset(payload, (int)i, sizeof(payload));
	return export_link_send(link, EXPORT_PAGES, 0, 0, 100 + i);
}

static void send_all(struct export_link *link)
{
	for (uint32_t i = 0; i < FRAMES; i++)
		assert_int_equal(send_number(link, i), 0);
	assert_int_equal(export_link_finish(link), 0);
	assert_int_equal(line.wanted, FRAMES);
	for (uint32_t i = 0; i < FRAMES; i++)
		assert_int_equal(line.received[i], 100 + i);
}

static void test_a_good_line_carries_each_frame_once(void **state)
{
	struct export_link link = new_link(0);

	(void)state;
	send_all(&link);
	assert_int_equal(link.resent, 0);
	assert_int_equal(line.waits, 0);
	assert_true(line.said_bye);
}

static void test_a_bad_line_carries_every_frame_in_order(void **state)
{
	static const unsigned losses[] = { 1, 20, 100, 300, 600 };

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		struct export_link link = new_link(losses[i]);

		send_all(&link);
		assert_true(losses[i] < 100 || link.resent > 0);
	}
}

static void test_a_receiver_that_comes_late_or_again_is_waited_for(void **state)
{
	struct export_link link = new_link(0);

	(void)state;
	line.unplugged = true;
	send_all(&link);
	assert_int_equal(line.waits, 1);
	assert_true(link.resent > 0);
}

static void test_never_more_than_a_window_is_under_way(void **state)
{
	struct export_link link = new_link(0);

	(void)state;
	line.unplugged = true;
	for (uint32_t i = 0; i < EXPORT_WINDOW; i++)
		assert_int_equal(send_number(&link, i), 0);
	assert_int_equal(link.next - link.base, EXPORT_WINDOW);
	assert_int_equal(line.silent_polls, 0); /* the link has not waited yet */
}

static void test_an_error_of_the_line_ends_the_link_and_stays(void **state)
{
	struct export_link link = new_link(0);

	(void)state;
	line.break_after = 3;
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(send_number(&link, i), 0);
	assert_int_equal(send_number(&link, 3), -EINTR);
	assert_int_equal(send_number(&link, 4), -EINTR);
	assert_int_equal(export_link_finish(&link), -EINTR);
	assert_int_equal(line.wanted, 3);
}

static void test_only_whole_lines_of_this_session_are_obeyed(void **state)
{
	struct export_link link = new_link(0);
	static const char *const nonsense[] = { "\n",
						"stop\n",
						"stop abc1 0\n",
						"stop abc1 0 12345678\n",
						"ack  \n",
						" \n" };
	unsigned before;

	(void)state;
	line.unplugged = true;
	assert_int_equal(send_number(&link, 0), 0);
	for (unsigned i = 0; i < 6; i++) {
		strcpy(line.answer, nonsense[i]);
		line.answer_len = strlen(nonsense[i]);
		while (line.answer_len)
			export_link_poll(&link, 0);
	}
	memset(line.answer, 'x', 3000); /* longer than any line of the protocol */
	strcpy(line.answer + 3000, "\n");
	line.answer_len = 3001;
	while (line.answer_len)
		export_link_poll(&link, 0);
	say("stop", 0xabc2, 0); /* from another session */
	say("ack", 0xabc1, 2);	/* a frame that does not exist */
	say("ack", 0xabc1, 0xffffffff);
	while (line.answer_len)
		export_link_poll(&link, 0);
	assert_false(link.stop);
	assert_int_equal(link.base, 0);
	before = link.next_out;
	say("stop", 0xabc1, 0);
	say("ack", 0xabc1, 1);
	while (line.answer_len)
		export_link_poll(&link, 0);
	assert_true(link.stop);
	assert_int_equal(link.base, 1);
	assert_int_equal(link.next_out, before);
}

static void hear_all(struct export_link *link)
{
	while (line.answer_len)
		export_link_poll(link, 0);
}

static void test_a_request_ends_the_link_and_begins_another(void **state)
{
	struct export_link link = new_link(0);

	(void)state;
	link.listens = true;
	ask("run", 0, "no session");
	ask("walk", 7, "no such word");
	hear_all(&link);
	assert_int_equal(link.error, 0);
	line.unplugged = true;
	assert_int_equal(send_number(&link, 0), 0);
	ask("record", 7, "echo  a; echo b");
	ask("ack", link.session, "1"); /* from a receiver that does not know the session yet */
	while (line.answer_len && !link.error)
		export_link_poll(&link, 0);
	assert_int_equal(link.error, -EPIPE);
	assert_int_equal(send_number(&link, 1), -EPIPE);
	assert_int_equal(link.request, 7);
	assert_true(link.record);
	assert_string_equal(link.command, "echo  a; echo b");

	export_link_accept(&link);
	memset(&line, 0, sizeof(line));
	line.break_after = -1;
	assert_int_equal(send_number(&link, 0), 0);
	assert_int_equal(line.session, 7);
	ask("record", 7, "echo  a; echo b"); /* sent twice before it was received */
	hear_all(&link);
	assert_int_equal(link.error, 0);
	assert_int_equal(export_link_finish(&link), 0);
	assert_true(line.said_bye);
	ask("run", 8, "");
	while (line.answer_len && !link.error)
		export_link_poll(&link, 0);
	assert_int_equal(link.request, 8);
	assert_false(link.record);
	assert_string_equal(link.command, "");
}

static void test_requests_are_for_those_who_listen(void **state)
{
	struct export_link link = new_link(0);

	(void)state;
	ask("run", 7, "echo a");
	hear_all(&link);
	assert_int_equal(link.error, 0);
	assert_int_equal(link.request, 0);
}

static void test_a_link_that_is_to_end_gives_up_without_a_receiver_only(void **state)
{
	struct export_link link = new_link(0);
	unsigned silent;

	(void)state;
	/* A receiver that answers gets all frames. */
	link.ending = true;
	assert_int_equal(send_number(&link, 0), -EINTR);
	link = new_link(0);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(send_number(&link, i), 0);
	link.ending = true;
	for (uint32_t i = 40; i < FRAMES; i++)
		assert_int_equal(send_number(&link, i), 0);
	assert_int_equal(export_link_finish(&link), 0);
	assert_true(line.said_bye);
	/* When the receiver stops answering, the link waits for a short time and gives up. */
	link = new_link(0);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(send_number(&link, i), 0);
	link.ending = line.unplugged = true;
	line.silent_polls = 100;
	silent = line.silent_polls;
	for (uint32_t i = 40; !link.error && i < FRAMES; i++)
		send_number(&link, i);
	assert_int_equal(link.error, -EINTR);
	assert_true(line.silent_polls - silent < 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_good_line_carries_each_frame_once),
		cmocka_unit_test(test_a_bad_line_carries_every_frame_in_order),
		cmocka_unit_test(test_a_receiver_that_comes_late_or_again_is_waited_for),
		cmocka_unit_test(test_never_more_than_a_window_is_under_way),
		cmocka_unit_test(test_an_error_of_the_line_ends_the_link_and_stays),
		cmocka_unit_test(test_only_whole_lines_of_this_session_are_obeyed),
		cmocka_unit_test(test_a_link_that_is_to_end_gives_up_without_a_receiver_only),
		cmocka_unit_test(test_a_request_ends_the_link_and_begins_another),
		cmocka_unit_test(test_requests_are_for_those_who_listen),
	};

	return cmocka_run_group_tests_name("export_link", tests, NULL, NULL);
}
