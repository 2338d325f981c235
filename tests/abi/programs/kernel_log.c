/* syslog(2): reading the log of the kernel, its size, the level of the console, and who may do so. */
#include "abi.h"

#define syslog(type, buf, len) syscall(SYS_syslog, type, buf, len)

static void nobody(void)
{
	char buf[100];

	setuid(65534);
	CALL(syslog(2, buf, 100));
	CALL(syslog(4, buf, 100));
	CALL(syslog(5, NULL, 0));
	CALL(syslog(8, NULL, 4));
	CALL(syslog(9, NULL, 0));
}

int main(void)
{
	static char buf[1 << 20];
	long n, size;

	CALL(syslog(0, NULL, 0));
	CALL(syslog(1, NULL, 0));
	size = syslog(10, NULL, 0);
	TRUTH(size >= 1 << 16);
	n = syslog(3, buf, sizeof(buf));
	TRUTH(n > 0 && n <= size);
	TRUTH(buf[0] == '<' && buf[n - 1] == '\n');
	TRUTH(syslog(3, buf, 300) <= 300);
	CALL(syslog(3, buf, -1));
	CALL(syslog(3, NULL, 10));
	CALL(syslog(3, buf, 0));
	CALL(syslog(3, 8, 1000));
	CALL(syslog(11, NULL, 0));
	CALL(syslog(-1, NULL, 0));
	CALL(syslog(8, NULL, 0));
	CALL(syslog(8, NULL, 9));
	CHILD(nobody);
	return 0;
}
