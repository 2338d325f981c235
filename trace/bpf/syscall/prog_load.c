/*
 * BPF_PROG_LOAD: from instructions of a program in ring 3 to an object that may run.
 *
 * Copy, check rights and arguments in Linux's order, let the verifier prove the copy, choose what
 * runs it, publish. Nothing of the program in ring 3 is read again after it was checked.
 *
 * The task needs CAP_BPF, which bpf(2) has checked, and CAP_PERFMON: a program may store what it
 * likes in a map, also addresses of the kernel. (Linux has a second set of rules for programs that
 * must not see addresses. Here are no such programs.)
 */
#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/smp.h"
#include "kernel/time/timekeeping.h"
#include "trace/bpf/attach/run.h"
#include "trace/bpf/helpers/helpers.h"
#include "trace/bpf/syscall/prog_load.h"
#include "trace/bpf/syscall/sha1.h"

#define LICENSE_MAX  128
#define BTF_MAX_TYPE 0x000fffff /* Linux's */
#define PROG_FLAGS                                                                                 \
	(BPF_F_STRICT_ALIGNMENT | BPF_F_ANY_ALIGNMENT | BPF_F_TEST_RND_HI32 |                      \
	 BPF_F_TEST_STATE_FREQ | BPF_F_SLEEPABLE | BPF_F_XDP_HAS_FRAGS)

/* ---- arguments ---- */

static bool license_is_gpl_compatible(const char *license)
{
	static const char *const compatible[] = {
		"GPL",          "GPL v2",       "GPL and additional rights",
		"Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL",
	};

	for (unsigned i = 0; i < ARRAY_SIZE(compatible); i++)
		if (strcmp(license, compatible[i]) == 0)
			return true;
	return false;
}

static int check_attr(const union bpf_attr *attr)
{
	if (!attr->insn_cnt || attr->insn_cnt > BPF_COMPLEXITY_LIMIT_INSNS)
		return -E2BIG;
	return bpf_perfmon_capable() ? 0 : -EPERM;
}

/*
 * What attach_btf_id counts in: attach_prog_fd or attach_btf_obj_fd, which is the types of the
 * kernel or of a module, and nothing else. Counted; NULL: there is no attach_btf_id.
 */
static struct bpf_btf *get_attach_object(const union bpf_attr *attr)
{
	struct bpf_prog *prog;
	struct bpf_btf *btf;
	int error;

	if (!attr->attach_prog_fd) {
		btf = attr->attach_btf_id ? bpf_btf_of_kernel() : NULL;
		if (IS_ERR(btf))
			return ERR_PTR(-EINVAL);
		if (btf)
			bpf_btf_get(btf);
		return btf;
	}
	prog = bpf_prog_get_fd((int)attr->attach_prog_fd);
	if (!IS_ERR(prog)) {
		bpf_prog_put(prog);
		return ERR_PTR(-EINVAL); /* no program is attached to a program */
	}
	btf = bpf_btf_get_fd((int)attr->attach_btf_obj_fd);
	if (IS_ERR(btf))
		return ERR_PTR(-EINVAL);
	if (btf->of_kernel && attr->attach_btf_id)
		return btf;
	error = btf->of_kernel ? -EINVAL : -ENOTSUPP;
	bpf_btf_put(btf);
	return ERR_PTR(error);
}

static int set_attach_object(struct bpf_prog *prog, const union bpf_attr *attr)
{
	struct bpf_btf *btf = get_attach_object(attr);

	if (IS_ERR(btf))
		return (int)PTR_ERR(btf);
	prog->attach_btf = btf;
	if (attr->attach_btf_id &&
	    (attr->attach_btf_id > BTF_MAX_TYPE || attr->prog_type != BPF_PROG_TYPE_TRACING))
		return -EINVAL;
	if (btf)
		prog->attach_types = bpf_btf_types(btf);
	return attr->prog_type == BPF_PROG_TYPE_SYSCALL && attr->expected_attach_type ? -EINVAL : 0;
}

