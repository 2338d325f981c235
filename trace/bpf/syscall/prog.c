/*
 * Programs as objects: descriptors, references, ids.
 *
 * The last reference takes the id back. A grace period of RCU later no CPU runs the program, and
 * its memory and its references to maps go.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/smp.h"
#include "trace/bpf/attach/run.h"
#include "trace/bpf/syscall/objects.h"

DEFINE_BPF_IDS(bpf_prog_ids);

void bpf_prog_free(struct bpf_prog *prog)
{
	bpf_prog_free_runtime(prog);
	for (u32 i = 0; i < prog->nr_used_maps; i++)
		bpf_map_put(prog->used_maps[i]);
	kvfree(prog->used_maps);
	if (prog->btf)
		bpf_btf_put(prog->btf);
	if (prog->attach_btf)
		bpf_btf_put(prog->attach_btf);
	kvfree(prog->func_info);
	kvfree(prog->line_info);
	kvfree(prog->jited_lines);
	kvfree(prog->subprogs);
	kvfree(prog->insns);
	kfree(prog->stats);
	bpf_prog_mark_put(prog->mark);
	if (prog->payer)
		put_user_struct(prog->payer);
	kfree(prog);
}

static void free_prog(struct rcu_head *rcu)
{
	bpf_prog_free(container_of(rcu, struct bpf_prog, rcu));
}

void bpf_prog_get(struct bpf_prog *prog)
{
	atomic_inc(&prog->refs);
}

void bpf_prog_put(struct bpf_prog *prog)
{
	if (!atomic_dec_and_test(&prog->refs))
		return;
	bpf_id_remove(&bpf_prog_ids, prog->id);
	call_rcu(&prog->rcu, free_prog);
}

void bpf_prog_read_stats(const struct bpf_prog *prog, struct bpf_prog_stats *sum)
{
	*sum = (struct bpf_prog_stats){ .cnt = 0 };
	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++) {
		sum->cnt += READ_ONCE(prog->stats[cpu].cnt);
		sum->nsecs += READ_ONCE(prog->stats[cpu].nsecs);
		sum->misses += READ_ONCE(prog->stats[cpu].misses);
	}
}

/* ---- descriptors ---- */

static int prog_release(struct inode *inode __unused, struct file *file)
{
	bpf_prog_put(file->private_data);
	return 0;
}

static void prog_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct bpf_prog *prog = file->private_data;
	struct bpf_prog_stats stats;

	bpf_prog_read_stats(prog, &stats);
	seq_printf(m, "prog_type:\t%u\nprog_jited:\t%u\nprog_tag:\t", prog->type, prog->jited);
	for (unsigned i = 0; i < BPF_TAG_SIZE; i++)
		seq_printf(m, "%02x", prog->tag[i]);
	seq_printf(m, "\nmemlock:\t%lu\nprog_id:\t%u\n",
		   (prog->charged + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1), prog->id);
	seq_printf(m, "run_time_ns:\t%lu\nrun_cnt:\t%lu\nrecursion_misses:\t%lu\n", stats.nsecs,
		   stats.cnt, stats.misses);
	seq_printf(m, "verified_insns:\t%u\n", prog->verified_insns);
}

static const struct file_operations prog_fops = {
	.release = prog_release,
	.show_fdinfo = prog_show_fdinfo,
};

int bpf_prog_new_fd(struct bpf_prog *prog)
{
	return anon_inode_getfd("bpf-prog", &prog_fops, prog, O_RDWR | O_CLOEXEC);
}

struct bpf_prog *bpf_prog_of_file(struct file *file)
{
	return file->f_op == &prog_fops ? file->private_data : NULL;
}

struct bpf_prog *bpf_prog_get_fd(int fd)
{
	struct fd f = fdget((unsigned)fd);
	struct bpf_prog *prog = f.file ? bpf_prog_of_file(f.file) : ERR_PTR(-EBADF);

	if (!prog)
		prog = ERR_PTR(-EINVAL);
	if (!IS_ERR(prog))
		bpf_prog_get(prog);
	fdput(f);
	return prog;
}

/* ---- by id ---- */

/* Called with the lock of the ids: the last reference takes the id back first. */
static bool try_get(void *object)
{
	return atomic_inc_not_zero(&((struct bpf_prog *)object)->refs);
}

static long prog_get_fd_by_id(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			      u32 size __unused)
{
	struct bpf_prog *prog;
	int fd;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	prog = bpf_id_get(&bpf_prog_ids, attr->prog_id, try_get);
	if (!prog)
		return -ENOENT;
	fd = bpf_prog_new_fd(prog);
	if (fd < 0)
		bpf_prog_put(prog);
	return fd;
}
static const struct bpf_command prog_get_fd_by_id_command BPF_COMMAND(prog_get_fd_by_id) = {
	BPF_PROG_GET_FD_BY_ID, BPF_ATTR_END(prog_id), prog_get_fd_by_id
};

static long prog_get_next_id(const union bpf_attr *attr, union bpf_attr __user *uattr,
			     u32 size __unused)
{
	return bpf_get_next_id(attr, uattr, &bpf_prog_ids);
}
static const struct bpf_command prog_get_next_id_command BPF_COMMAND(prog_get_next_id) = {
	BPF_PROG_GET_NEXT_ID, BPF_ATTR_END(next_id), prog_get_next_id
};
