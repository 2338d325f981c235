/* Files whose bytes are read and written in memory only have no O_DIRECT; the open has made the file all the same. */
#include "abi.h"

int main(void)
{
	int fd;

	CALL(open("file", O_RDWR | O_CREAT | O_DIRECT, 0600));
	CALL(access("file", F_OK));
	fd = open("file", O_RDWR);
	CALL(fcntl(fd, F_SETFL, O_DIRECT));
	CALL(fcntl(fd, F_SETFL, O_APPEND));
	CALL(open(".", O_RDONLY | O_DIRECT));
	CALL(open("/dev/null", O_RDWR | O_DIRECT));
	CALL(open("/proc/stat", O_RDONLY | O_DIRECT));
	return 0;
}
