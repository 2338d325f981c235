/* set_robust_list(2) and get_robust_list(2), and what the kernel does with the list when a thread ends. */
#include "abi.h"

#include <pthread.h>

#define FUTEX_WAITERS    0x80000000U
#define FUTEX_OWNER_DIED 0x40000000U

struct robust_list {
	struct robust_list *next;
};
struct robust_list_head {
	struct robust_list list;
	long futex_offset;
	struct robust_list *list_op_pending;
};
struct lock {
	struct robust_list node;
	unsigned word;
};

static struct lock locks[3];
static struct robust_list_head head;

static void *owner(void *unused)
{
	unsigned tid = (unsigned)syscall(SYS_gettid);

	head.list.next = &locks[0].node;
	locks[0].node.next = &locks[1].node;
	locks[1].node.next = &head.list;
	head.futex_offset = offsetof(struct lock, word);
	head.list_op_pending = &locks[2].node;
	locks[0].word = tid;
	locks[1].word = 12345; /* another thread's */
	locks[2].word = tid | FUTEX_WAITERS;
	syscall(SYS_set_robust_list, &head, sizeof(head));
	syscall(SYS_exit, 0);
	return NULL;
}

static void other_process(void)
{
	void *where;
	size_t size;

	CALL(syscall(SYS_get_robust_list, getppid(), &where, &size));
	setuid(65534);
	CALL(syscall(SYS_get_robust_list, getppid(), &where, &size));
	CALL(syscall(SYS_get_robust_list, 0, &where, &size));
}

int main(void)
{
	void *where = NULL;
	size_t size = 0;
	pthread_t thread;

	CALL(syscall(SYS_set_robust_list, &head, sizeof(head) - 1));
	CALL(syscall(SYS_set_robust_list, &head, 0));
	CALL(syscall(SYS_set_robust_list, &head, sizeof(head)));
	CALL(syscall(SYS_get_robust_list, 0, &where, &size));
	TRUTH(where == &head && size == sizeof(head));
	CALL(syscall(SYS_get_robust_list, getpid(), &where, &size));
	CALL(syscall(SYS_get_robust_list, -1, &where, &size));
	CALL(syscall(SYS_get_robust_list, 0, 8, &size));
	CALL(syscall(SYS_get_robust_list, 0, &where, 8));
	CHILD(other_process);
	CALL(syscall(SYS_set_robust_list, NULL, sizeof(head)));
	pthread_create(&thread, NULL, owner, NULL);
	while (!(__atomic_load_n(&locks[2].word, __ATOMIC_SEQ_CST) & FUTEX_OWNER_DIED))
		usleep(1000);
	show("%x %u %x", locks[0].word, locks[1].word, locks[2].word);
	return 0;
}
