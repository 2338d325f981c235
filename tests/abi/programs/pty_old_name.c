/*
 * The name of a terminal that is gone, kept open with O_PATH: it opens no later terminal. Without
 * this check, a user who keeps an old name opens root's terminal, which has got the same number:
 * permission is checked on the old inode, which is his.
 */
#include "pty.h"

#define ROUNDS 64
#define USER   65534

static unsigned number;     /* of the first terminal; the others get it, too */
static int others;          /* terminals with another number */
static int kept[ROUNDS];    /* O_PATH */
static int opened, refused; /* later terminals; EIO */

/* Opens the master of an unlocked terminal. */
static int new_master(char *name, size_t size)
{
	int master = open("/dev/ptmx", O_RDWR | O_NOCTTY), zero = 0;
	unsigned index = 0;

	ioctl(master, TIOCSPTLCK, &zero);
	ioctl(master, TIOCGPTN, &index);
	snprintf(name, size, "/dev/pts/%u", index);
	if (number == ~0U)
		number = index;
	others += index != number;
	return master;
}

/* Opens for reading and writing what a descriptor with O_PATH names. */
static int open_again(int fd)
{
	char name[40];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return open(name, O_RDWR | O_NOCTTY);
}

static void one_name(void)
{
	char name[32];
	int master = new_master(name, sizeof(name)), fd = open(name, O_PATH);
	struct stat st;

	OK(close(open_again(fd)));
	CALL(close(master));
	CALL(open_again(fd));
	CALL(open(name, O_PATH));
	CALL(fstat(fd, &st));
	show("links %d, mode %o, terminal: %d", (int)st.st_nlink, st.st_mode, (int)(st.st_rdev >> 8));
	close(fd);
}

/* The user has kept the first n names; root has a new terminal. */
static void try_all(int n)
{
	for (int i = 0; i < n; i++) {
		int fd = open_again(kept[i]);

		opened += fd >= 0;
		refused += fd < 0 && errno == EIO;
		if (fd >= 0)
			close(fd);
	}
}

int main(void)
{
	char name[32];
	int master;

	number = ~0U;
	one_name();
	for (int i = 0; i < ROUNDS; i++) {
		seteuid(USER);
		master = new_master(name, sizeof(name));
		kept[i] = open(name, O_PATH);
		close(master);
		seteuid(0);
		master = new_master(name, sizeof(name));
		seteuid(USER);
		try_all(i + 1);
		seteuid(0);
		close(master);
	}
	show("terminals with another number: %d", others);
	show("old names: %d opened a terminal of root, %d did not", opened, refused);
	return 0;
}
