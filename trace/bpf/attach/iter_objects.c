/* Iterators over maps, programs, and the elements of a map. */
#include "kernel/init.h"
#include "kernel/mm/vmalloc.h"
#include "trace/bpf/attach/iter.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/syscall/objects.h"

struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
};
struct bpf_iter__bpf_prog {
	struct bpf_iter_meta *meta;
	struct bpf_prog *prog;
};
struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	void *key, *value;
};
BUILD_BUG_ON(sizeof(struct bpf_iter__bpf_map_elem) > BPF_ITER_WORDS * sizeof(u64));

DEFINE_BPF_ITER_FUNC(bpf_map, struct bpf_iter_meta *meta __unused, struct bpf_map *map __unused)
DEFINE_BPF_ITER_FUNC(bpf_prog, struct bpf_iter_meta *meta __unused, struct bpf_prog *prog __unused)
DEFINE_BPF_ITER_FUNC(bpf_map_elem, struct bpf_iter_meta *meta __unused,
		     struct bpf_map *map __unused, void *key __unused, void *value __unused)

static void advance_id(struct bpf_iter_session *session)
{
	session->id++;
}

/* ---- maps ---- */

static bool try_get_map(void *object)
{
	struct bpf_map *map = object;
	s64 refs = atomic64_read(&map->refs), seen;

	for (; refs; refs = seen) {
		seen = atomic64_cmpxchg(&map->refs, refs, refs + 1);
		if (seen == refs)
			return true;
	}
	return false;
}

static bool get_map(struct bpf_iter_session *session)
{
	struct bpf_iter__bpf_map *context = (void *)session->context;

	context->map = bpf_id_get_from(&bpf_map_ids, &session->id, try_get_map);
	return context->map;
}

static void put_map(struct bpf_iter_session *session)
{
	bpf_map_put(((struct bpf_iter__bpf_map *)session->context)->map);
}

BPF_ITER_TARGET(bpf_map) = {
	.name = "bpf_map",
	.get = get_map,
	.put = put_map,
	.advance = advance_id,
};

/* ---- programs ---- */

static bool try_get_prog(void *object)
{
	return atomic_add_unless(&((struct bpf_prog *)object)->refs, 1, 0);
}

static bool get_prog(struct bpf_iter_session *session)
{
	struct bpf_iter__bpf_prog *context = (void *)session->context;

	context->prog = bpf_id_get_from(&bpf_prog_ids, &session->id, try_get_prog);
	return context->prog;
}

static void put_prog(struct bpf_iter_session *session)
{
	bpf_prog_put(((struct bpf_iter__bpf_prog *)session->context)->prog);
}

BPF_ITER_TARGET(bpf_prog) = {
	.name = "bpf_prog",
	.get = get_prog,
	.put = put_prog,
	.advance = advance_id,
};

/* ---- elements ---- */

/* The types that Linux iterates over. */
static int choose_map(const union bpf_iter_link_info *info, struct bpf_iter_choice *choice)
{
	struct bpf_map *map;

	if (!info->map.map_fd)
		return -EBADF;
	map = bpf_map_get_fd((int)info->map.map_fd);
	if (IS_ERR(map))
		return (int)PTR_ERR(map);
	choice->map = map;
	/* The verifier knows one limit for keys and values, so both have room for it. */
	choice->buf_size = max(map->key_size, bpf_map_user_value_size(map));
	return bpf_map_is_percpu(map) || map->map_type == BPF_MAP_TYPE_HASH ||
			       map->map_type == BPF_MAP_TYPE_LRU_HASH ||
			       map->map_type == BPF_MAP_TYPE_ARRAY
		       ? 0
		       : -EINVAL;
}

/* A key, the next key, and a value. The value is a copy: what the program writes is lost. */
static int open_map(struct bpf_iter_session *session)
{
	session->room = kvzalloc(3 * (size_t)session->choice.buf_size, GFP_KERNEL);
	return session->room ? 0 : -ENOMEM;
}

static void *room(const struct bpf_iter_session *session, u32 n)
{
	return (u8 *)session->room + n * (size_t)session->choice.buf_size;
}

/*
 * Finds the key behind one. session->id: the room of the present key; session->fd: the number of
 * elements so far: a map that changes may show one again, but it ends.
 */
static void next_key(struct bpf_iter_session *session, const void *key, u32 to)
{
	struct bpf_map *map = session->choice.map;
	int error;

	rcu_read_lock();
	error = map->ops->get_next_key(map, key, room(session, to));
	rcu_read_unlock();
	session->id = to;
	session->fd = error ? ~0U : session->fd + 1;
}

static bool get_element(struct bpf_iter_session *session)
{
	struct bpf_iter__bpf_map_elem *context = (void *)session->context;

	if (!session->fd)
		next_key(session, NULL, 0);
	if (session->fd > session->choice.map->max_entries)
		return false;
	context->map = session->choice.map;
	context->key = room(session, session->id);
	context->value = room(session, 2);
	return true;
}

static void put_element(struct bpf_iter_session *session __unused)
{
}

static void advance_element(struct bpf_iter_session *session)
{
	next_key(session, room(session, session->id), !session->id);
}

static int run_element(struct bpf_iter_session *session)
{
	struct bpf_iter__bpf_map_elem *context = (void *)session->context;

	if (bpf_map_copy_value(context->map, context->key, context->value, 0))
		return SEQ_SKIP; /* it was removed */
	return bpf_iter_run(session);
}

BPF_ITER_TARGET(bpf_map_elem) = {
	.name = "bpf_map_elem",
	.choose = choose_map,
	.open = open_map,
	.get = get_element,
	.put = put_element,
	.advance = advance_element,
	.run = run_element,
};
