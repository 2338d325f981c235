/* /proc/net/unix, and the limits in /proc/sys/net. */
#include "fs/proc/proc_fs.h"
#include "kernel/init.h"
#include "net/unix/unix.h"

static void *unix_seq_start(struct seq_file *m, loff_t *pos)
{
	u64 place = *pos ? (u64)*pos - 1 : 0;

	(void)m;
	return *pos ? unix_next_sock(&place) : (void *)1;
}

static void *unix_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	if (v != (void *)1)
		unix_put(v);
	*pos += 1;
	return unix_seq_start(m, pos);
}

static void unix_seq_stop(struct seq_file *m, void *v)
{
	(void)m;
	if (v && v != (void *)1)
		unix_put(v);
}

/* A path is terminated; an abstract name shows "@" for each NUL. */
static void show_name(struct seq_file *m, const struct unix_address *addr)
{
	unsigned len = addr->len - (unsigned)offsetof(struct sockaddr_un, sun_path);
	bool abstract = !addr->name.sun_path[0];

	seq_puts(m, " ");
	if (!abstract)
		len--;
	for (unsigned i = 0; i < len; i++) {
		char c = addr->name.sun_path[i];

		seq_putc(m, c ? c : '@');
	}
}

static int unix_seq_show(struct seq_file *m, void *v)
{
	struct unix_address *addr;
	struct unix_sock *u = v;
	unsigned state;

	if (v == (void *)1) {
		seq_puts(m, "Num       RefCount Protocol Flags    Type St Inode Path\n");
		return 0;
	}
	/* SS_UNCONNECTED 1, SS_CONNECTING 2, SS_CONNECTED 3; without a file 2 and 4. */
	state = READ_ONCE(u->state) == UNIX_CONNECTED ? 3 : 1;
	seq_printf(m, "%016lx: %08X %08X %08X %04X %02X %5lu", 0UL,
		   (unsigned)atomic_read(&u->refs) - !READ_ONCE(u->file), 0U,
		   READ_ONCE(u->state) == UNIX_LISTEN ? 0x10000U : 0U, u->sock.type,
		   READ_ONCE(u->file) ? state
		   : state == 3       ? 2
				      : 4,
		   READ_ONCE(u->ino));
	addr = unix_address_get(u);
	if (addr)
		show_name(m, addr);
	unix_address_put(addr);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations unix_seq_ops = {
	.start = unix_seq_start,
	.next = unix_seq_next,
	.stop = unix_seq_stop,
	.show = unix_seq_show,
};

static int unix_seq_open(struct inode *inode, struct file *file)
{
	(void)inode;
	return seq_open(file, &unix_seq_ops);
}

static const struct file_operations unix_seq_fops = {
	.open = unix_seq_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};

SYSCTL_INT(max_dgram_qlen, "net/unix", unix_max_dgram_qlen, proc_dointvec);
SYSCTL_INT(somaxconn, "net/core", unix_somaxconn, proc_dointvec);

static int unix_proc_init(void)
{
	return proc_create("unix", 0444, proc_net, &unix_seq_fops) ? 0 : -ENOMEM;
}
late_initcall(unix_proc_init);
