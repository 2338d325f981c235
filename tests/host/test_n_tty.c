/*
 * The line discipline: the effect of typed bytes on the line, and the echo.
 * sources: kernel/console/n_tty.c
 */
#include "test.h"

#include "kernel/console/n_tty.h"

static struct n_tty_data tty;
static char echoed[8 * N_TTY_BUF_SIZE];
static size_t echoed_len;

static int setup(void **state)
{
	(void)state;
	n_tty_init(&tty);
	echoed_len = 0;
	return 0;
}

static void collect_echo(void)
{
	echoed_len +=
		process_echoes(&tty, (u8 *)echoed + echoed_len, sizeof(echoed) - echoed_len - 1);
	echoed[echoed_len] = '\0';
}

static enum n_tty_action type_bytes(const char *s, size_t n)
{
	enum n_tty_action action = N_TTY_NOTHING;

	while (n--) {
		assert_true(n_tty_receive_room(&tty, false));
		action = n_tty_receive_char(&tty, (u8)*s++);
		collect_echo();
	}
	return action;
}

static enum n_tty_action type(const char *s)
{
	return type_bytes(s, strlen(s));
}

/* The result of one read of at most size bytes, as text. */
static const char *read_text(size_t size)
{
	static char text[2 * N_TTY_BUF_SIZE];
	bool eof;
	size_t n = canon_copy_from_read_buf(&tty, (u8 *)text, size, &eof);

	text[n] = '\0';
	return eof ? "(eof)" : text;
}

static void test_a_line_is_readable_when_it_is_complete_and_not_before(void **state)
{
	(void)state;
	assert_int_equal(type("hello"), N_TTY_NOTHING);
	assert_false(input_available_p(&tty));
	assert_int_equal(type("\n"), N_TTY_LINE);
	assert_true(input_available_p(&tty));
	assert_string_equal(read_text(100), "hello\n");
	assert_false(input_available_p(&tty));
	assert_string_equal(echoed, "hello\r\n");
}

static void test_a_read_gives_one_line_and_what_does_not_fit_stays(void **state)
{
	(void)state;
	type("one\rtwo\n");
	assert_string_equal(read_text(2), "on");
	assert_string_equal(read_text(100), "e\n");
	assert_string_equal(read_text(100), "two\n");
}

static void test_erase_takes_back_characters_of_this_line_only(void **state)
{
	(void)state;
	type("a\nbc\x7f"
	     "d\b\x7f\x7f\x7f"
	     "e\n");
	assert_string_equal(read_text(100), "a\n");
	assert_string_equal(read_text(100), "e\n");
	assert_string_equal(echoed, "a\r\nbc\b \bd\b \b\b \be\r\n");
}

static void test_erase_takes_a_whole_utf8_character_and_both_signs_of_a_control(void **state)
{
	struct termios utf8 = tty_std_termios;

	(void)state;
	utf8.c_iflag |= IUTF8;
	n_tty_set_termios(&tty, &utf8);
	type("\xc3\xa9\x7f\x01\x7fx\n");
	assert_string_equal(read_text(100), "x\n");
	assert_string_equal(echoed, "\xc3\xa9\b \b^A\b \b\b \bx\r\n");
}

static void test_erase_of_a_tab_goes_back_to_where_it_began(void **state)
{
	size_t out;
	u8 prompt[16];

	(void)state;
	process_output_block(&tty, (const u8 *)"ab# ", 4, prompt, sizeof(prompt), &out);
	type("x\t\x7fy\n");
	assert_string_equal(echoed, "x\t\b\b\by\r\n"); /* columns 5 to 8 */
	assert_string_equal(read_text(100), "xy\n");
}

static void test_kill_and_word_erase(void **state)
{
	(void)state;
	type("wrong\x15"
	     "right one  two  \x17\x17"
	     "2\n");
	assert_string_equal(read_text(100), "right 2\n");
	echoed_len = 0;
	type("abc\x15\n");
	assert_string_equal(echoed, "abc\b \b\b \b\b \b\r\n");
}

static void test_literal_next_takes_a_control_character_as_text(void **state)
{
	(void)state;
	assert_int_equal(type("a\x16\x03"), N_TTY_NOTHING);
	type("\x16\x7f\n");
	assert_string_equal(read_text(100), "a\x03\x7f\n");
}

