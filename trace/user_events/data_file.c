/* The file user_events_data: programs register events with it, and write them. */
#include "arch/mm/uaccess.h"
#include "fs/file/uio.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "trace/core/files.h"
#include "trace/user_events/internal.h"

/* The interface of Linux. Each struct begins with its size: a newer one is longer. */
struct user_reg {
	u32 size;
	u8 enable_bit;
	u8 enable_size; /* 4 or 8 bytes at enable_addr */
	u16 flags;
	u64 enable_addr;
	u64 name_args;   /* the address of "NAME FIELDS" */
	u32 write_index; /* result */
} __packed;

struct user_unreg {
	u32 size;
	u8 disable_bit;
	u8 reserved;
	u16 reserved2;
	u64 disable_addr;
} __packed;

#define DIAG_IOCSREG   0xc0082a00U
#define DIAG_IOCSDEL   0x40082a01U
#define DIAG_IOCSUNREG 0x40082a02U

/* Bytes, about, that an event takes, with its directory in events/. */
#define USER_EVENT_MEMORY 4096U

/* The events for which a file has an index, each with a reference. */
struct index_table {
	unsigned count;
	struct rcu_head rcu;
	struct user_event *events[];
};

struct data_file {
	struct mutex lock;         /* one change of the table at a time; E comes after it */
	struct index_table *table; /* [lock] to write, RCU; NULL: empty */
};

static struct data_file *data_file_of(struct file *file)
{
	return file->private_data;
}

static int user_events_open(struct inode *inode __unused, struct file *file)
{
	struct data_file *data = kzalloc(sizeof(*data), GFP_KERNEL);

	if (!data)
		return -ENOMEM;
	mutex_init(&data->lock);
	file->private_data = data;
	return 0;
}

static int user_events_release(struct inode *inode __unused, struct file *file)
{
	struct data_file *data = data_file_of(file);
	struct index_table *table = data->table;

	mutex_lock(&user_event_mutex);
	for (unsigned i = 0; table && i < table->count; i++)
		user_event_put(table->events[i]);
	mutex_unlock(&user_event_mutex);
	kfree(table);
	kfree(data);
	return 0;
}

/* For the OOM killer: events without other users go with the file. */
static size_t user_events_memory(struct file *file)
{
	const struct index_table *table;
	size_t size = 0;

	rcu_read_lock();
	table = rcu_dereference(data_file_of(file)->table);
	if (table)
		size = table->count * USER_EVENT_MEMORY;
	rcu_read_unlock();
	return size;
}

/* ---- ioctl(2) ---- */

static void free_table(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct index_table, rcu));
}

