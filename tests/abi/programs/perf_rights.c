/* Who may count what: perf_event_paranoid, for root and for a user without capabilities. */
#include "perf.h"

static void attempts(void)
{
	TRY("own task");
	TRY("own task, exclude_kernel", .exclude_kernel = 1);
	TRY("own task, exclude_kernel, a type without a PMU", .exclude_kernel = 1, .type = 77);
	TRY("own task, exclude_kernel, SAMPLE_PHYS_ADDR", .exclude_kernel = 1, .sample_type = PERF_SAMPLE_PHYS_ADDR);
	TRY("own task, exclude_kernel, namespaces", .exclude_kernel = 1, .namespaces = 1);
	TRY("own task, exclude_kernel, ksymbol, text_poke, build_id", .exclude_kernel = 1, .ksymbol = 1, .text_poke = 1, .build_id = 1);
	TRY("own task, a reserved bit", .__reserved_1 = 1);
	TRY_ON("CPU 0, exclude_kernel", -1, 0, -1, 0, .exclude_kernel = 1);
	TRY_ON("CPU 0", -1, 0, -1, 0, );
	TRY_ON("CPU 99, exclude_kernel", -1, 99, -1, 0, .exclude_kernel = 1);
	TRY_ON("PID 1, exclude_kernel", 1, -1, -1, 0, .exclude_kernel = 1);
	TRY_ON("PID 99999, exclude_kernel", 99999, -1, -1, 0, .exclude_kernel = 1);
	said("writes perf_event_paranoid", open("/proc/sys/kernel/perf_event_paranoid", O_WRONLY));
}

int main(void)
{
	for (int level = -1; level <= 3; level++) {
		set_sysctl("perf_event_paranoid", level);
		show("perf_event_paranoid %d", number_in("/proc/sys/kernel/perf_event_paranoid"));
		show("user");
		as_user(attempts);
	}
	show("root");
	attempts();
	set_sysctl("perf_event_paranoid", 2);
	return 0;
}
