/* fs.epoll.max_user_watches: the files that all epoll instances of a user watch (epoll(7)). */
#include "fs/fdevents/eventpoll.h"
#include "fs/proc/proc_fs.h"
#include "kernel/init.h"
#include "kernel/mm/page_alloc.h"

/* At most 1/25 of the memory. Read and written without a lock. */
static unsigned long max_user_watches;

bool epoll_charge_watch(struct user_struct *user)
{
	s64 watches = atomic64_inc_return(&user->epoll_watches);

	if ((unsigned long)watches <= READ_ONCE(max_user_watches))
		return true;
	atomic64_dec(&user->epoll_watches);
	return false;
}

void epoll_uncharge_watch(struct user_struct *user)
{
	atomic64_dec(&user->epoll_watches);
}

SYSCTL(epoll_max_user_watches, "fs/epoll", "max_user_watches", 0644, proc_doulongvec,
       .data = &max_user_watches);

static int epoll_limit_init(void)
{
	max_user_watches = total_pages() / 25 * PAGE_SIZE / EPOLL_ITEM_COST;
	return 0;
}
late_initcall(epoll_limit_init);
