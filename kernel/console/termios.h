/* The modes of a terminal, with the names and values of Linux: termios(3), ioctl_tty(2). */
#pragma once

#include "kernel/compiler.h"

#define NCCS 19

/* The argument of TCGETS and TCSETS. */
struct termios {
	u32 c_iflag, c_oflag, c_cflag, c_lflag;
	u8 c_line;
	u8 c_cc[NCCS];
};

/* The argument of TCGETA and TCSETA, from System V. */
struct termio {
	u16 c_iflag, c_oflag, c_cflag, c_lflag;
	u8 c_line;
	u8 c_cc[8];
};

/* The argument of TCGETS2 and TCSETS2: with any speed. */
struct termios2 {
	struct termios modes;
	u32 c_ispeed, c_ospeed;
};

/* c_cflag */
#define CBAUD   0x100fU
#define CIBAUD  (CBAUD << IBSHIFT) /* the speed of input; 0: that of output */
#define IBSHIFT 16
#define BOTHER  0x1000U /* c_ospeed has the speed */
#define CLOCAL  0x0800U

struct winsize {
	u16 ws_row, ws_col;
	u16 ws_xpixel, ws_ypixel;
};

/* c_cc */
#define VINTR    0
#define VQUIT    1
#define VERASE   2
#define VKILL    3
#define VEOF     4
#define VTIME    5
#define VMIN     6
#define VSTART   8
#define VSTOP    9
#define VSUSP    10
#define VEOL     11
#define VREPRINT 12
#define VDISCARD 13
#define VWERASE  14
#define VLNEXT   15
#define VEOL2    16

#define DISABLED_CHAR 0 /* in c_cc: no character has this function */

/* c_iflag */
#define IGNBRK  0x0001U
#define BRKINT  0x0002U
#define IGNPAR  0x0004U
#define PARMRK  0x0008U
#define INPCK   0x0010U
#define ISTRIP  0x0020U
#define INLCR   0x0040U
#define IGNCR   0x0080U
#define ICRNL   0x0100U
#define IUCLC   0x0200U
#define IXON    0x0400U
#define IXANY   0x0800U
#define IXOFF   0x1000U
#define IMAXBEL 0x2000U
#define IUTF8   0x4000U
/* c_oflag */
#define OPOST  0x0001U
#define OLCUC  0x0002U
#define ONLCR  0x0004U
#define OCRNL  0x0008U
#define ONOCR  0x0010U
#define ONLRET 0x0020U
#define TABDLY 0x1800U
#define XTABS  0x1800U
/* c_lflag */
#define ISIG    0x0001U
#define ICANON  0x0002U
#define ECHO    0x0008U
#define ECHOE   0x0010U
#define ECHOK   0x0020U
#define ECHONL  0x0040U
#define NOFLSH  0x0080U
#define TOSTOP  0x0100U
#define ECHOCTL 0x0200U
#define ECHOPRT 0x0400U
#define ECHOKE  0x0800U
#define IEXTEN  0x8000U

#define TCGETS         0x5401
#define TCSETS         0x5402
#define TCSETSW        0x5403
#define TCSETSF        0x5404
#define TCGETA         0x5405 /* the same with struct termio */
#define TCSETA         0x5406
#define TCSETAW        0x5407
#define TCSETAF        0x5408
#define TCSBRK         0x5409
#define TCXONC         0x540a
#define TCFLSH         0x540b
#define TIOCEXCL       0x540c
#define TIOCNXCL       0x540d
#define TIOCSCTTY      0x540e
#define TIOCGPGRP      0x540f
#define TIOCSPGRP      0x5410
#define TIOCOUTQ       0x5411
#define TIOCSTI        0x5412
#define TIOCGWINSZ     0x5413
#define TIOCSWINSZ     0x5414
#define TIOCGSOFTCAR   0x5419 /* the flag CLOCAL */
#define TIOCSSOFTCAR   0x541a
#define FIONREAD       0x541b
#define TIOCNOTTY      0x5422
#define TIOCSETD       0x5423 /* the line discipline */
#define TIOCGETD       0x5424
#define TIOCGSID       0x5429
#define TIOCGPTPEER    0x5441
#define TIOCGLCKTRMIOS 0x5456
#define TIOCSLCKTRMIOS 0x5457
/* The same as TCGETS and TCSETS with struct termios2. */
#define TCGETS2   0x802c542aU
#define TCSETS2   0x402c542bU
#define TCSETSW2  0x402c542cU
#define TCSETSF2  0x402c542dU
#define TIOCGEXCL 0x80045440U
#define TCSBRKP   0x5425

#define TCIFLUSH  0
#define TCOFLUSH  1
#define TCIOFLUSH 2
#define TCOOFF    0
#define TCOON     1
#define TCIOFF    2
#define TCION     3
