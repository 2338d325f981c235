/*
 * The line discipline alone: types bytes, and prints what a program reads and what the screen gets.
 * sources: kernel/console/n_tty.c
 *
 * lab10_tty HEX [noisig|noixon|others|utf8]: one line for each byte with an action, then the input and the echo in HEX.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/console/n_tty.h"

static struct n_tty_data tty;

static void set_mode(const char *mode)
{
	struct termios new = tty.termios;

	if (!strcmp(mode, "noisig"))
		new.c_lflag &= ~(u32)ISIG;
	else if (!strcmp(mode, "noixon"))
		new.c_iflag &= ~(u32)IXON;
	else if (!strcmp(mode, "others")) {
		new.c_cc[VINTR] = 0x02;
		new.c_cc[VQUIT] = 0x05;
		new.c_cc[VSUSP] = 0x06;
		new.c_cc[VSTOP] = 0x0e;
		new.c_cc[VSTART] = 0x10;
	} else if (!strcmp(mode, "utf8"))
		new.c_iflag |= IUTF8;
	n_tty_set_termios(&tty, &new);
}

static void print_hex(const char *name, const u8 *bytes, size_t n)
{
	printf("%s ", name);
	for (size_t i = 0; i < n; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	static u8 input[2 * N_TTY_BUF_SIZE], echo[16 * N_TTY_BUF_SIZE];
	size_t read = 0, echoed = 0;
	bool eof;

	n_tty_init(&tty);
	if (argc > 2)
		set_mode(argv[2]);
	for (const char *hex = argv[1]; hex[0] && hex[1]; hex += 2) {
		unsigned byte;
		enum n_tty_action action;

		sscanf(hex, "%2x", &byte);
		action = n_tty_receive_char(&tty, (u8)byte);
		echoed += process_echoes(&tty, echo + echoed, sizeof(echo) - echoed);
		if (action != N_TTY_NOTHING)
			printf("action %02x %d\n", byte, action);
	}
	while (input_available_p(&tty))
		read += canon_copy_from_read_buf(&tty, input + read, sizeof(input) - read, &eof);
	print_hex("input", input, read);
	print_hex("echo", echo, echoed);
	return 0;
}