/* The index for event, whose reference the file takes over. -ENOMEM. data->lock held. */
static int take_index(struct data_file *data, struct user_event *event)
{
	struct index_table *old = data->table, *table;
	unsigned count = old ? old->count : 0;

	table = kmalloc(sizeof(*table) + (count + 1) * sizeof(*table->events), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table->count = count + 1;
	if (old)
		memcpy(table->events, old->events, count * sizeof(*table->events));
	table->events[count] = event;
	rcu_assign_pointer(data->table, table);
	if (old)
		call_rcu(&old->rcu, free_table);
	return (int)count;
}

static int find_index(const struct data_file *data, const struct user_event *event)
{
	const struct index_table *table = data->table;

	for (unsigned i = 0; table && i < table->count; i++)
		if (table->events[i] == event)
			return (int)i;
	return -ENOENT;
}

static void put_event(struct user_event *event)
{
	mutex_lock(&user_event_mutex);
	user_event_put(event);
	mutex_unlock(&user_event_mutex);
}

/* The index of the file for an event that has a reference. data->lock held. */
static int index_of(struct data_file *data, struct user_event *event)
{
	int index = find_index(data, event);

	if (index < 0) {
		index = take_index(data, event);
		if (index >= 0)
			return index;
	}
	put_event(event);
	return index;
}

/* Copies a struct of which the program has size bytes, least of them needed. 0 or an errno. */
static int copy_struct(void *to, size_t size, size_t least, const void __user *from)
{
	u32 user_size;

	if (get_user(user_size, (const u32 __user *)from))
		return -EFAULT;
	if (user_size > PAGE_SIZE)
		return -E2BIG;
	if (user_size < least)
		return -EINVAL;
	return copy_struct_from_user(to, size, from, user_size);
}

static int check_reg(const struct user_reg *reg)
{
	if (reg->flags & ~USER_EVENT_REG_FLAGS)
		return -EINVAL;
	if (reg->enable_size != 4 && reg->enable_size != 8)
		return -EINVAL;
	if (reg->enable_addr % reg->enable_size || reg->enable_bit >= reg->enable_size * 8)
		return -EINVAL;
	if (!access_ok((const void __user *)reg->enable_addr, reg->enable_size))
		return -EFAULT;
	return 0;
}

/* Copies a text. -EINVAL: it is too long. */
static int copy_text(char text[USER_EVENT_DESC_MAX], const char __user *from)
{
	long length = strncpy_from_user(text, from, USER_EVENT_DESC_MAX);

	if (length < 0)
		return (int)length;
	return length < USER_EVENT_DESC_MAX ? 0 : -EINVAL;
}

static int register_event(struct data_file *data, const struct user_reg *reg)
{
	char text[USER_EVENT_DESC_MAX];
	int error = copy_text(text, (const char __user *)reg->name_args), index;
	struct user_event *event;

	if (error)
		return error;
	event = user_event_register(text, reg->flags);
	if (IS_ERR(event))
		return (int)PTR_ERR(event);
	mutex_lock(&data->lock);
	index = index_of(data, event);
	mutex_unlock(&data->lock);
	if (index < 0)
		return index;
	/* The file keeps the event, also if this fails, as in Linux. */
	error = user_enabler_add(event, reg->enable_addr, reg->enable_bit);
	return error ? error : index;
}

static long ioctl_register(struct data_file *data, struct user_reg __user *arg)
{
	struct user_reg reg;
	int error = copy_struct(&reg, sizeof(reg), sizeof(reg), arg), index;

	if (!error)
		error = check_reg(&reg);
	if (error)
		return error;
	index = register_event(data, &reg);
	if (index < 0)
		return index;
	reg.write_index = (u32)index;
	return copy_to_user(arg, &reg, sizeof(reg)) ? -EFAULT : 0;
}

static long ioctl_delete(const char __user *name)
{
	char text[USER_EVENT_DESC_MAX];
	int error = copy_text(text, name);

	return error ? error : user_event_delete(text);
}

static long ioctl_unregister(const struct user_unreg __user *arg)
{
	struct user_unreg reg;
	int error = copy_struct(&reg, sizeof(reg), sizeof(reg), arg);

	if (error)
		return error;
	if (reg.reserved || reg.reserved2)
		return -EINVAL;
	return user_enabler_remove(reg.disable_addr, reg.disable_bit);
}

static long user_events_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	switch (cmd) {
	case DIAG_IOCSREG:
		return ioctl_register(data_file_of(file), (struct user_reg __user *)arg);
	case DIAG_IOCSDEL:
		return ioctl_delete((const char __user *)arg);
	case DIAG_IOCSUNREG:
		return ioctl_unregister((const struct user_unreg __user *)arg);
	default:
		return -ENOTTY;
	}
}

/* ---- write(2): an index, and the payload ---- */

static struct user_event *event_at(struct data_file *data, unsigned index)
{
	const struct index_table *table;
	struct user_event *event = NULL;

	rcu_read_lock();
	table = rcu_dereference(data->table);
	if (likely(table && index < table->count))
		event = table->events[index];
	rcu_read_unlock();
	return event; /* the open file keeps it */
}

static ssize_t user_events_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	size_t count = from->count;
	struct user_event *event;
	int index, error;

	if (copy_from_iter(&index, sizeof(index), from) != sizeof(index))
		return -EFAULT;
	if (index < 0)
		return -EINVAL;
	event = event_at(data_file_of(iocb->ki_filp), (unsigned)index);
	if (unlikely(!event))
		return -ENOENT;
	error = user_event_write(event, from);
	return error ? error : (ssize_t)count;
}

static const struct file_operations user_events_data_fops = {
	.open = user_events_open,
	.release = user_events_release,
	.write_iter = user_events_write_iter,
	.no_splice_write = true,
	.ioctl = user_events_ioctl,
	.memory = user_events_memory,
};

TRACE_FILE(user_events_data, 0640, &user_events_data_fops, .only_top = true);
