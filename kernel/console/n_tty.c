/* The line discipline: the effect of a received byte on the line and on the screen. See n_tty.h. */
#include "kernel/console/n_tty.h"
#include "kernel/lib/string.h"

#define OUTPUT_MAX 8 /* bytes that one byte of output may become: a tab as spaces */
/* Bytes of free echo buffer needed per input byte; only ^U and ^W may need more. */
#define ECHO_ROOM 128

const struct termios tty_std_termios = {
	.c_iflag = ICRNL | IXON,
	.c_oflag = OPOST | ONLCR,
	.c_cflag = 0x1cb2, /* B115200 CS8 CREAD HUPCL CLOCAL */
	.c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN,
	.c_cc = { [VINTR] = INTR_CHAR,
		  [VQUIT] = QUIT_CHAR,
		  [VERASE] = ERASE_CHAR,
		  [VKILL] = KILL_CHAR,
		  [VEOF] = EOF_CHAR,
		  [VMIN] = 1,
		  [VSTART] = START_CHAR,
		  [VSTOP] = STOP_CHAR,
		  [VSUSP] = SUSP_CHAR,
		  [VREPRINT] = REPRINT_CHAR,
		  [VDISCARD] = DISCARD_CHAR,
		  [VWERASE] = WERASE_CHAR,
		  [VLNEXT] = LNEXT_CHAR },
};

void n_tty_init(struct n_tty_data *ldata)
{
	memset(ldata, 0, sizeof(*ldata));
	ldata->termios = tty_std_termios;
}

static bool i_flag(const struct n_tty_data *ldata, u32 flag)
{
	return ldata->termios.c_iflag & flag;
}

static bool o_flag(const struct n_tty_data *ldata, u32 flag)
{
	return ldata->termios.c_oflag & flag;
}

static bool l_flag(const struct n_tty_data *ldata, u32 flag)
{
	return ldata->termios.c_lflag & flag;
}

/* Bytes 10xxxxxx continue a UTF-8 character, and need no column. */
static bool is_continuation(const struct n_tty_data *ldata, u8 c)
{
	return i_flag(ldata, IUTF8) && (c & 0xc0) == 0x80;
}

