/*
 * Types as objects: those that programs load (BPF_BTF_LOAD), and those of the kernel, which have
 * the id 1 and live for ever. The reader of the kernel's own types is kernel/btf/; here it reads
 * what a program has written, after more checks of the header.
 */
#include "kernel/btf/btf.h"

#include "arch/mm/uaccess.h"
#include "fs/vfs/seq_file.h"
#include "kernel/btf/vmlinux.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "trace/bpf/load/load.h"
#include "trace/bpf/syscall/log.h"
#include "trace/bpf/syscall/objects.h"

#define BTF_MAX_SIZE (16U << 20)
#define BTF_MAGIC    0xeb9f
#define BTF_VERSION  1

DEFINE_BPF_IDS(bpf_btf_ids);

/* ---- references ---- */

static void free_btf(struct rcu_head *rcu)
{
	struct bpf_btf *btf = container_of(rcu, struct bpf_btf, rcu);

	btf_free(&btf->btf);
	if (btf->module_data)
		btf_module_data_put(btf->module_data);
	else
		kvfree(btf->data);
	put_user_struct(btf->payer);
	kfree(btf);
}

void bpf_btf_get(struct bpf_btf *btf)
{
	atomic_inc(&btf->refs);
}

void bpf_btf_put(struct bpf_btf *btf)
{
	if (!atomic_dec_and_test(&btf->refs))
		return;
	bpf_id_remove(&bpf_btf_ids, btf->id);
	call_rcu(&btf->rcu, free_btf);
}

/* ---- descriptors ---- */

static int btf_release(struct inode *inode __unused, struct file *file)
{
	bpf_btf_put(file->private_data);
	return 0;
}

static void btf_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct bpf_btf *btf = file->private_data;

	seq_printf(m, "btf_id:\t%u\n", btf->id);
}

static const struct file_operations btf_fops = {
	.release = btf_release,
	.show_fdinfo = btf_show_fdinfo,
};

int bpf_btf_new_fd(struct bpf_btf *btf)
{
	return anon_inode_getfd("btf", &btf_fops, btf, O_RDONLY | O_CLOEXEC);
}

struct bpf_btf *bpf_btf_of_file(struct file *file)
{
	return file->f_op == &btf_fops ? file->private_data : NULL;
}

struct bpf_btf *bpf_btf_get_fd(int fd)
{
	struct fd f = fdget((unsigned)fd);
	struct bpf_btf *btf = f.file ? bpf_btf_of_file(f.file) : ERR_PTR(-EBADF);

	if (!btf)
		btf = ERR_PTR(-EINVAL);
	if (!IS_ERR(btf))
		bpf_btf_get(btf);
	fdput(f);
	return btf;
}

/* Called with the lock of the ids: the last reference takes the id back first. */
static bool try_get(void *object)
{
	return atomic_inc_not_zero(&((struct bpf_btf *)object)->refs);
}

static long btf_get_fd_by_id(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			     u32 size __unused)
{
	struct bpf_btf *btf;
	int fd;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	btf = bpf_id_get(&bpf_btf_ids, attr->btf_id, try_get);
	if (!btf)
		return -ENOENT;
	fd = bpf_btf_new_fd(btf);
	if (fd < 0)
		bpf_btf_put(btf);
	return fd;
}
static const struct bpf_command btf_get_fd_by_id_command BPF_COMMAND(btf_get_fd_by_id) = {
	BPF_BTF_GET_FD_BY_ID, BPF_ATTR_END(btf_id), btf_get_fd_by_id
};

static long btf_get_next_id(const union bpf_attr *attr, union bpf_attr __user *uattr,
			    u32 size __unused)
{
	return bpf_get_next_id(attr, uattr, &bpf_btf_ids);
}
static const struct bpf_command btf_get_next_id_command BPF_COMMAND(btf_get_next_id) = {
	BPF_BTF_GET_NEXT_ID, BPF_ATTR_END(next_id), btf_get_next_id
};

/* ---- loading ---- */

/* What is wrong with the sections, or NULL: types come first, then names, and nothing else. */
static const char *check_sections(const struct btf_header *header, u32 size)
{
	const char *names = (const char *)header + header->hdr_len + header->str_off;

	if (size == header->hdr_len)
		return "No data";
	if (header->type_len > header->str_off)
		return "Section overlap found";
	if (header->type_off || header->type_len != header->str_off)
		return "Unsupported section found";
	size -= header->hdr_len;
	if (header->str_off > size || header->str_len > size - header->str_off)
		return "Total section length too long";
	if (header->str_len != size - header->str_off)
		return "Unsupported section found";
	if (!header->str_len || names[0] || names[header->str_len - 1])
		return "Invalid string section";
	return header->type_len ? NULL : "No type found";
}

