/*
 * /dev/kmsg: each read gives one record of the kernel's messages, each write adds a message
 * (Linux: Documentation/ABI/testing/dev-kmsg).
 */
#include "fs/dev/devfs.h"
#include "fs/dev/devices.h"
#include "fs/file/poll.h"
#include "fs/proc/proc_fs.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"
#include "kernel/sched/sched.h"

/* Bytes of one message: the limit of Linux 6.1, and less than a record holds. */
#define KMSG_WRITE_MAX 992

BUILD_BUG_ON(KMSG_WRITE_MAX > PRINTK_TEXT_MAX);

static DECLARE_WAIT_QUEUE_HEAD(log_wait); /* readers sleep here */

/* With "ratelimit", each open file may write so many messages in so much time. */
#define RATELIMIT_BURST    10U
#define RATELIMIT_INTERVAL (5 * NSEC_PER_SEC)

/* The state of an open file. */
struct devkmsg_user {
	struct mutex lock;
	u64 seq;          /* [lock] the next record */
	ktime_t begin;    /* [lock] of the present interval; 0: nothing is written yet */
	unsigned written; /* [lock] messages in the present interval */
	unsigned missed;  /* [lock] messages that the limit has dropped */
};

/* ---- who may read: kernel.dmesg_restrict; who may write: printk.devkmsg=,
 * /proc/sys/kernel/printk_devkmsg ---- */

enum devkmsg_log { DEVKMSG_RATELIMIT, DEVKMSG_ON, DEVKMSG_OFF };

/* kernel.dmesg_restrict: the log has addresses, and what other users do. 1 as in Debian. */
static int dmesg_restrict = 1;
SYSCTL_INT(dmesg_restrict, "kernel", dmesg_restrict, proc_dointvec_positive, .most = 1);

bool may_read_log(void)
{
	return !READ_ONCE(dmesg_restrict) || capable(CAP_SYSLOG);
}

static const char *const devkmsg_words[] = { "ratelimit", "on", "off" };
static enum devkmsg_log devkmsg_log; /* [A] */
static bool devkmsg_locked;          /* constant after the command line has been parsed */

/* Returns an enum devkmsg_log, or -EINVAL. */
static int parse_devkmsg(const char *word)
{
	for (int i = 0; i < (int)ARRAY_SIZE(devkmsg_words); i++)
		if (!strcmp(word, devkmsg_words[i]))
			return i;
	return -EINVAL;
}

static int __init devkmsg_setup(const char *value)
{
	int log = parse_devkmsg(value ? value : "");

	if (log < 0)
		return log;
	devkmsg_log = (enum devkmsg_log)log;
	devkmsg_locked = true; /* the file cannot change it */
	return 0;
}
__setup("printk.devkmsg", devkmsg_setup);

static int proc_devkmsg(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int log = -EINVAL;
	size_t length;

	(void)table;
	if (!write) {
		scnprintf(buf, size, "%s\n", devkmsg_words[READ_ONCE(devkmsg_log)]);
		return 0;
	}
	length = strlen(buf);
	/* As Linux: exactly a word and a newline. */
	if (length && buf[length - 1] == '\n' && !devkmsg_locked) {
		buf[length - 1] = '\0';
		log = parse_devkmsg(buf);
	}
	if (log < 0)
		return log;
	WRITE_ONCE(devkmsg_log, (enum devkmsg_log)log);
	return 0;
}

SYSCTL(printk_devkmsg, "kernel", "printk_devkmsg", 0644, proc_devkmsg);

static bool within_limit(struct devkmsg_user *user)
{
	ktime_t now = ktime_get();
	bool within;

	mutex_lock(&user->lock);
	if (!user->begin || now - user->begin > RATELIMIT_INTERVAL) {
		user->begin = now;
		user->written = 0;
	}
	within = user->written < RATELIMIT_BURST;
	if (within)
		user->written++;
	else
		user->missed++;
	mutex_unlock(&user->lock);
	return within;
}

/* Whether a write makes a message. If not, it succeeds all the same. */
static bool may_log(struct devkmsg_user *user)
{
	enum devkmsg_log log = READ_ONCE(devkmsg_log);

	return log == DEVKMSG_ON || (log == DEVKMSG_RATELIMIT && within_limit(user));
}

/* ---- the file ---- */