/* ---- the object ---- */

static struct bpf_prog *alloc_prog(u32 len)
{
	struct bpf_prog *prog = kzalloc(sizeof(*prog), GFP_KERNEL);

	if (!prog)
		return NULL;
	prog->len = len;
	prog->insns = kvzalloc((size_t)len * sizeof(*prog->insns), GFP_KERNEL | __GFP_NOWARN);
	prog->stats = kcalloc(nr_cpu_ids, sizeof(*prog->stats), GFP_KERNEL);
	prog->payer = get_current_user();
	atomic_set(&prog->refs, 1);
	if (prog->insns && prog->stats)
		return prog;
	bpf_prog_free(prog);
	return NULL;
}

static int fill_prog(struct bpf_prog *prog, const union bpf_attr *attr, bool gpl_compatible)
{
	prog->gpl_compatible = gpl_compatible;
	prog->expected_attach_type = attr->expected_attach_type;
	prog->created_by = current_uid();
	if (copy_from_user(prog->insns, (const void __user *)attr->insns,
			   (size_t)prog->len * sizeof(*prog->insns)))
		return -EFAULT;
	prog->ops = bpf_find_prog_type(attr->prog_type);
	if (!prog->ops || attr->prog_ifindex)
		return -EINVAL;
	prog->type = attr->prog_type;
	if (prog->type == BPF_PROG_TYPE_RAW_TRACEPOINT || prog->type == BPF_PROG_TYPE_TRACING)
		prog->mark = bpf_prog_mark_get();
	prog->load_time = (u64)ktime_get();
	return bpf_copy_name(prog->name, attr->prog_name);
}

/*
 * The tag: what tools compare programs by. SHA-1 of the instructions, with 0 for the descriptors of
 * maps, which differ from one load to the next.
 */
static int set_tag(struct bpf_prog *prog)
{
	size_t size = (size_t)prog->len * sizeof(struct bpf_insn);
	struct bpf_insn *insns = kvzalloc(size, GFP_KERNEL | __GFP_NOWARN);
	u8 digest[SHA1_DIGEST_SIZE];

	if (!insns)
		return -ENOMEM;
	memcpy(insns, prog->insns, size);
	for (u32 i = 0; i < prog->len; i++) {
		if (!bpf_insn_is_ld_imm64(&insns[i]) || (insns[i].src_reg != BPF_PSEUDO_MAP_FD &&
							 insns[i].src_reg != BPF_PSEUDO_MAP_VALUE))
			continue;
		insns[i].imm = 0;
		if (i + 1 < prog->len)
			insns[++i].imm = 0;
	}
	sha1(insns, size, digest);
	memcpy(prog->tag, digest, BPF_TAG_SIZE);
	kvfree(insns);
	return 0;
}

/* What the program keeps in memory. */
static void count_memory(struct bpf_prog *prog)
{
	prog->charged =
		sizeof(*prog) + (size_t)prog->len * sizeof(*prog->insns) +
		nr_cpu_ids * sizeof(*prog->stats) + prog->nr_subprogs * sizeof(*prog->subprogs) +
		prog->nr_func_info * sizeof(struct bpf_func_info) +
		prog->nr_line_info * (sizeof(struct bpf_line_info) + sizeof(u64)) + prog->jited_len;
}

/* ---- the check ---- */

/*
 * Only a SYSCALL program sleeps. Others may ask for it where Linux lets them; they run with
 * preemption off, and the verifier refuses helpers that sleep.
 */
static int check_sleepable(struct bpf_prog *prog, bool asked, struct bpf_verifier_log *log)
{
	prog->sleepable = prog->type == BPF_PROG_TYPE_SYSCALL;
	if (prog->sleepable && !asked) {
		bpf_log(log, "Syscall programs can only be sleepable\n");
		return -EINVAL;
	}
	if (!asked || prog->sleepable || prog->type == BPF_PROG_TYPE_KPROBE ||
	    (prog->type == BPF_PROG_TYPE_TRACING && prog->expected_attach_type != BPF_TRACE_RAW_TP))
		return 0;
	bpf_log(log,
		"Only fentry/fexit/fmod_ret, lsm, and kprobe/uprobe programs can be sleepable\n");
	return -EINVAL;
}