/* What the reader does not check. What a newer kernel might understand has an errno of its own. */
static int check_header(const struct btf_header *header, u32 size, struct bpf_verifier_log *log)
{
	const char *why;
	int error = -EINVAL;

	if (size < sizeof(*header) || size < header->hdr_len || header->hdr_len < sizeof(*header)) {
		why = "btf_header not found";
	} else if (!bpf_is_zero(header, sizeof(*header), header->hdr_len)) {
		why = "Unsupported btf_header";
		error = -E2BIG;
	} else if (header->magic != BTF_MAGIC) {
		why = "Invalid magic";
	} else if (header->version != BTF_VERSION || header->flags) {
		why = header->flags ? "Unsupported flags" : "Unsupported version";
		error = -ENOTSUPP;
	} else {
		why = check_sections(header, size);
	}
	if (!why)
		return 0;
	bpf_log(log, "%s\n", why);
	return error;
}

/* 0 or an errno. btf->data is set, or NULL. */
static int parse(struct bpf_btf *btf, const union bpf_attr *attr, struct bpf_verifier_log *log)
{
	void *data = bpf_copy_in(attr->btf, attr->btf_size);
	int error;

	if (IS_ERR(data))
		return (int)PTR_ERR(data);
	btf->data = data;
	btf->size = attr->btf_size;
	error = check_header(data, btf->size, log);
	if (error)
		return error;
	error = btf_parse(&btf->btf, data, btf->size);
	if (error)
		bpf_log(log, "Invalid type or string section\n");
	return error ? error : bpf_btf_check(&btf->btf, log);
}

/* An object without an id, or an ERR_PTR. */
static struct bpf_btf *make_btf(const union bpf_attr *attr)
{
	struct bpf_user_log log;
	int error =
		bpf_user_log_init(&log, attr->btf_log_level, attr->btf_log_buf, attr->btf_log_size);
	struct bpf_btf *btf;

	if (error)
		return ERR_PTR(error);
	btf = kzalloc(sizeof(*btf), GFP_KERNEL);
	if (!btf)
		return ERR_PTR(-ENOMEM);
	btf->name = "";
	btf->payer = get_current_user();
	atomic_set(&btf->refs, 1);
	error = bpf_user_log_result(&log, parse(btf, attr, &log.log));
	if (!error)
		return btf;
	bpf_btf_put(btf);
	return ERR_PTR(error);
}

static long btf_load(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
		     u32 size __unused)
{
	struct bpf_btf *btf;
	int error, fd;

	if (!bpf_capable())
		return -EPERM;
	if (attr->btf_size > BTF_MAX_SIZE)
		return -E2BIG;
	btf = make_btf(attr);
	if (IS_ERR(btf))
		return PTR_ERR(btf);
	error = bpf_id_add(&bpf_btf_ids, btf, &btf->id);
	fd = error ? error : bpf_btf_new_fd(btf);
	if (fd < 0)
		bpf_btf_put(btf);
	return fd;
}
static const struct bpf_command btf_load_command BPF_COMMAND(btf_load) = {
	BPF_BTF_LOAD, BPF_ATTR_END(btf_log_level), btf_load
};

/* ---- the kernel's ---- */

/* Its `btf` stays empty: btf_vmlinux() has the types, when someone has asked for them. */
static struct bpf_btf kernel_btf = { .of_kernel = true, .name = "vmlinux", .refs = ATOMIC_INIT(1) };

struct bpf_btf *bpf_btf_of_kernel(void)
{
	return kernel_btf.id ? &kernel_btf : ERR_PTR(-ENOENT);
}

/*
 * Types that the C source of a program uses, by the headers of libbpf or as its context. pahole(1)
 * describes the types that code uses, so code has to use these.
 */
typedef u8 __u8;
typedef u16 __u16, __be16;
typedef u32 __u32, __be32, __wsum;
typedef u64 __u64;
typedef s64 __s64;

struct bpf_raw_tracepoint_args {
	u64 args[0];
};

struct bpf_perf_event_data {
	struct pt_regs regs;
	u64 sample_period;
	u64 addr;
};

#define EMIT_TYPE(type) ((void)(type *)NULL)

static inline void emit_types_of_programs(void)
{
	EMIT_TYPE(__u8);
	EMIT_TYPE(__u16);
	EMIT_TYPE(__be16);
	EMIT_TYPE(__u32);
	EMIT_TYPE(__be32);
	EMIT_TYPE(__wsum);
	EMIT_TYPE(__u64);
	EMIT_TYPE(__s64);
	EMIT_TYPE(struct bpf_raw_tracepoint_args);
	EMIT_TYPE(struct bpf_perf_event_data);
}

static int __init kernel_btf_init(void)
{
	emit_types_of_programs();
	kernel_btf.data = __start_BTF;
	kernel_btf.size = (u32)btf_vmlinux_size();
	return kernel_btf.size ? bpf_id_add(&bpf_btf_ids, &kernel_btf, &kernel_btf.id) : 0;
}
device_initcall(kernel_btf_init);
