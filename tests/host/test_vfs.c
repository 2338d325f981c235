/*
 * The VFS with tmpfs, under ASan, compared with the Linux of the host: random operations must give the same
 * results, errnos and contents, and must leak no memory.
 * sources: fs/vfs/inode.c fs/file/file_owner.c fs/mount/namespace.c fs/vfs/namei.c fs/vfs/namei_link.c fs/vfs/namei_ops.c fs/vfs/namei_rename.c fs/calls/namei.c
 * sources: fs/vfs/open.c fs/file/file.c fs/file/iovec.c fs/calls/fcntl.c fs/locks/locks.c fs/locks/calls.c fs/vfs/fs_struct.c fs/vfs/fs_struct_tasks.c fs/vfs/dcache_rename.c fs/calls/stat.c fs/calls/access.c fs/calls/attr.c
 * sources: fs/calls/truncate.c fs/vfs/permission.c fs/file/uio.c fs/file/read_write.c fs/vfs/readdir.c fs/calls/read_write.c fs/calls/open.c fs/calls/getdents.c fs/calls/cwd.c fs/vfs/libfs.c fs/vfs/d_path.c
 * sources: fs/vfs/page_cache.c fs/tmpfs/file.c fs/tmpfs/memfd.c fs/tmpfs/super.c fs/tmpfs/options.c fs/mount/options.c fs/vfs/seq_file.c tests/host/linux_fs.c
 * sources: fs/vfs/hooks.c fs/notify/events.c kernel/lib/kstrtox.c kernel/lib/rbtree.c
 * sources: kernel/lib/vsprintf*.c kernel/lib/errname.c kernel/lib/string_helpers.c kernel/task/capability.c
 */
#include "test.h"

#include "fake_kallsyms.h"
#include "host_kmalloc.h"
#include "host_mutex.h"
#include "linux_fs.h"
/* The test calls their initcalls itself. */
#include "fs/vfs/dcache.c"
#include "fs/file/file_table.c"
#include "fs/file/anon_inode.c"
#include "fs/tmpfs/tmpfs.h"
#include "fs/vfs/page_cache.h"
#include "fs/pipe/pipe.h"
#include "fs/calls/getname.c"
#include "fs/locks/locks.h"
#include "fs/notify/inotify.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/sched.h"

#include "vfs_host.h"

static struct signal_struct signals = {
	.rlim = { [0 ... RLIM_NLIMITS - 1] = { RLIM_INFINITY, RLIM_INFINITY } },
};
static struct cred root_cred = { .cap_effective = ~0UL };
static struct task_struct task = { .tgid = 1, .signal = &signals, .cred = &root_cred };
struct task_struct *current_task = &task;
spinlock_t tasklist_lock;
void (*klp_sched_try_switch_hook)(void); /* never called: no live patch here */
static ktime_t now;

u64 ktime_get_real(void)
{
	return now++;
}

void get_random_bytes(void *buf, size_t len)
{
	for (u8 *at = buf; len; len--)
		*at++ = (u8)rand();
}

char *kstrdup(const char *s, gfp_t gfp)
{
	(void)gfp;
	host_objects++;
	return strdup(s);
}

struct kmem_cache {
	size_t size;
};

struct kmem_cache *kmem_cache_create(const char *name, size_t size, size_t align)
{
	static struct kmem_cache cache;

	(void)name, (void)align;
	cache.size = size;
	return &cache;
}

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	return kmalloc(cache->size, gfp);
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	(void)cache;
	kfree(object);
}

/* The task is root, and changes no credentials. */
struct cred *prepare_creds(void)
{
	return NULL;
}

void put_cred(const struct cred *cred)
{
	(void)cred;
}

bool cred_in_group(const struct cred *cred, u32 gid)
{
	return cred->fsgid == gid;
}

/* No task waits for a lock here. */
void prepare_to_wait(wait_queue_head_t *wq, struct wait_queue_entry *entry, unsigned state)
{
	(void)wq, (void)entry, (void)state;
	fail();
}

void remove_wait_queue(wait_queue_head_t *wq, struct wait_queue_entry *entry)
{
	(void)wq, (void)entry;
}

void schedule(void)
{
	fail();
}

enum syscall_way syscall_boundary_work(void)
{
	fail();
	return SYSCALL_DIRECT;
}

/* No task has a tracer or a filter. */
long syscall_divert(void)
{
	abort();
}

DEFINE_SPINLOCK(fasync_lock); /* no file sends signals */

int printk(const char *fmt, ...)
{
	return (void)fmt, 0;
}
void wake_up_all(wait_queue_head_t *wq)
{
	(void)wq;
}

/* Devices are not part of this test. */
int chrdev_open(struct inode *inode, struct file *file)
{
	(void)inode, (void)file;
	return -ENXIO;
}

