/* flock and fcntl locks. */
#include "abi.h"

#include <sys/file.h>
#include <sys/sendfile.h>

int main(void)
{
	int fd;

	OK(fd = open("f", O_RDWR | O_CREAT, 0644));
	CALL(flock(fd, LOCK_EX));
	{
		int g = open("f", O_RDWR);
		CALL(flock(g, LOCK_EX | LOCK_NB));
		CALL(flock(fd, LOCK_UN));
		CALL(flock(g, LOCK_SH | LOCK_NB));
		CALL(flock(g, 99));
		struct flock l = { .l_type = F_WRLCK, .l_start = 5, .l_len = 10 };
		CALL(fcntl(fd, F_SETLK, &l));
		l.l_type = F_RDLCK;
		CALL(fcntl(g, F_OFD_SETLK, &l));
		CALL(fcntl(g, F_OFD_GETLK, &l));
		show("%d %d %ld %ld %d", l.l_type, l.l_whence, (long)l.l_start, (long)l.l_len,
		     l.l_pid > 0);
		l.l_type = 99;
		CALL(fcntl(fd, F_SETLK, &l));
		close(g);
	}
	return 0;
}