static int check_kind(struct bpf_prog *prog, const union bpf_attr *attr,
		      struct bpf_verifier_log *log)
{
	int error;

	error = check_sleepable(prog, attr->prog_flags & BPF_F_SLEEPABLE, log);
	if (error)
		return error;
	if (attr->core_relo_cnt)
		return -EOPNOTSUPP; /* libbpf relocates before it loads */
	prog->attach_btf_id = attr->attach_btf_id;
	if (prog->type == BPF_PROG_TYPE_TRACING && !prog->attach_btf_id) {
		bpf_log(log, "Tracing programs must provide btf_id\n");
		return -EINVAL;
	}
	error = prog->ops->check_attach ? prog->ops->check_attach(prog) : 0;
	if (error == -ENOENT)
		bpf_log(log, "The address of function %s cannot be found\n",
			prog->attach_func_name);
	else if (error && prog->attach_btf_id)
		bpf_log(log, "attach_btf_id %u is not a function\n", prog->attach_btf_id);
	if (error || prog->type != BPF_PROG_TYPE_TRACING ||
	    prog->expected_attach_type != BPF_MODIFY_RETURN ||
	    bpf_may_modify_return(prog->attach_addr))
		return error;
	bpf_log(log, "%s() is not modifiable\n", prog->attach_func_name);
	return -EINVAL;
}

static int verify(struct bpf_prog *prog, const union bpf_attr *attr)
{
	struct bpf_user_log log;
	int error = bpf_user_log_init(&log, attr->log_level, attr->log_buf, attr->log_size);

	if (error)
		return error;
	error = bpf_read_debug_info(prog, attr, &log.log);
	if (!error)
		error = set_tag(prog);
	if (!error)
		error = check_kind(prog, attr, &log.log);
	if (!error)
		error = bpf_check(prog, attr, &log.log);
	return bpf_user_log_result(&log, error);
}

/* A program without an id that may run, or an ERR_PTR. */
static struct bpf_prog *make_prog(const union bpf_attr *attr, bool gpl_compatible)
{
	struct bpf_prog *prog = alloc_prog(attr->insn_cnt);
	int error;

	if (!prog)
		return ERR_PTR(-ENOMEM);
	btf_vmlinux_load();
	error = set_attach_object(prog, attr);
	if (!error)
		error = fill_prog(prog, attr, gpl_compatible);
	if (!error)
		error = verify(prog, attr);
	if (!error)
		error = bpf_prog_select_runtime(prog);
	if (!error) {
		count_memory(prog);
		return prog;
	}
	bpf_prog_free(prog);
	return ERR_PTR(error);
}

static long prog_load(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
		      u32 size __unused)
{
	char license[LICENSE_MAX] = "";
	struct bpf_prog *prog;
	int error, fd;

	if (attr->prog_flags & ~PROG_FLAGS)
		return -EINVAL;
	if (strncpy_from_user(license, (const char __user *)attr->license, LICENSE_MAX - 1) < 0)
		return -EFAULT;
	license[LICENSE_MAX - 1] = '\0';
	error = check_attr(attr);
	if (error)
		return error;
	prog = make_prog(attr, license_is_gpl_compatible(license));
	if (IS_ERR(prog))
		return PTR_ERR(prog);
	error = bpf_id_add(&bpf_prog_ids, prog, &prog->id);
	fd = error ? error : bpf_prog_new_fd(prog);
	if (fd < 0)
		bpf_prog_put(prog);
	return fd;
}
static const struct bpf_command prog_load_command BPF_COMMAND(prog_load) = {
	BPF_PROG_LOAD, BPF_ATTR_END(core_relo_rec_size), prog_load
};