long pipe_fcntl(struct file *file, bool set, unsigned long arg)
{
	(void)file, (void)set, (void)arg;
	return -EBADF;
}

char *kstrndup(const char *s, size_t max, gfp_t gfp)
{
	(void)gfp;
	host_objects++;
	return strndup(s, max);
}

void report_warning(const char *file, int line, const char *what)
{
	fail_msg("%s:%d: %s", file, line, what);
}

int interrupted_error(void)
{
	return -EINTR;
}

void si_meminfo(struct meminfo *info)
{
	*info = (struct meminfo){ .total = 16 << 20 };
}

void spin_lock_wait(spinlock_t *lock, u16 ticket)
{
	(void)lock, (void)ticket;
	fail_msg("%s", "a spinlock is taken twice");
}

void ticket_lock_kick(const spinlock_t *lock, u16 ticket)
{
	(void)lock, (void)ticket;
}

/* With one task, nobody waits. */
void preempt_schedule(void)
{
}
void wake_up(struct wait_queue_head *wq)
{
	(void)wq;
}

static int setup(void **state)
{
	(void)state;
	host_page_offset = (unsigned long)aligned_alloc(PAGE_SIZE, ARENA_PAGES * PAGE_SIZE);
	dcache_init();
	files_init();
	vfs_hooks.fdget_shared = fdget_shared;
	vfs_hooks.fcntl_lock = __fcntl_lock;
	vfs_hooks.locks_remove_posix = __locks_remove_posix;
	vfs_hooks.locks_remove_file = __locks_remove_file;
	names_cachep = kmem_cache_create("names_cache", PATH_MAX, 64);
	register_filesystem(&rootfs_type);
	assert_int_equal(kern_mount_at("rootfs", "rootfs", "/"), 0);
	/* The task gets its tables now, so that no test counts them. */
	return (int)(sys_chdir("/") + sys_close((int)sys_open("/", O_RDONLY, 0)));
}

static int teardown(void **state)
{
	(void)state;
	free((void *)host_page_offset);
	linux_end(); /* also when a failed test has not called it */
	return 0;
}

/* ---- random paths ---- */

static const char *const components[] = {
	"a", "b", "c", "d", "l", "m", "n", ".", "..", "a", "b", ""
};

static void random_path(char *path, bool may_end_in_slash)
{
	unsigned n = 1 + (unsigned)rand() % 4;

	path[0] = '\0';
	for (unsigned i = 0; i < n; i++) {
		if (i)
			strcat(path, "/");
		strcat(path, components[(unsigned)rand() % ARRAY_SIZE(components)]);
	}
	/* Never absolute: the two roots differ, and the test must not change the root of the host. */
	memmove(path, path + strspn(path, "/"), strlen(path + strspn(path, "/")) + 1);
	if (path[0] && may_end_in_slash && rand() % 8 == 0)
		strcat(path, "/");
	if (rand() % 500 == 0) {
		memset(path, 'x', NAME_MAX + 1);
		path[NAME_MAX + 1] = '\0';
	}
}

