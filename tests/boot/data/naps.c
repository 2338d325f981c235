/* Sleeps for 50 ms by nanosleep(2). Only musl calls that: glibc's nanosleep() is clock_nanosleep(2). */
#include <time.h>

int main(void)
{
	return nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
}
