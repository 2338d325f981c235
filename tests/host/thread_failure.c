/*
 * Prints the text of an assertion that fails in another thread than the test's. cmocka keeps this text
 * until the test function returns. But if the assertion is in another thread, cmocka ends the program at
 * once, and the text would be lost. Linked with every host test; libcmocka calls these functions, too.
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
