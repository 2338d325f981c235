/* RLIMIT_CPU: SIGXCPU at the soft limit, each second after it, SIGKILL at the hard one. */
#include "abi.h"

static volatile int handled;

static void handler(int sig)
{
	handled++;
}

static void burn(void)
{
	for (;;)
		;
}

static void soft(void)
{
	struct rlimit limit = { 1, 10 };

	setrlimit(RLIMIT_CPU, &limit);
	burn();
}

/* SIGKILL, and no SIGXCPU before it, which would end the program as well. */
static void hard(void)
{
	struct rlimit limit = { 1, 1 };

	setrlimit(RLIMIT_CPU, &limit);
	burn();
}

static void twice(void)
{
	struct rlimit limit = { 1, 10 }, now;

	signal(SIGXCPU, handler);
	setrlimit(RLIMIT_CPU, &limit);
	while (handled < 2)
		;
	getrlimit(RLIMIT_CPU, &now);
	show("handled %d, soft limit %lu, hard %lu", handled, (unsigned long)now.rlim_cur, (unsigned long)now.rlim_max);
}

static void sleeper(void)
{
	struct rlimit limit = { 1, 1 };

	setrlimit(RLIMIT_CPU, &limit);
	usleep(1300000);
	show("still there");
}

int main(void)
{
	CHILD(soft);
	CHILD(hard);
	CHILD(twice);
	CHILD(sleeper);
	return 0;
}
