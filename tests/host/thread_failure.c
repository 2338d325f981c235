/*
 * Why a test failed, when it was not the test's own thread that found out. cmocka keeps the text of
 * a failed assertion until the test function has come back, and ends the program at once when the
 * assertion stood in another thread: the text would be gone. Linked with every host test;
 * libcmocka's own calls of these functions come here too.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "test.h"

static pthread_t main_thread;

__attribute__((constructor)) static void remember_main_thread(void)
{
	main_thread = pthread_self();
}

void cm_print_error(const char *format, ...)
{
	void (*next)(const char *format, ...) =
		(void (*)(const char *, ...))dlsym(RTLD_NEXT, "cm_print_error");
	char text[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (pthread_equal(pthread_self(), main_thread))
		next("%s", text);
	else
		fprintf(stderr, "# in a thread of the test: %s", text);
}
