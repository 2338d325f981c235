/*
 * The line discipline: any bytes leave it in a valid state, cooked and raw.
 *
 * sources: kernel/console/n_tty.c
 */
#include <stdint.h>

#include "check.h"
#include "kernel/console/n_tty.h"

static void type(struct n_tty_data *tty, const uint8_t *data, size_t size)
{
	u8 buf[64];
	bool eof;

	for (size_t i = 0; i < size; i++) {
		if (n_tty_receive_room(tty, false))
			n_tty_receive_char(tty, data[i]);
		else
			process_echoes(tty, buf, sizeof(buf));
		if (i % 7 == 0)
			canon_copy_from_read_buf(tty, buf, i % sizeof(buf), &eof);
		CHECK(tty->read_head - tty->read_tail <= N_TTY_BUF_SIZE);
		CHECK(tty->canon_head - tty->read_tail <= tty->read_head - tty->read_tail);
		CHECK(tty->echo_head - tty->echo_tail <= N_TTY_BUF_SIZE);
	}
}

/* The second half of the input is typed with the modes that the first bytes set. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct n_tty_data tty;
	struct termios modes = tty_std_termios;

	n_tty_init(&tty);
	type(&tty, data, size / 2);
	if (size >= 6) {
		modes.c_iflag ^= (u32)data[0] | (u32)data[1] << 8;
		modes.c_oflag ^= (u32)data[2];
		modes.c_lflag ^= (u32)data[3] | (u32)data[4] << 8;
		n_tty_set_termios(&tty, &modes);
	}
	type(&tty, data + size / 2, size - size / 2);
	return 0;
}
