/* timerfd: one expiration, several, absolute times, the time that is left, stopping. */
#include <poll.h>
#include <sys/timerfd.h>

#include "abi.h"

#define MS 1000000L

static void left(int fd)
{
	struct itimerspec now;

	timerfd_gettime(fd, &now);
	show("left: %s, interval %ld ms", now.it_value.tv_sec || now.it_value.tv_nsec ? "some" : "none",
	     now.it_interval.tv_sec * 1000 + now.it_interval.tv_nsec / MS);
}

int main(void)
{
	struct itimerspec later = { { 0, 0 }, { 100, 0 } }, once = { { 0, 0 }, { 0, 20 * MS } }, periodic = { { 0, 20 * MS }, { 0, 10 * MS } };
	struct itimerspec off = { { 0, 0 }, { 0, 0 } }, hour = { { 60, 0 }, { 3600, 5 } }, old, absolute;
	struct pollfd one;
	uint64_t ticks;
	int fd;

	OK(fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	one = (struct pollfd){ fd, POLLIN | POLLOUT, 0 };
	left(fd);
	CALL(poll(&one, 1, 0));
	CALL(timerfd_settime(fd, 0, &later, &old));
	show("old %ld %ld", (long)old.it_value.tv_sec, old.it_value.tv_nsec);
	left(fd);
	CALL(timerfd_settime(fd, 0, &once, NULL));
	CALL(poll(&one, 1, -1));
	show("%x", one.revents);
	left(fd);
	CALL(read(fd, &ticks, 8));
	show("ticks %llu", (unsigned long long)ticks);
	CALL(poll(&one, 1, 0));
	CALL(timerfd_settime(fd, 0, &periodic, NULL));
	usleep(75000);
	left(fd);
	CALL(read(fd, &ticks, 8));
	TRUTH(ticks >= 4 && ticks < 5000);
	CALL(read(fd, &ticks, 8));
	TRUTH(ticks >= 1 && ticks < 5000);
	CALL(timerfd_settime(fd, 0, &hour, &old));
	show("old interval %ld ms, value %s", old.it_interval.tv_nsec / MS, old.it_value.tv_nsec ? "some" : "none");
	CALL(timerfd_gettime(fd, &old));
	TRUTH(old.it_value.tv_sec > 3500 && old.it_value.tv_sec < 3600);
	CALL(poll(&one, 1, 0));
	CALL(timerfd_settime(fd, 0, &off, NULL));
	left(fd);
	/* Absolute times: soon, and long ago. */
	clock_gettime(CLOCK_MONOTONIC, &absolute.it_value);
	absolute.it_value.tv_nsec += 20 * MS;
	if (absolute.it_value.tv_nsec >= 1000 * MS) {
		absolute.it_value.tv_nsec -= 1000 * MS;
		absolute.it_value.tv_sec++;
	}
	absolute.it_interval = (struct timespec){ 0, 0 };
	CALL(timerfd_settime(fd, TFD_TIMER_ABSTIME, &absolute, NULL));
	CALL(read(fd, &ticks, 8));
	show("ticks %llu", (unsigned long long)ticks);
	absolute.it_value = (struct timespec){ 0, 1 };
	CALL(timerfd_settime(fd, TFD_TIMER_ABSTIME, &absolute, NULL));
	CALL(read(fd, &ticks, 8));
	show("ticks %llu", (unsigned long long)ticks);
	/* Setting it takes back what has expired. */
	CALL(timerfd_settime(fd, TFD_TIMER_ABSTIME, &absolute, NULL));
	usleep(10000);
	CALL(timerfd_settime(fd, 0, &hour, NULL));
	CALL(poll(&one, 1, 0));
	close(fd);
	/* The time of day. */
	OK(fd = timerfd_create(CLOCK_REALTIME, 0));
	clock_gettime(CLOCK_REALTIME, &absolute.it_value);
	CALL(timerfd_settime(fd, TFD_TIMER_ABSTIME, &absolute, NULL));
	CALL(read(fd, &ticks, 8));
	show("ticks %llu", (unsigned long long)ticks);
	return 0;
}
