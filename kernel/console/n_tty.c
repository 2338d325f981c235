/* The line discipline: the effect of a received byte on the line and on the screen. See n_tty.h. */
#include "kernel/console/n_tty.h"
#include "kernel/lib/string.h"

#define ECHO_ROOM                                                                                  \
	32 /* bytes of free echo buffer needed per input byte; only ^U and ^W may need more */

void n_tty_init(struct n_tty_data *ldata)
{
	memset(ldata, 0, sizeof(*ldata));
}

void n_tty_set_raw(struct n_tty_data *ldata, bool raw)
{
	n_tty_init(ldata);
	ldata->raw = raw;
}

static bool flag_test(const unsigned long *flags, size_t pos)
{
	pos %= N_TTY_BUF_SIZE;
	return (flags[pos / 64] >> (pos % 64)) & 1;
}

static void flag_set(unsigned long *flags, size_t pos)
{
	pos %= N_TTY_BUF_SIZE;
	flags[pos / 64] |= 1UL << (pos % 64);
}

static void flag_clear(unsigned long *flags, size_t pos)
{
	pos %= N_TTY_BUF_SIZE;
	flags[pos / 64] &= ~(1UL << (pos % 64));
}

static u8 *read_buf_addr(struct n_tty_data *ldata, size_t pos)
{
	return &ldata->read_buf[pos % N_TTY_BUF_SIZE];
}

static u8 read_buf(const struct n_tty_data *ldata, size_t pos)
{
	return ldata->read_buf[pos % N_TTY_BUF_SIZE];
}

static size_t read_cnt(const struct n_tty_data *ldata)
{
	return ldata->read_head - ldata->read_tail;
}

static size_t echo_room(const struct n_tty_data *ldata)
{
	return N_TTY_BUF_SIZE - (ldata->echo_head - ldata->echo_tail);
}

bool input_available_p(const struct n_tty_data *ldata)
{
	return READ_ONCE(ldata->canon_head) != READ_ONCE(ldata->read_tail);
}

bool n_tty_receive_room(const struct n_tty_data *ldata, bool deaf)
{
	if (!deaf && echo_room(ldata) < ECHO_ROOM)
		return false;
	/*
	 * A single incomplete line that fills the buffer still takes bytes, and is cut. Else no
	 * reader could ever empty the buffer.
	 */
	return read_cnt(ldata) < N_TTY_BUF_SIZE - 1 || !input_available_p(ldata);
}

/* ---- output ---- */

/* Writes the output for c to out[2], and moves the cursor. Returns the number of bytes. */
static size_t do_output_char(struct n_tty_data *ldata, u8 c, u8 *out)
{
	switch (c) {
	case '\n':
		ldata->column = 0;
		out[0] = '\r';
		out[1] = '\n';
		return 2;
	case '\r':
		ldata->column = 0;
		break;
	case '\t':
		ldata->column = (ldata->column | 7) + 1;
		break;
	case '\b':
		if (ldata->column)
			ldata->column--;
		break;
	default:
		/* Bytes 10xxxxxx continue a UTF-8 character, and need no column. */
		if (c >= 0x20 && c != 0x7f && (c & 0xc0) != 0x80)
			ldata->column++;
	}
	out[0] = c;
	return 1;
}

size_t process_output_block(struct n_tty_data *ldata, const u8 *src, size_t count, u8 *dst,
			    size_t room, size_t *out)
{
	size_t used = 0;

	*out = 0;
	if (ldata->raw) {
		*out = min(count, room);
		memcpy(dst, src, *out);
		return *out;
	}
	while (used < count && room - *out >= 2)
		*out += do_output_char(ldata, src[used++], dst + *out);
	return used;
}

size_t process_echoes(struct n_tty_data *ldata, u8 *buf, size_t size)
{
	size_t n = 0;

	while (n < size && ldata->echo_tail != ldata->echo_head)
		buf[n++] = ldata->echo_buf[ldata->echo_tail++ % N_TTY_BUF_SIZE];
	return n;
}

/* ---- echo ---- */