#define SAME(ours, theirs, ...)                                                                    \
	do {                                                                                       \
		long o = (long)(ours), t = (long)(theirs);                                         \
		if (o != t) {                                                                      \
			printf("%s: we say %ld, Linux %ld: ", #ours, o, t);                        \
			printf(__VA_ARGS__);                                                       \
			printf("\n");                                                              \
			fail();                                                                    \
		}                                                                                  \
	} while (0)

static uint64_t our_list(int fd)
{
	char buf[512];
	uint64_t sum = 0;
	long n;

	while ((n = sys_getdents64(fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			struct linux_dirent64 *d = (void *)(buf + at);

			sum += name_hash(d->d_name, d->d_type);
			at += d->d_reclen;
		}
	}
	assert_int_equal(n, 0);
	return sum;
}

static void use_open_file(int ours, int theirs, const char *path)
{
	char data[5000], mine[5000], other[5000];
	struct kstat st;

	SAME(vfs_fstat(ours, &st), 0, "%s", path);
	if (S_ISDIR(st.st_mode)) {
		uint64_t sum;
		long err = linux_list(theirs, &sum);

		if (!err)
			assert_int_equal(our_list(ours), sum);
		return;
	}
	for (unsigned i = 0; i < 3; i++) {
		size_t size = (size_t)rand() % sizeof(data);
		long n;

		switch (rand() % 3) {
		case 0:
			memset(data, 'a' + rand() % 26, size);
			SAME(sys_write(ours, data, size), linux_write(theirs, data, size), "%s",
			     path);
			break;
		case 1:
			n = linux_read(theirs, other, size);
			SAME(sys_read(ours, mine, size), n, "%s", path);
			if (n > 0)
				assert_memory_equal(mine, other, (size_t)n);
			break;
		default: {
			long offset = rand() % 20000 - 2000;
			int whence = rand() % 4;

			if (whence == 3) /* Linux: SEEK_DATA */
				whence = 7;
			SAME(sys_lseek(ours, offset, whence), linux_lseek(theirs, offset, whence),
			     "%s", path);
		}
		}
	}
}

static void random_open(const char *path)
{
	static const int some_flags[] = { O_CREAT,  O_EXCL,      O_TRUNC,
					  O_APPEND, O_DIRECTORY, O_NOFOLLOW };
	int flags = rand() % 3;
	long ours, theirs;

	for (unsigned i = 0; i < 2; i++)
		if (rand() % 2)
			flags |= some_flags[(unsigned)rand() % ARRAY_SIZE(some_flags)];
	if ((flags & O_EXCL) && !(flags & O_CREAT)) /* undefined: open(2) */
		flags &= ~O_EXCL;
	if ((flags & O_CREAT) && (flags & O_DIRECTORY)) /* changed in Linux 6.4 */
		flags &= ~O_DIRECTORY;
	theirs = linux_open(path, flags, 0666);
	ours = sys_open(path, flags, 0666);
	SAME(ours < 0 ? ours : 0, theirs < 0 ? theirs : 0, "open %s flags %#o", path, flags);
	if (ours < 0)
		return;
	use_open_file((int)ours, (int)theirs, path);
	sys_close((int)ours);
	linux_close((int)theirs);
}

static void compare_stat(const char *path, bool follow)
{
	struct linux_stat theirs;
	struct kstat ours;
	long err = linux_stat(path, follow, &theirs);

	SAME(vfs_stat(path, follow, &ours), err, "stat %s", path);
	if (err)
		return;
	SAME(ours.st_mode, theirs.mode, "mode of %s", path);
	if (!S_ISDIR(ours.st_mode))
		SAME(ours.st_size, theirs.size, "size of %s", path);
}

static void compare_readlink(const char *path)
{
	char ours[300], theirs[300];
	size_t size = (size_t)rand() % 40 + 1; /* the C library refuses 0 */
	long n = linux_readlink(path, theirs, size);

	SAME(sys_readlink(path, ours, size), n, "readlink %s", path);
	if (n > 0)
		assert_memory_equal(ours, theirs, (size_t)n);
}

static void random_order(void)
{
	char path[300], target[300];
	unsigned flags = 1 + (unsigned)rand() % 2; /* RENAME_NOREPLACE or RENAME_EXCHANGE */
	long length;

	random_path(path, true);
	switch (rand() % 13) {
	case 0:
	case 1:
		SAME(sys_mkdir(path, 0777), linux_mkdir(path, 0777), "mkdir %s", path);
		break;
	case 2:
		SAME(sys_rmdir(path), linux_rmdir(path), "rmdir %s", path);
		break;
	case 3:
		SAME(sys_unlink(path), linux_unlink(path), "unlink %s", path);
		break;
	case 4:
		random_path(target, true);
		SAME(sys_symlink(target, path), linux_symlink(target, path), "symlink %s %s",
		     target, path);
		break;
	case 5:
		compare_stat(path, rand() % 2);
		break;
	case 6:
		compare_readlink(path);
		break;
	case 7:
		length = rand() % 20000 - 1000;
		SAME(sys_truncate(path, length), linux_truncate(path, length), "truncate %s %ld",
		     path, length);
		break;
	case 8:
		random_path(target, true);
		SAME(sys_rename(path, target), linux_rename(path, target), "rename %s %s", path,
		     target);
		break;
	case 9:
		random_path(target, true);
		SAME(sys_link(path, target), linux_link(path, target), "link %s %s", path, target);
		break;
	case 10:
		random_path(target, true);
		SAME(sys_renameat2(AT_FDCWD, path, AT_FDCWD, target, flags),
		     linux_renameat2(path, target, flags), "renameat2 %s %s %u", path, target,
		     flags);
		break;
	default:
		random_open(path);
	}
}

/* A random name in the current directory, except . and .. */
static bool first_name(char name[NAME_MAX + 1])
{
	char buf[1024];
	int fd = (int)sys_open(".", O_RDONLY, 0);
	long n = sys_getdents64(fd, buf, sizeof(buf)), at = 0;

	sys_close(fd);
	for (; at < n; at += ((struct linux_dirent64 *)(buf + at))->d_reclen) {
		strcpy(name, ((struct linux_dirent64 *)(buf + at))->d_name);
		if (strcmp(name, ".") && strcmp(name, ".."))
			return true;
	}
	return false;
}

/* Removes everything in the current directory. */
static void remove_all(void)
{
	char name[NAME_MAX + 1];

	while (first_name(name)) {
		if (sys_unlink(name) != -EISDIR)
			continue;
		assert_int_equal(sys_chdir(name), 0);
		remove_all();
		assert_int_equal(sys_chdir(".."), 0);
		assert_int_equal(sys_rmdir(name), 0);
	}
}

#define DEPTH 12 /* so deep that no operation leaves the directory */

static void test_random_orders_give_what_linux_gives(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 10; seed++) {
		long before;

		srand(seed);
		assert_int_equal(linux_begin(), 0);
		assert_int_equal(sys_chdir("/"), 0);
		before = host_objects;
		for (unsigned i = 0; i < DEPTH; i++) {
			assert_int_equal(linux_mkdir("deep", 0755), 0);
			assert_int_equal(linux_chdir("deep"), 0);
			assert_int_equal(sys_mkdir("deep", 0755), 0);
			assert_int_equal(sys_chdir("deep"), 0);
		}
		for (unsigned i = 0; i < 3000; i++)
			random_order();
		assert_int_equal(files_count_open(), 0);
		assert_int_equal(sys_chdir("/"), 0);
		remove_all();
		assert_int_equal(host_objects, before);
		linux_end();
	}
}

static void test_half_of_the_memory_is_the_limit(void **state)
{
	static char page[PAGE_SIZE];
	int fd = (int)sys_open("/full", O_RDWR | O_CREAT, 0644);
	long before = host_objects, written = 0, n;

	(void)state;
	assert_true(fd >= 0);
	while ((n = sys_write(fd, page, sizeof(page))) > 0)
		written += n;
	assert_int_equal(n, -ENOSPC);
	assert_true(written > (7 << 20) && written <= (8 << 20));
	assert_int_equal(sys_write(fd, page, 0), 0);
	assert_int_equal(sys_ftruncate(fd, 0), 0);
	assert_int_equal(host_objects, before);
	assert_int_equal(sys_close(fd), 0);
	assert_int_equal(sys_unlink("/full"), 0);
}

static unsigned longest_chain(void)
{
	unsigned longest = 0;

	for (unsigned i = 0; i < D_HASH_SIZE; i++) {
		struct list_head *at;
		unsigned length = 0;

		list_for_each (at, &dentry_hashtable[i].chain)
			length++;
		longest = max(longest, length);
	}
	return longest;
}

/* "Aa" and "BB" have the same sum in base 31, and so have all names that consist of them. */
static void test_chosen_names_make_no_long_chain(void **state)
{
	static const char pairs[2][3] = { "Aa", "BB" };
	char name[22] = "/";

	(void)state;
	for (unsigned i = 0; i < 1024; i++) {
		for (unsigned bit = 0; bit < 10; bit++)
			memcpy(name + 1 + 2 * bit, pairs[i >> bit & 1], 2);
		assert_int_equal(sys_mkdir(name, 0755), 0);
	}
	assert_in_range(longest_chain(), 1, 20);
	for (unsigned i = 0; i < 1024; i++) {
		for (unsigned bit = 0; bit < 10; bit++)
			memcpy(name + 1 + 2 * bit, pairs[i >> bit & 1], 2);
		assert_int_equal(sys_rmdir(name), 0);
	}
}

/* Locks every second byte, so that no two ranges join. */
static void lock_bytes(int fd, unsigned cmd, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct {
			short type, whence;
			long start, len;
			int pid;
		} fl = { .type = F_WRLCK, .start = 2 * (long)i, .len = 1 };

		assert_int_equal(__fcntl_lock((unsigned)fd, task.files->fd[fd], cmd, &fl), 0);
	}
}

static void test_locks_count_as_memory_of_the_process(void **state)
{
	static const unsigned cmds[] = { F_SETLK, F_OFD_SETLK };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cmds); i++) {
		int fd = (int)sys_open("/locked", O_RDWR | O_CREAT, 0644);
		unsigned long before;

		assert_true(fd >= 0);
		before = task_file_pages(&task);
		lock_bytes(fd, cmds[i], 6400);
		assert_in_range(task_file_pages(&task) - before, 6400 * 40 / PAGE_SIZE, 200);
		assert_int_equal(sys_close(fd), 0);
		assert_in_range(task_file_pages(&task), 0, before);
	}
	assert_int_equal(sys_unlink("/locked"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_orders_give_what_linux_gives),
		cmocka_unit_test(test_half_of_the_memory_is_the_limit),
		cmocka_unit_test(test_chosen_names_make_no_long_chain),
		cmocka_unit_test(test_locks_count_as_memory_of_the_process),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