/* True if c has the function VINTR, VQUIT, … */
static bool is_char(const struct n_tty_data *ldata, unsigned function, u8 c)
{
	return ldata->termios.c_cc[function] == c && c != DISABLED_CHAR;
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

bool n_tty_input_polled(const struct n_tty_data *ldata)
{
	const struct termios *t = &ldata->termios;

	if ((t->c_lflag & ICANON) || t->c_cc[VTIME] || t->c_cc[VMIN] < 2)
		return input_available_p(ldata);
	return n_tty_readable_bytes(ldata) >= t->c_cc[VMIN];
}

void n_tty_flush_input(struct n_tty_data *ldata)
{
	ldata->erasing = false;
	ldata->read_tail = ldata->read_head;
	ldata->lnext = false;
	smp_store_release(&ldata->canon_head, ldata->read_head);
}

size_t n_tty_readable_bytes(const struct n_tty_data *ldata)
{
	return READ_ONCE(ldata->canon_head) - READ_ONCE(ldata->read_tail);
}

void n_tty_set_termios(struct n_tty_data *ldata, const struct termios *new)
{
	bool was_canonical = l_flag(ldata, ICANON);

	ldata->termios = *new;
	ldata->lnext = false;
	ldata->erasing = false;
	ldata->any_function_printable = false;
	for (unsigned i = 0; i < NCCS; i++)
		if (i != VMIN && i != VTIME && new->c_cc[i] >= 0x20 && new->c_cc[i] != 0x7f)
			ldata->any_function_printable = true;
	if (was_canonical == l_flag(ldata, ICANON))
		return;
	for (size_t pos = ldata->read_tail; pos != ldata->read_head; pos++) {
		flag_clear(ldata->read_flags, pos);
		if (!was_canonical)
			flag_clear(ldata->eof_flags, pos);
	}
	if (!was_canonical && read_cnt(ldata))
		flag_set(ldata->read_flags, ldata->read_head - 1);
	smp_store_release(&ldata->canon_head, ldata->read_head);
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

/* In Latin-1, as Linux: the letters there, but not the signs between them. */
static u8 to_upper(u8 c)
{
	return (c >= 'a' && c <= 'z') || (c >= 0xdf && c != 0xf7) ? c - 0x20 : c;
}

static u8 to_lower(u8 c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7) ? c + 0x20 : c;
}

/*
 * Writes the output for c to out[OUTPUT_MAX], and moves the cursor. Returns the number of bytes.
 */
static size_t do_output_char(struct n_tty_data *ldata, u8 c, u8 *out)
{
	size_t spaces;

	switch (c) {
	case '\n':
		if (o_flag(ldata, ONLRET))
			ldata->column = 0;
		if (!o_flag(ldata, ONLCR))
			break;
		ldata->column = 0;
		out[0] = '\r';
		out[1] = '\n';
		return 2;
	case '\r':
		if (o_flag(ldata, ONOCR) && !ldata->column)
			return 0;
		if (o_flag(ldata, OCRNL)) {
			c = '\n';
			if (o_flag(ldata, ONLRET))
				ldata->column = 0;
			break;
		}
		ldata->column = 0;
		break;
	case '\t':
		spaces = 8 - (ldata->column & 7);
		ldata->column += (unsigned)spaces;
		if ((ldata->termios.c_oflag & TABDLY) != XTABS)
			break;
		memset(out, ' ', spaces);
		return spaces;
	case '\b':
		if (ldata->column)
			ldata->column--;
		break;
	default:
		if (o_flag(ldata, OLCUC))
			c = to_upper(c);
		if (c >= 0x20 && c != 0x7f && !is_continuation(ldata, c))
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
	if (!o_flag(ldata, OPOST)) {
		*out = min(count, room);
		memcpy(dst, src, *out);
		return *out;
	}
	while (used < count && room - *out >= (src[used] == '\t' ? OUTPUT_MAX : 2))
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
	if (echo_room(ldata) < OUTPUT_MAX * n)
		return;
	for (size_t i = 0; i < n; i++) {
		u8 out[OUTPUT_MAX] = { s[i] };
		size_t len = o_flag(ldata, OPOST) ? do_output_char(ldata, s[i], out) : 1;

		for (size_t j = 0; j < len; j++)
			ldata->echo_buf[ldata->echo_head++ % N_TTY_BUF_SIZE] = out[j];
	}
}

static bool is_control(u8 c)
{
	return (c < 0x20 && c != '\t') || c == 0x7f;
}

/* Echoes c, if the terminal echoes. ECHOCTL: shows control characters as ^X. */
static void echo_char(struct n_tty_data *ldata, u8 c)
{
	u8 ctl[2] = { '^', c ^ 0x40 };

	if (!l_flag(ldata, ECHO))
		return;
	if (l_flag(ldata, ECHOCTL) && is_control(c))
		add_echo(ldata, ctl, 2);
	else
		add_echo(ldata, &c, 1);
}

/* ECHOPRT: closes what has been erased. */
static void finish_erasing(struct n_tty_data *ldata)
{
	if (ldata->erasing && l_flag(ldata, ECHO))
		add_echo(ldata, (const u8 *)"/", 1);
	ldata->erasing = false;
}

void n_tty_echo_signal(struct n_tty_data *ldata, u8 c)
{
	if (!l_flag(ldata, NOFLSH))
		ldata->echo_tail = ldata->echo_head;
	echo_char(ldata, c);
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
		if (is_control(c))
			columns += l_flag(ldata, ECHOCTL) ? 2 : 0;
		else
			columns += !is_continuation(ldata, c);
	}
	return 8 - ((columns + ldata->canon_column) & 7);
}

/* Erases the character at pos from the screen. The caller has just removed it from the line. */
static void echo_erase(struct n_tty_data *ldata, size_t pos)
{
	u8 c = read_buf(ldata, pos);
	unsigned columns = 1;

	if (!l_flag(ldata, ECHO))
		return;
	if (l_flag(ldata, ECHOPRT)) {
		if (!ldata->erasing)
			add_echo(ldata, (const u8 *)"\\", 1);
		ldata->erasing = true;
		echo_char(ldata, c);
		return;
	}
	if (!l_flag(ldata, ECHOE)) {
		echo_char(ldata, ldata->termios.c_cc[VERASE]);
		return;
	}
	if (c == '\t') {
		for (unsigned n = tab_width(ldata, pos); n; n--)
			add_echo(ldata, (const u8 *)"\b", 1);
		return;
	}
	if (is_control(c))
		columns = l_flag(ldata, ECHOCTL) ? 2 : 0;
	for (; columns; columns--)
		add_echo(ldata, (const u8 *)"\b \b", 3);
}

/* ---- line editing ---- */

static void erase_one(struct n_tty_data *ldata)
{
	do
		ldata->read_head--;
	while (ldata->read_head != ldata->canon_head &&
	       is_continuation(ldata, read_buf(ldata, ldata->read_head)));
	echo_erase(ldata, ldata->read_head);
}

static bool is_word_char(u8 c)
{
	return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/*
 * Handles the functions VERASE, VWERASE and VKILL. They erase only text of the current line.
 */
static void eraser(struct n_tty_data *ldata, unsigned function)
{
	size_t typed = ldata->read_head - ldata->canon_head;
	bool seen_word = false;

	if (!typed)
		return;
	if (function == VKILL &&
	    (!l_flag(ldata, ECHO) || !l_flag(ldata, ECHOK) || !l_flag(ldata, ECHOKE) ||
	     !l_flag(ldata, ECHOE) || typed * 8 + ECHO_ROOM > echo_room(ldata))) {
		/* Does not erase the line on the screen. It may also be too long for that. */
		ldata->read_head = ldata->canon_head;
		finish_erasing(ldata);
		echo_char(ldata, ldata->termios.c_cc[VKILL]);
		if (l_flag(ldata, ECHO) && l_flag(ldata, ECHOK))
			add_echo(ldata, (const u8 *)"\n", 1);
		return;
	}
	/*
	 * LAB 10: Erase a character, or back to the start of a word, or the line.
	 * Starts as: (void)seen_word, (void)is_word_char, (void)erase_one;
	 */
	while (ldata->read_head != ldata->canon_head) {
		bool word = is_word_char(read_buf(ldata, ldata->read_head - 1));

		if (function == VWERASE && seen_word && !word)
			break;
		seen_word |= word;
		erase_one(ldata);
		if (function == VERASE)
			break;
	}
	/* END LAB 10 */
	if (ldata->read_head == ldata->canon_head)
		finish_erasing(ldata);
}

static void reprint_line(struct n_tty_data *ldata)
{
	finish_erasing(ldata);
	echo_char(ldata, ldata->termios.c_cc[VREPRINT]);
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

/* Ends the line with c: a newline or its like; or, if eof, with the end of the file. */
static enum n_tty_action finish_line(struct n_tty_data *ldata, u8 c, bool eof)
{
	size_t pos = ldata->read_head;

	put_tty_queue(ldata, c);
	flag_set(ldata->read_flags, pos);
	if (eof)
		flag_set(ldata->eof_flags, pos);
	smp_store_release(&ldata->canon_head, ldata->read_head);
	return N_TTY_LINE;
}

/*
 * A byte without a function goes into the line; without ICANON a reader may have it at once.
 * newline: it is a newline made of a carriage return, which is echoed as such.
 */
static enum n_tty_action n_tty_receive_char_normal(struct n_tty_data *ldata, u8 c, bool newline)
{
	bool canonical = l_flag(ldata, ICANON);

	if (read_cnt(ldata) >= N_TTY_BUF_SIZE - 1) {
		if (l_flag(ldata, ECHO))
			add_echo(ldata, (const u8 *)"\a", 1); /* drops the byte, as with IMAXBEL */
		return N_TTY_NOTHING;
	}
	if (canonical && ldata->read_head == ldata->canon_head)
		ldata->canon_column = ldata->column;
	finish_erasing(ldata);
	if (newline && l_flag(ldata, ECHO))
		add_echo(ldata, &c, 1);
	else
		echo_char(ldata, c);
	/* A single \377 of PARMRK begins the mark of a bad byte. */
	if (c == 0xff && i_flag(ldata, PARMRK))
		put_tty_queue(ldata, c);
	put_tty_queue(ldata, c);
	if (canonical)
		return N_TTY_NOTHING;
	smp_store_release(&ldata->canon_head, ldata->read_head);
	return N_TTY_LINE;
}

/* What c asks for with ISIG or IXON. N_TTY_NOTHING: it has no such function. */
static enum n_tty_action control_action(const struct n_tty_data *ldata, u8 c)
{
	/* LAB 10: IXON and ISIG turn these on. Starts as: (void)ldata, (void)c; */
	if (i_flag(ldata, IXON)) {
		if (is_char(ldata, VSTART, c))
			return N_TTY_START;
		if (is_char(ldata, VSTOP, c))
			return N_TTY_STOP;
	}
	if (l_flag(ldata, ISIG)) {
		if (is_char(ldata, VINTR, c))
			return N_TTY_SIGINT;
		if (is_char(ldata, VQUIT, c))
			return N_TTY_SIGQUIT;
		if (is_char(ldata, VSUSP, c))
			return N_TTY_SIGTSTP;
	}
	/* END LAB 10 */
	return N_TTY_NOTHING;
}

/* Edits the line. False: c has no such function. */
static bool edit_line(struct n_tty_data *ldata, u8 c)
{
	if (is_char(ldata, VERASE, c) || (c == '\b' && is_char(ldata, VERASE, ERASE_CHAR)))
		eraser(ldata, VERASE);
	else if (is_char(ldata, VKILL, c))
		eraser(ldata, VKILL);
	else if (l_flag(ldata, IEXTEN) && is_char(ldata, VWERASE, c))
		eraser(ldata, VWERASE);
	else if (l_flag(ldata, IEXTEN) && is_char(ldata, VREPRINT, c) && l_flag(ldata, ECHO))
		reprint_line(ldata);
	else
		return false;
	return true;
}

static enum n_tty_action receive_canonical(struct n_tty_data *ldata, u8 c)
{
	if (edit_line(ldata, c))
		return N_TTY_NOTHING;
	if (c == '\n') {
		if (l_flag(ldata, ECHO) || l_flag(ldata, ECHONL))
			add_echo(ldata, &c, 1);
		return finish_line(ldata, c, false);
	}
	if (is_char(ldata, VEOF, c))
		return finish_line(ldata, c, true);
	if (is_char(ldata, VEOL, c) || (l_flag(ldata, IEXTEN) && is_char(ldata, VEOL2, c))) {
		echo_char(ldata, c);
		return finish_line(ldata, c, false);
	}
	return n_tty_receive_char_normal(ldata, c, false);
}

/* Bytes that most modes take as they are: no control character, not DEL. */
static bool is_ordinary(const struct n_tty_data *ldata, u8 c)
{
	return c >= 0x20 && c != 0x7f && !ldata->any_function_printable;
}

enum n_tty_action n_tty_receive_char(struct n_tty_data *ldata, u8 c)
{
	enum n_tty_action action;
	bool newline = false;

	if (i_flag(ldata, ISTRIP))
		c &= 0x7f;
	if (ldata->lnext) {
		ldata->lnext = false;
		return n_tty_receive_char_normal(ldata, c, false);
	}
	if (i_flag(ldata, IUCLC) && l_flag(ldata, IEXTEN))
		c = to_lower(c);
	if (is_ordinary(ldata, c))
		return n_tty_receive_char_normal(ldata, c, false);
	action = control_action(ldata, c);
	if (action >= N_TTY_SIGINT && action <= N_TTY_SIGTSTP && !l_flag(ldata, NOFLSH))
		n_tty_flush_input(ldata);
	if (action != N_TTY_NOTHING)
		return action;
	if (c == '\r') {
		if (i_flag(ldata, IGNCR))
			return N_TTY_NOTHING;
		newline = i_flag(ldata, ICRNL);
		if (newline)
			c = '\n';
	} else if (c == '\n' && i_flag(ldata, INLCR)) {
		c = '\r';
	}
	if (l_flag(ldata, ICANON) && l_flag(ldata, IEXTEN) && is_char(ldata, VLNEXT, c)) {
		ldata->lnext = true;
		if (l_flag(ldata, ECHO) && l_flag(ldata, ECHOCTL))
			add_echo(ldata, (const u8 *)"^\b", 2);
		return N_TTY_NOTHING;
	}
	return l_flag(ldata, ICANON) ? receive_canonical(ldata, c)
				     : n_tty_receive_char_normal(ldata, c, newline);
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