/* Echoes n bytes. If the echo buffer has no room (the terminal is stopped), drops all of them. */
static void add_echo(struct n_tty_data *ldata, const u8 *s, size_t n)
{
	if (echo_room(ldata) < 2 * n)
		return;
	for (size_t i = 0; i < n; i++) {
		u8 out[2];
		size_t len = do_output_char(ldata, s[i], out);

		for (size_t j = 0; j < len; j++)
			ldata->echo_buf[ldata->echo_head++ % N_TTY_BUF_SIZE] = out[j];
	}
}

static bool is_control(u8 c)
{
	return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
}

/* Echoes c. ECHOCTL: shows control characters as ^X. */
static void echo_char(struct n_tty_data *ldata, u8 c)
{
	u8 ctl[2] = { '^', c ^ 0x40 };

	if (is_control(c))
		add_echo(ldata, ctl, 2);
	else
		add_echo(ldata, &c, 1);
}

void n_tty_echo_signal(struct n_tty_data *ldata, u8 c)
{
	ldata->echo_tail = ldata->echo_head;
	echo_char(ldata, c);
}

static bool is_continuation(u8 c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * The columns of the tab at pos. Counts the text before it, back to another tab or to the start of
 * the line.
 */
static unsigned tab_width(const struct n_tty_data *ldata, size_t pos)
{
	unsigned columns = 0;

	while (pos != ldata->canon_head) {
		u8 c = read_buf(ldata, --pos);

		if (c == '\t')
			return 8 - (columns & 7);
		columns += is_control(c) ? 2 : !is_continuation(c);
	}
	return 8 - ((columns + ldata->canon_column) & 7);
}

/* Erases the character at pos from the screen. The caller has just removed it from the line. */
static void echo_erase(struct n_tty_data *ldata, size_t pos)
{
	u8 c = read_buf(ldata, pos);

	if (c == '\t') {
		for (unsigned n = tab_width(ldata, pos); n; n--)
			add_echo(ldata, (const u8 *)"\b", 1);
		return;
	}
	for (unsigned n = is_control(c) ? 2 : 1; n; n--)
		add_echo(ldata, (const u8 *)"\b \b", 3);
}

/* ---- line editing ---- */

static void erase_one(struct n_tty_data *ldata)
{
	do
		ldata->read_head--;
	while (ldata->read_head != ldata->canon_head &&
	       is_continuation(read_buf(ldata, ldata->read_head)));
	echo_erase(ldata, ldata->read_head);
}

static bool is_word_char(u8 c)
{
	return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Handles ^?, ^W and ^U. They erase only text of the current line. */
static void eraser(struct n_tty_data *ldata, u8 c)
{
	size_t typed = ldata->read_head - ldata->canon_head;
	bool seen_word = false;

	if (!typed)
		return;
	if (c == KILL_CHAR && typed * 8 > echo_room(ldata)) {
		/*
		 * The line is too long to erase it on the screen: starts a new line, as ECHOK does.
		 */
		ldata->read_head = ldata->canon_head;
		echo_char(ldata, KILL_CHAR);
		add_echo(ldata, (const u8 *)"\n", 1);
		return;
	}
	while (ldata->read_head != ldata->canon_head) {
		bool word = is_word_char(read_buf(ldata, ldata->read_head - 1));

		if (c == WERASE_CHAR && seen_word && !word)
			break;
		seen_word |= word;
		erase_one(ldata);
		if (c == ERASE_CHAR)
			break;
	}
}

static void reprint_line(struct n_tty_data *ldata)
{
	echo_char(ldata, REPRINT_CHAR);
	add_echo(ldata, (const u8 *)"\n", 1);
	for (size_t pos = ldata->canon_head; pos != ldata->read_head; pos++)
		echo_char(ldata, read_buf(ldata, pos));
}

static void put_tty_queue(struct n_tty_data *ldata, u8 c)
{
	flag_clear(ldata->read_flags, ldata->read_head);
	flag_clear(ldata->eof_flags, ldata->read_head);
	*read_buf_addr(ldata, ldata->read_head++) = c;
}

/* Ends the line with c: a newline, or ^D. */
static enum n_tty_action finish_line(struct n_tty_data *ldata, u8 c)
{
	size_t pos = ldata->read_head;

	put_tty_queue(ldata, c);
	flag_set(ldata->read_flags, pos);
	if (c == EOF_CHAR)
		flag_set(ldata->eof_flags, pos);
	smp_store_release(&ldata->canon_head, ldata->read_head);
	return N_TTY_LINE;
}

static enum n_tty_action n_tty_receive_char_normal(struct n_tty_data *ldata, u8 c)
{
	if (read_cnt(ldata) >= N_TTY_BUF_SIZE - 1) {
		add_echo(ldata, (const u8 *)"\a",
			 1); /* drops the byte, as Linux does with IMAXBEL */
		return N_TTY_NOTHING;
	}
	if (ldata->read_head == ldata->canon_head)
		ldata->canon_column = ldata->column;
	echo_char(ldata, c);
	put_tty_queue(ldata, c);
	return N_TTY_NOTHING;
}

static enum n_tty_action n_tty_receive_signal_char(struct n_tty_data *ldata, u8 c)
{
	ldata->read_tail = ldata->read_head;
	smp_store_release(&ldata->canon_head, ldata->read_head);
	switch (c) {
	case INTR_CHAR:
		return N_TTY_SIGINT;
	case QUIT_CHAR:
		return N_TTY_SIGQUIT;
	default:
		return N_TTY_SUSPEND;
	}
}

static enum n_tty_action n_tty_receive_char_special(struct n_tty_data *ldata, u8 c)
{
	switch (c) {
	case START_CHAR:
		return N_TTY_START;
	case STOP_CHAR:
		return N_TTY_STOP;
	case INTR_CHAR:
	case QUIT_CHAR:
	case SUSP_CHAR:
		return n_tty_receive_signal_char(ldata, c);
	case '\r':
	case '\n':
		add_echo(ldata, (const u8 *)"\n", 1);
		return finish_line(ldata, '\n');
	case '\b':
	case ERASE_CHAR:
		eraser(ldata, ERASE_CHAR);
		return N_TTY_NOTHING;
	case KILL_CHAR:
	case WERASE_CHAR:
		eraser(ldata, c);
		return N_TTY_NOTHING;
	case REPRINT_CHAR:
		reprint_line(ldata);
		return N_TTY_NOTHING;
	case LNEXT_CHAR:
		ldata->lnext = true;
		add_echo(ldata, (const u8 *)"^\b", 2);
		return N_TTY_NOTHING;
	case EOF_CHAR:
		return finish_line(ldata, EOF_CHAR);
	}
	return n_tty_receive_char_normal(ldata, c);
}

enum n_tty_action n_tty_receive_char(struct n_tty_data *ldata, u8 c)
{
	if (ldata->raw) {
		put_tty_queue(ldata, c);
		smp_store_release(&ldata->canon_head, ldata->read_head);
		return N_TTY_LINE;
	}
	if (ldata->lnext) {
		ldata->lnext = false;
		return n_tty_receive_char_normal(ldata, c);
	}
	if (c < 0x20 || c == ERASE_CHAR)
		return n_tty_receive_char_special(ldata, c);
	return n_tty_receive_char_normal(ldata, c);
}

size_t canon_copy_from_read_buf(struct n_tty_data *ldata, u8 *buf, size_t size, bool *eof)
{
	size_t n = 0;

	*eof = false;
	while (ldata->read_tail != ldata->canon_head) {
		size_t pos = ldata->read_tail;
		bool end = flag_test(ldata->read_flags, pos);
		bool is_eof = flag_test(ldata->eof_flags, pos);

		/*
		 * Takes a ^D together with the line that it ends, even if the line has just filled
		 * buf.
		 */
		if (n == size && !(is_eof && n))
			break;
		WRITE_ONCE(ldata->read_tail, pos + 1);
		if (is_eof)
			*eof = n == 0;
		else
			buf[n++] = read_buf(ldata, pos);
		if (end)
			break;
	}
	return n;
}
