/*
 * PROG_ARRAY: programs that other programs jump to (tail calls).
 *
 * The target gets the context of the program that jumps. So all programs in the map and all that
 * use the map have one type, and in TRACING one function. A compiled program jumps into the code of
 * its target, so all are compiled, or none is. Contexts of some types differ in size, and only the
 * program that jumps was compared with its event, or an iterator's with its map: their targets read
 * nothing of the context, or of keys and values.
 */
#include "kernel/errno.h"
#include "kernel/locking/spinlock.h"
#include "trace/bpf/core/prog.h"
#include "trace/bpf/maps/fd_array.h"

static DEFINE_SPINLOCK(owner_lock); /* the member owner of all maps */

bool bpf_prog_array_compatible(struct bpf_map *map, const struct bpf_prog *prog)
{
	bool tracing = prog->type == BPF_PROG_TYPE_TRACING;
	struct bpf_map_owner *owner = &map->owner, other = {
		.known = true,
		.jited = prog->jited,
		.type = prog->type,
		.attach_type = tracing ? prog->expected_attach_type : 0,
		.attach_func_proto = prog->attach_func_proto,
	};
	bool compatible;

	spin_lock(&owner_lock);
	if (!owner->known)
		*owner = other;
	compatible = owner->type == other.type && owner->jited == other.jited &&
		     owner->attach_type == other.attach_type &&
		     owner->attach_func_proto == other.attach_func_proto;
	spin_unlock(&owner_lock);
	return compatible;
}

const struct bpf_prog *bpf_prog_array_get(const struct bpf_map *map, u64 index)
{
	return bpf_fd_array_get(map, index);
}

/* Whether all contexts that the program may get have what it reads. */
static bool fits_each_context(const struct bpf_prog *prog)
{
	switch (prog->type) {
	case BPF_PROG_TYPE_TRACEPOINT:     /* a record */
	case BPF_PROG_TYPE_RAW_TRACEPOINT: /* arguments */
	case BPF_PROG_TYPE_SYSCALL:        /* what user space passes */
		return !prog->max_ctx_offset;
	case BPF_PROG_TYPE_TRACING: /* keys and values of any size */
		return !prog->max_buf_access;
	default:
		return true;
	}
}

static void *get_prog(struct bpf_map *map, struct file *map_file __unused, int fd)
{
	struct bpf_prog *prog = bpf_prog_get_fd(fd);

	if (IS_ERR(prog) || (fits_each_context(prog) && bpf_prog_array_compatible(map, prog)))
		return prog;
	bpf_prog_put(prog);
	return ERR_PTR(-EINVAL);
}

static void put_prog(struct bpf_map *map __unused, void *object)
{
	bpf_prog_put(object);
}

static u32 prog_id(const void *object)
{
	return ((const struct bpf_prog *)object)->id;
}

static const struct bpf_fd_array_ops programs = { .get = get_prog, .put = put_prog, .id = prog_id };

static struct bpf_map *prog_array_alloc(const union bpf_attr *attr)
{
	return bpf_fd_array_alloc(attr, &programs);
}

static const struct bpf_map_ops prog_array BPF_MAP_TYPE(prog_array) = {
	.type = BPF_MAP_TYPE_PROG_ARRAY,
	.name = "prog_array",
	.alloc_check = bpf_fd_array_check,
	.alloc = prog_array_alloc,
	.free = bpf_fd_array_free,
	/*
	 * A program that is in an array that it uses has a reference to it, and the array one to
	 * the program. So the programs go when user space has no way to the map any more.
	 */
	.release_uref = bpf_fd_array_clear,
	.delete = bpf_fd_array_delete,
	.get_next_key = bpf_array_get_next_key,
	.read_user = bpf_fd_array_read_user,
	.write_user = bpf_fd_array_write_user,
};