static void test_end_of_file_ends_a_read_and_alone_is_the_end(void **state)
{
	(void)state;
	assert_int_equal(type("abc\x04"), N_TTY_LINE);
	assert_string_equal(read_text(100), "abc");
	type("\x04");
	assert_string_equal(read_text(100), "(eof)");
	/* A read takes the ^D together with the line, even if the line has just filled the buffer. */
	type("abc\x04"
	     "d\n");
	assert_string_equal(read_text(3), "abc");
	assert_string_equal(read_text(100), "d\n");
	assert_null(strstr(echoed, "^D"));
}

static void test_a_signal_character_drops_the_input_and_shows_itself(void **state)
{
	(void)state;
	type("one\ntwo");
	assert_int_equal(type("\x03"), N_TTY_SIGINT);
	n_tty_echo_signal(&tty, 0x03);
	collect_echo();
	assert_false(input_available_p(&tty));
	assert_string_equal(echoed, "one\r\ntwo^C");
	assert_int_equal(type("\x1c"), N_TTY_SIGQUIT);
	type("three");
	assert_int_equal(type("\x1a"), N_TTY_SIGTSTP);
	type("x\n");
	assert_string_equal(read_text(100), "x\n");
}

static void test_flow_control_characters_are_no_input(void **state)
{
	(void)state;
	assert_int_equal(type("\x13"), N_TTY_STOP);
	assert_int_equal(type("\x11"), N_TTY_START);
	assert_int_equal(echoed_len, 0);
	type("\n");
	assert_string_equal(read_text(100), "\n");
}

static void test_a_line_holds_4095_bytes_and_the_newline_always_fits(void **state)
{
	const char *text;

	(void)state;
	for (unsigned i = 0; i < 10000; i++)
		type(i < 4095 ? "y" : "z");
	assert_int_equal(type("\n"), N_TTY_LINE);
	text = read_text(2 * N_TTY_BUF_SIZE);
	assert_int_equal(strlen(text), 4096);
	assert_int_equal(strspn(text, "y"), 4095);
	assert_int_equal(text[4095], '\n');
	type("next\n");
	assert_string_equal(read_text(100), "next\n");
}

static void test_complete_lines_that_fill_the_buffer_hold_the_sender_back(void **state)
{
	unsigned lines = 0, read = 0;

	(void)state;
	while (n_tty_receive_room(&tty, false)) {
		n_tty_receive_char(&tty, lines % 10 == 9 ? '\n' : 'x');
		lines++;
		collect_echo();
	}
	assert_int_equal(lines, N_TTY_BUF_SIZE - 1);
	while (input_available_p(&tty)) {
		assert_string_equal(read_text(100), "xxxxxxxxx\n");
		assert_true(n_tty_receive_room(&tty, false));
		read += 10;
	}
	assert_int_equal(read, (N_TTY_BUF_SIZE - 1) / 10 * 10);
}

static void test_echo_without_room_holds_the_sender_back_unless_the_screen_is_stopped(void **state)
{
	unsigned typed = 0;

	(void)state;
	while (n_tty_receive_room(&tty, false) && typed < 3 * N_TTY_BUF_SIZE) {
		n_tty_receive_char(&tty, '\x01');
		n_tty_receive_char(&tty, '\x7f');
		typed++;
	}
	assert_in_range(typed, N_TTY_BUF_SIZE / 10, N_TTY_BUF_SIZE / 4);
	assert_true(n_tty_receive_room(&tty, true));
	collect_echo();
	assert_true(n_tty_receive_room(&tty, false));
}

static void test_output_turns_newlines_into_cr_lf_and_never_splits_them(void **state)
{
	u8 out[8];
	size_t n;

	(void)state;
	assert_int_equal(process_output_block(&tty, (const u8 *)"a\nb\n", 4, out, 8, &n), 4);
	assert_int_equal(n, 6);
	assert_memory_equal(out, "a\r\nb\r\n", 6);
	assert_int_equal(process_output_block(&tty, (const u8 *)"\n\n", 2, out, 3, &n), 1);
	assert_int_equal(n, 2);
	assert_int_equal(process_output_block(&tty, (const u8 *)"\n", 1, out, 0, &n), 0);
}

