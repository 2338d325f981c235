/*
 * The line discipline's pure part: bytes in, edited lines and echo out. No lock, no sleep, no
 * device, so that it is tested on the host; kernel/console/n_tty_io.c puts it to work.
 *
 * The modes are those of a Linux terminal after boot: canonical, ISIG, ICRNL, IXON, ECHO with
 * ECHOE, ECHOK, ECHOKE and ECHOCTL, OPOST with ONLCR (termios(3)). The only others are all of these
 * off (cfmakeraw(3)): then bytes go through both ways as they are.
 */
#pragma once

#include "kernel/compiler.h"

#define N_TTY_BUF_SIZE 4096U /* a line has at most one byte less, and its newline */

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
#define ERASE_CHAR   0x7f

/*
 * Positions count for ever and are taken modulo the buffer size. read_tail..canon_head are complete
 * lines, canon_head..read_head is the line being edited. A set bit in read_flags: a line ends here
 * (with a newline, or, in eof_flags too, with a ^D that is not delivered).
 *
 * [I] the input lock, [O] the output lock: tty.h.
 */
struct n_tty_data {
	u8 read_buf[N_TTY_BUF_SIZE];                   /* [I] */
	unsigned long read_flags[N_TTY_BUF_SIZE / 64]; /* [I] */
	unsigned long eof_flags[N_TTY_BUF_SIZE / 64];  /* [I] */
	size_t read_head, canon_head, read_tail;       /* [I] */
	bool lnext;                                    /* [I] the next byte is taken as it is */
	bool raw;                                      /* [I and O to write] */
	u8 echo_buf[N_TTY_BUF_SIZE];                   /* [O] ready to be sent */
	size_t echo_head, echo_tail;                   /* [O] */
	unsigned column;                               /* [O] where the cursor is */
	unsigned canon_column;                         /* [O] where the edited line began */
};

/* What a received byte asks of the caller. */
enum n_tty_action {
	N_TTY_NOTHING,
	N_TTY_LINE,   /* a line is complete: wake readers */
	N_TTY_SIGINT, /* ^C: the input was flushed; drop unsent output, echo_signal(), send the
			 signal */
	N_TTY_SIGQUIT,
	N_TTY_SUSPEND, /* ^Z: the same without a signal, because no shell here has job control */
	N_TTY_STOP,    /* ^S */
	N_TTY_START,   /* ^Q */
};

void n_tty_init(struct n_tty_data *ldata);
/* Change the mode. What has been received is forgotten, and the echo of it. */
void n_tty_set_raw(struct n_tty_data *ldata, bool raw);
/* A byte can be taken now. False: complete lines fill the buffer, or the echo has no room (unless
 * deaf). */
bool n_tty_receive_room(const struct n_tty_data *ldata, bool deaf);
enum n_tty_action n_tty_receive_char(struct n_tty_data *ldata, u8 c);
/* Forget unsent echo and show the signal's character as ^X. */
void n_tty_echo_signal(struct n_tty_data *ldata, u8 c);
/* A whole line (raw: a byte), or an end of file, waits. */
bool input_available_p(const struct n_tty_data *ldata);
/* Take at most size bytes of the first line (raw: of all there is); *eof when a ^D with nothing
 * before it was taken. */
size_t canon_copy_from_read_buf(struct n_tty_data *ldata, u8 *buf, size_t size, bool *eof);

/*
 * Output: turn bytes of src into at most room bytes at dst (newline to CR LF, unless raw). Returns
 * bytes of src used; *out bytes were written.
 */
size_t process_output_block(struct n_tty_data *ldata, const u8 *src, size_t count, u8 *dst,
			    size_t room, size_t *out);
/* Take at most size bytes of pending echo. */
size_t process_echoes(struct n_tty_data *ldata, u8 *buf, size_t size);