static int devkmsg_open(struct inode *inode, struct file *file)
{
	struct devkmsg_user *user;

	(void)inode;
	if (READ_ONCE(devkmsg_log) == DEVKMSG_OFF)
		return -EPERM;
	if ((file->f_flags & O_ACCMODE) != O_WRONLY && !may_read_log())
		return -EPERM;
	user = kzalloc(sizeof(*user), GFP_KERNEL);
	if (!user)
		return -ENOMEM;
	mutex_init(&user->lock);
	user->seq = kmsg_first_seq();
	file->private_data = user;
	return 0;
}

static int devkmsg_release(struct inode *inode, struct file *file)
{
	struct devkmsg_user *user = file->private_data;

	(void)inode;
	if (user->missed)
		pr_warn("printk: %s: %u output lines suppressed due to ratelimiting\n",
			current->comm, user->missed);
	kfree(user);
	return 0;
}

int kmsg_wait(u64 seq)
{
	return wait_event_interruptible(log_wait, kmsg_next_seq() != seq);
}

static ssize_t devkmsg_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct devkmsg_user *user = file->private_data;
	ssize_t ret;
	u64 seq;

	(void)pos;
	do {
		ret = mutex_lock_interruptible(&user->lock);
		if (ret)
			return ret;
		ret = kmsg_read_record(&user->seq, buf, count);
		seq = user->seq;
		mutex_unlock(&user->lock); /* a writer of the same file needs it */
		if (!ret)
			ret = file->f_flags & O_NONBLOCK ? -EAGAIN : kmsg_wait(seq);
	} while (!ret);
	return ret;
}

/* Adds a message. In "<N>text", N is the priority; a program cannot be the kernel, facility 0. */
static ssize_t devkmsg_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	char text[KMSG_WRITE_MAX + 1], *start = text;
	unsigned prio = LOG_PRIO(LOG_USER, default_message_loglevel);

	(void)pos;
	if (count > KMSG_WRITE_MAX)
		return -EINVAL;
	if (!may_log(file->private_data))
		return (ssize_t)count;
	memcpy(text, buf, count);
	text[count] = '\0';
	if (text[0] == '<') {
		char *end;
		unsigned long n = simple_strtoul(text + 1, &end, 10);

		if (end != text + 1 && *end == '>') {
			prio = LOG_PRIO(LOG_FACILITY(n) ? LOG_FACILITY(n) : LOG_USER, n);
			start = end + 1;
		}
	}
	if (count && text[count - 1] == '\n')
		text[count - 1] = '\0';
	printk_emit(prio, "%s\n", start);
	return (ssize_t)count;
}

static loff_t devkmsg_llseek(struct file *file, loff_t offset, int whence)
{
	struct devkmsg_user *user = file->private_data;

	if (offset)
		return -ESPIPE;
	if (whence == SEEK_CUR)
		return -EINVAL;
	mutex_lock(&user->lock);
	user->seq = whence == SEEK_SET ? kmsg_first_seq() : kmsg_next_seq();
	mutex_unlock(&user->lock);
	return 0;
}

static unsigned devkmsg_poll(struct file *file, struct poll_table_struct *wait)
{
	struct devkmsg_user *user = file->private_data;
	u64 seq;

	poll_wait(file, &log_wait, wait);
	smp_mb(); /* with vprintk_emit(): it sees this reader, or this reader the record */
	seq = READ_ONCE(user->seq);
	if (seq < kmsg_first_seq())
		return POLLIN | POLLRDNORM | POLLERR | POLLPRI;
	return seq != kmsg_next_seq() ? POLLIN | POLLRDNORM : 0;
}

static const struct file_operations kmsg_fops = {
	.open = devkmsg_open,
	.release = devkmsg_release,
	.read = devkmsg_read,
	.write = devkmsg_write,
	.llseek = devkmsg_llseek,
	.poll = devkmsg_poll,
};

static bool reader_waits(void)
{
	return !list_empty(&log_wait.head);
}

static void wake_readers(void)
{
	wake_up_interruptible(&log_wait);
}

static const struct kmsg_reader_hooks reader_hooks = { reader_waits, wake_readers };

DEVICE_FILE(kmsg) = { .name = "kmsg", .mode = 0644, .dev = MKDEV(1, 11), .fops = &kmsg_fops };

static int __init kmsg_reader_init(void)
{
	smp_store_release(&kmsg_reader_hooks, &reader_hooks);
	return 0;
}
core_initcall(kmsg_reader_init);