/* For any input, positions stay in order, and no byte is written outside the buffers (ASan checks). */
static void test_random_bytes_leave_the_buffers_sound(void **state)
{
	char buf[300];
	bool eof;

	(void)state;
	srand(3);
	for (unsigned i = 0; i < 300000; i++) {
		if (n_tty_receive_room(&tty, false))
			n_tty_receive_char(&tty, (u8)(rand() % 5 ? rand() % 32 : rand() % 256));
		if (rand() % 50 == 0)
			canon_copy_from_read_buf(&tty, (u8 *)buf, (size_t)rand() % sizeof(buf),
						 &eof);
		if (rand() % 20 == 0)
			process_echoes(&tty, (u8 *)buf, (size_t)rand() % sizeof(buf));
		assert_in_range(tty.read_head - tty.read_tail, 0, N_TTY_BUF_SIZE);
		assert_in_range(tty.canon_head - tty.read_tail, 0, tty.read_head - tty.read_tail);
		assert_in_range(tty.echo_head - tty.echo_tail, 0, N_TTY_BUF_SIZE);
	}
}

static void test_raw_bytes_go_through_both_ways_as_they_are(void **state)
{
	u8 all[256], buf[512];
	struct termios raw = tty_std_termios;
	size_t n;
	bool eof;

	(void)state;
	/* cfmakeraw(3) */
	raw.c_iflag &= ~(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
	raw.c_oflag &= ~OPOST;
	raw.c_lflag &= ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	type("half a line");
	assert_false(input_available_p(&tty));
	n_tty_set_termios(&tty, &raw);
	assert_int_equal(canon_copy_from_read_buf(&tty, buf, sizeof(buf), &eof), 11);
	assert_memory_equal(buf, "half a line", 11);
	for (unsigned i = 0; i < 256; i++) {
		all[i] = (u8)i;
		assert_int_equal(n_tty_receive_char(&tty, (u8)i), N_TTY_LINE);
	}
	assert_true(input_available_p(&tty));
	assert_int_equal(canon_copy_from_read_buf(&tty, buf, 10, &eof), 10);
	assert_int_equal(canon_copy_from_read_buf(&tty, buf + 10, sizeof(buf) - 10, &eof), 246);
	assert_memory_equal(buf, all, 256);
	assert_false(eof);
	assert_int_equal(process_echoes(&tty, buf, sizeof(buf)), 0);
	assert_int_equal(process_output_block(&tty, all, 256, buf, sizeof(buf), &n), 256);
	assert_int_equal(n, 256);
	assert_memory_equal(buf, all, 256);
	/* Without a reader, the sender must wait. */
	for (n = 0; n_tty_receive_room(&tty, false); n++)
		n_tty_receive_char(&tty, (u8)n);
	assert_int_equal(n, N_TTY_BUF_SIZE - 1);
	n_tty_set_termios(&tty, &tty_std_termios);
	assert_true(input_available_p(&tty)); /* what was not read is a line now */
	n_tty_flush_input(&tty);
	assert_int_equal(type("line\n"), N_TTY_LINE);
	assert_string_equal(echoed, "half a lineline\r\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
	const struct CMUnitTest tests[] = {
		TEST(test_a_line_is_readable_when_it_is_complete_and_not_before),
		TEST(test_a_read_gives_one_line_and_what_does_not_fit_stays),
		TEST(test_erase_takes_back_characters_of_this_line_only),
		TEST(test_erase_takes_a_whole_utf8_character_and_both_signs_of_a_control),
		TEST(test_erase_of_a_tab_goes_back_to_where_it_began),
		TEST(test_kill_and_word_erase),
		TEST(test_literal_next_takes_a_control_character_as_text),
		TEST(test_end_of_file_ends_a_read_and_alone_is_the_end),
		TEST(test_a_signal_character_drops_the_input_and_shows_itself),
		TEST(test_flow_control_characters_are_no_input),
		TEST(test_a_line_holds_4095_bytes_and_the_newline_always_fits),
		TEST(test_complete_lines_that_fill_the_buffer_hold_the_sender_back),
		TEST(test_echo_without_room_holds_the_sender_back_unless_the_screen_is_stopped),
		TEST(test_output_turns_newlines_into_cr_lf_and_never_splits_them),
		TEST(test_raw_bytes_go_through_both_ways_as_they_are),
		TEST(test_random_bytes_leave_the_buffers_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
