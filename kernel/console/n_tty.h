/*
 * The pure part of the line discipline: takes bytes, and gives edited lines and echo. It uses no
 * lock, no sleep and no device, so that host tests can run it. kernel/console/n_tty_io.c connects
 * it to a terminal.
 *
 * The modes are those of termios(3). After boot they are Linux's: canonical, ISIG, ICRNL, IXON,
 * ECHO with ECHOE, ECHOK, ECHOKE and ECHOCTL, OPOST with ONLCR.
 */
#pragma once

#include "kernel/console/termios.h"

#define N_TTY_BUF_SIZE 4096U /* a line has at most N_TTY_BUF_SIZE - 1 bytes, and its newline */

/* Control characters as Linux sets them; both BS and DEL erase. */
#define INTR_CHAR    0x03 /* ^C */
#define QUIT_CHAR    0x1c /* ^\ */
#define EOF_CHAR     0x04 /* ^D */
#define START_CHAR   0x11 /* ^Q */
#define STOP_CHAR    0x13 /* ^S */
#define SUSP_CHAR    0x1a /* ^Z */
#define KILL_CHAR    0x15 /* ^U */
#define WERASE_CHAR  0x17 /* ^W */
#define REPRINT_CHAR 0x12 /* ^R */
#define LNEXT_CHAR   0x16 /* ^V */
#define DISCARD_CHAR 0x0f /* ^O */
#define ERASE_CHAR   0x7f

/*
 * Positions only increase; an index is a position modulo the buffer size. read_tail..canon_head
 * holds complete lines, canon_head..read_head the line that the user edits. A bit in read_flags: a
 * line ends here. With the bit in eof_flags it ends with a ^D, which readers do not get; else with
 * a newline.
 *
 * [I] the input lock, [O] the output lock: tty.h.
 */
struct n_tty_data {
	u8 read_buf[N_TTY_BUF_SIZE];                   /* [I] */
	unsigned long read_flags[N_TTY_BUF_SIZE / 64]; /* [I] */
	unsigned long eof_flags[N_TTY_BUF_SIZE / 64];  /* [I] */
	size_t read_head, canon_head, read_tail;       /* [I] */
	bool lnext;                  /* [I] the next byte has no special meaning */
	struct termios termios;      /* [I and O] to write */
	bool any_function_printable; /* [I] a printable byte has a function in c_cc */
	bool erasing;                /* [I] ECHOPRT: the erased text is not closed by a '/' yet */
	u8 echo_buf[N_TTY_BUF_SIZE]; /* [O] ready to send */
	size_t echo_head, echo_tail; /* [O] */
	unsigned column;             /* [O] of the cursor */
	unsigned canon_column;       /* [O] of the start of the edited line */
};

/* The caller must do this after a received byte. */
enum n_tty_action {
	N_TTY_NOTHING,
	N_TTY_LINE,   /* a line is complete: wake readers */
	N_TTY_SIGINT, /* ^C: the input is dropped; drop unsent output, call n_tty_echo_signal(),
			 send the signal */
	N_TTY_SIGQUIT,
	N_TTY_SIGTSTP, /* ^Z */
	N_TTY_STOP,    /* ^S */
	N_TTY_START,   /* ^Q */
};

void n_tty_init(struct n_tty_data *ldata);
/*
 * Changes the modes. Received bytes stay: what was an unfinished line becomes readable with ICANON
 * off; bytes that were not read become a line with ICANON on.
 */
void n_tty_set_termios(struct n_tty_data *ldata, const struct termios *new);
/* The modes after boot. */
extern const struct termios tty_std_termios;
/* Drops received bytes that were not read. */
void n_tty_flush_input(struct n_tty_data *ldata);
/* The bytes that a read could take now (FIONREAD). */
size_t n_tty_readable_bytes(const struct n_tty_data *ldata);
/*
 * True when n_tty_receive_char() may be called. False: complete lines fill the buffer, or the echo
 * buffer has no room. deaf: the room for echo does not matter.
 */
bool n_tty_receive_room(const struct n_tty_data *ldata, bool deaf);
enum n_tty_action n_tty_receive_char(struct n_tty_data *ldata, u8 c);
/* Drops unsent echo, and echoes the character of the signal as ^X. */
void n_tty_echo_signal(struct n_tty_data *ldata, u8 c);
/* True when a whole line (raw: a byte) or an end of file is ready. */
bool input_available_p(const struct n_tty_data *ldata);
/* The same for poll(2): raw and without VTIME, VMIN bytes. */
bool n_tty_input_polled(const struct n_tty_data *ldata);
/*
 * Takes at most size bytes of the first line (raw: of all bytes). Sets *eof when it took a ^D on an
 * empty line.
 */
size_t canon_copy_from_read_buf(struct n_tty_data *ldata, u8 *buf, size_t size, bool *eof);

/*
 * Converts output: bytes of src to at most room bytes at dst (newline to CR LF, unless raw). *out
 * is the number of bytes written. Returns the number of bytes of src that it used.
 */
size_t process_output_block(struct n_tty_data *ldata, const u8 *src, size_t count, u8 *dst,
			    size_t room, size_t *out);
/* Takes at most size bytes of pending echo. */
size_t process_echoes(struct n_tty_data *ldata, u8 *buf, size_t size);
