/*
 * Computes what each site must call from what all ops want: updates the records, and makes the
 * batch of patches for a change of one ops.
 *
 *	users	record		the site
 *	0			nop
 *	1	TRAMP		call the trampoline of that ops
 *	1	TRAMP, DIRECT	call the code of that ops; jmp to it with FTRACE_OPS_FL_JMP
 *	n			call ftrace_caller -> ftrace_ops_list_func
 *	n	REGS		call ftrace_regs_caller -> the same; a user wants all registers
 *
 * A record has each of these twice: as it must be (the count, REGS, TRAMP), and as the bytes of the
 * site are (ENABLED, REGS_EN, TRAMP_EN). Between changes both agree. A record has no room for the
 * address of the trampoline. The trampoline belongs to the only user. An update knows that user,
 * because it changes one ops at a time.
 *
 * A change has three parts. ftrace_change_plan() and ftrace_change_alloc() do what may fail.
 * ftrace_change_commit() does the rest: for each site it computes the old and the new instruction
 * (update_record()), it has all of them patched in one batch (ftrace_apply_patches()), and then it
 * notes in the records what the bytes are now.
 *
 * Everything here is [F]: ftrace_lock is held.
 */
#include "arch/patch/text_patch.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/printk/printk.h"
#include "kernel/sections.h"
#include "trace/ftrace/trampoline.h"

#define FEW 64 /* a change of at most so many sites looks up each site, and allocates nothing */

#define FTRACE_FL_STATE (FTRACE_FL_ENABLED | FTRACE_FL_REGS_EN | FTRACE_FL_TRAMP_EN)

static __always_inline bool request_wants(const struct ftrace_request *request, u32 offset)
{
	return request->registered &&
	       ftrace_hashes_want(request->filter, request->notrace_hash, offset);
}

/* ---- what a site must call ---- */

/* The users of a site. */
struct site_users {
	u32 flags; /* as in dyn_ftrace: the count, REGS, IPMODIFY, DIRECT, TRAMP */
	const struct ftrace_ops *ops; /* the last user */
};

static __always_inline void add_user(struct site_users *users, const struct ftrace_ops *ops)
{
	users->flags++; /* the count is in the low bits */
	users->ops = ops;
	if (ops->flags & FTRACE_OPS_FL_SAVE_REGS)
		users->flags |= FTRACE_FL_REGS;
	if (ops->flags & FTRACE_OPS_FL_IPMODIFY)
		users->flags |= FTRACE_FL_IPMODIFY;
	if (ops->flags & FTRACE_OPS_FL_DIRECT)
		users->flags |= FTRACE_FL_DIRECT;
}

/* Returns the registered users except one (NULL: no exception). */
static __always_inline struct site_users users_except(u32 offset, const struct ftrace_ops *one)
{
	struct site_users users = { 0, NULL };
	const struct ftrace_ops *ops;

	list_for_each_entry (ops, &ftrace_ops_list, list)
		if (ops != one && ftrace_ops_want(ops, offset))
			add_user(&users, ops);
	return users;
}

/* The instruction at a site: a call of target, a jmp to target, or a nop (target 0). */
struct site_insn {
	unsigned long target;
	bool jmp;
};

static __always_inline struct site_insn call_to(unsigned long target)
{
	return (struct site_insn){ target, false };
}

static __always_inline struct site_insn call_of_list(bool regs)
{
	return call_to((unsigned long)(regs ? ftrace_regs_caller : ftrace_caller));
}

/* The instruction of a site with TRAMP; ops is its only user. */
static __always_inline struct site_insn insn_of_own(const struct ftrace_ops *ops)
{
	if (unlikely(ops->flags & FTRACE_OPS_FL_DIRECT))
		return (struct site_insn){ ops->direct_call, ops->flags & FTRACE_OPS_FL_JMP };
	return call_to(ops->trampoline->address);
}

static __always_inline bool same_insn(struct site_insn a, struct site_insn b)
{
	return a.target == b.target && a.jmp == b.jmp;
}

/* Returns the instruction for a site with these users. */
static __always_inline struct site_insn wanted_insn(struct site_users *users)
{
	/*
	 * LAB 4: The cheapest instruction that serves all users.
	 * Starts as:
	 *	if (users->flags & FTRACE_REF_MASK)
	 *		return call_of_list(users->flags & FTRACE_FL_REGS);
	 *	return call_to(0);
	 */
	u32 count = users->flags & FTRACE_REF_MASK;

	if (!count)
		return call_to(0);
	if (count == 1 && (users->ops->trampoline || users->flags & FTRACE_FL_DIRECT)) {
		users->flags |= FTRACE_FL_TRAMP;
		return insn_of_own(users->ops);
	}
	return call_of_list(users->flags & FTRACE_FL_REGS);
	/* END LAB 4 */
}

/* Returns the instruction at the site now, from its record; before: its users so far. */
static __always_inline struct site_insn present_insn(const struct dyn_ftrace *rec,
						     const struct site_users *before)
{
	if (!(rec->flags & FTRACE_FL_ENABLED))
		return call_to(0);
	if (rec->flags & FTRACE_FL_TRAMP_EN)
		return insn_of_own(before->ops);
	return call_of_list(rec->flags & FTRACE_FL_REGS_EN);
}

/* REGS_EN and TRAMP_EN are the bits below REGS and TRAMP. */
BUILD_BUG_ON(FTRACE_FL_REGS_EN != FTRACE_FL_REGS >> 1);
BUILD_BUG_ON(FTRACE_FL_TRAMP_EN != FTRACE_FL_TRAMP >> 1);

static __always_inline u32 state_for(u32 flags)
{
	u32 state = (flags & (FTRACE_FL_REGS | FTRACE_FL_TRAMP)) >> 1;

	return flags & FTRACE_REF_MASK ? state | FTRACE_FL_ENABLED : 0;
}

/* ---- the sites that a change concerns ---- */

/*
 * The sites to look at. With a filter of few functions these sites themselves, found by the
 * filter's hash. Else all records, and concerns() decides for each.
 */
struct site_set {
	bool all;       /* look at all records */
	unsigned image; /* the first so many records are of the image, not of modules */
	unsigned count;
	unsigned most;               /* the change concerns at most so many sites */
	struct dyn_ftrace *few[FEW]; /* without all: these, sorted by address */
};

static __always_inline bool concerns(const struct ftrace_change *change, u32 offset)
{
	return request_wants(&change->before, offset) != request_wants(&change->after, offset);
}

/* Keeps the set sorted. The site may be there already: from the filter before the change. */
static void insert_site(struct site_set *set, struct dyn_ftrace *rec)
{
	unsigned at = set->count;

	while (at && set->few[at - 1]->offset > rec->offset)
		at--;
	if (at && set->few[at - 1] == rec)
		return;
	for (unsigned i = set->count++; i > at; i--)
		set->few[i] = set->few[i - 1];
	set->few[at] = rec;
}

/* Adds the sites of a request's filter that the change concerns. */
static void collect(struct site_set *set, const struct ftrace_change *change,
		    const struct ftrace_request *request)
{
	if (!request->registered)
		return;
	for (u32 i = 0; i <= request->filter->mask; i++) {
		u32 offset = request->filter->slots[i];
		struct dyn_ftrace *rec;

		if (!offset || !concerns(change, offset))
			continue;
		rec = ftrace_location(KERNEL_IMAGE_BASE + offset); /* NULL for init text */
		if (rec)
			insert_site(set, rec);
	}
}

static void find_sites(struct site_set *set, const struct ftrace_change *change)
{
	const struct ftrace_request *requests[] = { &change->before, &change->after };

	set->all = false;
	set->image = ftrace_record_count() - ftrace_nr_module_records;
	set->count = set->most = 0;
	for (unsigned i = 0; i < ARRAY_SIZE(requests); i++) {
		const struct ftrace_hash *filter = requests[i]->filter;

		if (!requests[i]->registered)
			continue;
		set->all |= !filter;
		set->most += filter ? filter->count : ftrace_record_count();
	}
	set->all |= set->most > FEW;
	if (set->all) {
		set->count = ftrace_record_count();
		set->most = min(set->most, set->count);
		return;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(requests); i++)
		collect(set, change, requests[i]);
}

/* Returns site i of the set. last: site i - 1, or NULL. Records are side by side in a page. */
static __always_inline struct dyn_ftrace *site_at(const struct site_set *set, unsigned i,
						  struct dyn_ftrace *last)
{
	if (!set->all)
		return set->few[i];
	if (last && (unsigned long)(last + 1) % PAGE_SIZE && i < set->image)
		return last + 1;
	return ftrace_record(i);
}

/* ---- planning ---- */

/* Fails if a site that this change adds has another user with IPMODIFY, or with DIRECT, too. */
static int check_conflicts(const struct ftrace_change *change, const struct site_set *set)
{
	const unsigned long flags = change->ops->flags;

	if (!(flags & (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT)))
		return 0;
	if (change->after.registered && !change->after.filter)
		return -EINVAL;
	for (unsigned i = 0; i < set->count; i++) {
		const struct dyn_ftrace *rec = site_at(set, i, NULL);

		if (set->all && !concerns(change, rec->offset))
			continue;
		if (!request_wants(&change->after, rec->offset))
			continue;
		if (rec->flags & FTRACE_FL_IPMODIFY && flags & FTRACE_OPS_FL_IPMODIFY)
			return -EPERM;
		if (rec->flags & FTRACE_FL_DIRECT && flags & FTRACE_OPS_FL_DIRECT)
			return -EBUSY;
	}
	return 0;
}

int ftrace_change_plan(struct ftrace_change *change)
{
	struct site_set set;

	find_sites(&set, change);
	change->sites = set.most;
	return check_conflicts(change, &set);
}

int ftrace_change_alloc(unsigned sites, struct text_patch **patches)
{
	*patches = NULL;
	if (sites <= FEW)
		return 0;
	*patches = vmalloc(sites * sizeof(**patches));
	return *patches ? 0 : -ENOMEM;
}

/* ---- commit ---- */

static void ftrace_bug(const struct text_patch *patch, int error)
{
	const u8 *bytes = (const u8 *)patch->addr;

	ftrace_shut_down();
	pr_err("ftrace: cannot patch %pS [<%p>]: error %d, shutting down\n", (void *)patch->addr,
	       (void *)patch->addr, error);
	pr_err("ftrace: expected %5ph, found %5ph, wanted %5ph\n", patch->old, bytes, patch->new);
	report_warning(__FILE__, __LINE__, "ftrace_bug");
}

int ftrace_apply_patches(const struct text_patch *patches, size_t count)
{
	size_t bad = 0;
	int error = text_patch_apply(patches, count, &bad);

	if (!error)
		return 0;
	ftrace_bug(&patches[bad], error);
	return -ENODEV;
}

static __always_inline void encode_insn(u8 bytes[TEXT_PATCH_SIZE], unsigned long ip,
					struct site_insn insn)
{
	if (!insn.target)
		__builtin_memcpy(bytes, text_nop5, TEXT_PATCH_SIZE);
	else if (unlikely(insn.jmp))
		text_encode_jmp(bytes, ip, insn.target);
	else
		text_encode_call(bytes, ip, insn.target);
}

/* Returns the bits of FTRACE_FL_HISTORY for the users that flags names. */
static u32 history_for(u32 flags)
{
	return (flags & FTRACE_REF_MASK ? FTRACE_FL_TOUCHED : 0) |
	       (flags & (FTRACE_FL_IPMODIFY | FTRACE_FL_DIRECT) ? FTRACE_FL_MODIFIED : 0);
}

/* What a change makes of a site. It depends on the first three only. */
struct site_update {
	u32 before;                /* flags of the record */
	struct site_users without; /* users but for change->ops */
	bool added;                /* change->ops is added; or it is removed */
	u32 after;                 /* flags of the record, with the old STATE */
	struct site_insn from, to;
};

static noinline void compute_update(struct site_update *update, const struct ftrace_ops *ops)
{
	const struct dyn_ftrace rec = { .flags = update->before };
	struct site_users without = update->without, with = without;
	bool added = update->added;

	add_user(&with, ops);
	update->from = present_insn(&rec, added ? &without : &with);
	update->to = wanted_insn(added ? &with : &without);
	update->after = (rec.flags & (FTRACE_FL_STATE | FTRACE_FL_HISTORY)) |
			(added ? with.flags : without.flags);
	update->after |= history_for(update->after);
}

/*
 * Updates rec for the change. Returns true if the site needs the patch that it fills in. last: of
 * the site before. Most sites are like that one, and nothing is computed for them.
 *
 * The change concerns the site. So its users before and after differ by change->ops alone: it is
 * added or removed. STATE still says what the bytes are; the caller changes it after the patch.
 */
static __always_inline bool update_record(struct dyn_ftrace *rec,
					  const struct ftrace_change *change,
					  struct site_update *last, struct text_patch *patch)
{
	struct site_users without = users_except(rec->offset, change->ops);
	bool added = request_wants(&change->after, rec->offset);

	if (rec->flags != last->before || without.flags != last->without.flags ||
	    without.ops != last->without.ops || added != last->added) {
		last->before = rec->flags;
		last->without = without;
		last->added = added;
		compute_update(last, change->ops);
	}
	rec->flags = last->after;
	if (same_insn(last->from, last->to))
		return false;
	patch->addr = ftrace_record_ip(rec);
	encode_insn(patch->old, patch->addr, last->from);
	encode_insn(patch->new, patch->addr, last->to);
	return true;
}

/* patches has room for all sites, so the loop runs once; without it, once for each FEW sites. */
int ftrace_change_commit(const struct ftrace_change *change, struct text_patch *patches)
{
	static struct text_patch few[FEW]; /* [F] */
	unsigned max = patches ? change->sites : FEW, done = 0;
	struct site_update last;
	struct site_set set;

	last.before = ~0U; /* no record has these flags */
	patches = patches ?: few;
	find_sites(&set, change);
	while (done < set.count) {
		struct text_patch *patch = patches;
		u32 before = 0, after = 0; /* flags of a record */
		struct dyn_ftrace *rec = NULL;
		unsigned i;
		int error;

		for (i = done; i < set.count && patch < patches + max; i++) {
			rec = site_at(&set, i, rec);
			if (!set.all || concerns(change, rec->offset))
				patch += update_record(rec, change, &last, patch);
		}
		error = ftrace_apply_patches(patches, (size_t)(patch - patches));
		if (error)
			return error;
		for (rec = NULL; done < i; done++, rec->flags = after) {
			rec = site_at(&set, done, rec);
			if (rec->flags == before)
				continue;
			before = rec->flags;
			after = (before & ~FTRACE_FL_STATE) | state_for(before);
		}
	}
	return 0;
}

/* ---- other callers than a change of one ops ---- */

int ftrace_update_new_records(struct dyn_ftrace *records, unsigned count)
{
	struct text_patch *patches;
	unsigned used = 0;
	int error;

	if (list_empty(&ftrace_ops_list))
		return 0;
	patches = kvzalloc(count * sizeof(*patches), GFP_KERNEL);
	if (!patches)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++) {
		struct dyn_ftrace *rec = &records[i];
		struct site_users users = users_except(rec->offset, NULL);
		struct site_insn insn = wanted_insn(&users);

		rec->flags = users.flags | history_for(users.flags);
		if (!insn.target)
			continue;
		patches[used].addr = ftrace_record_ip(rec);
		encode_insn(patches[used].old, patches[used].addr, call_to(0));
		encode_insn(patches[used].new, patches[used].addr, insn);
		used++;
	}
	error = used ? ftrace_apply_patches(patches, used) : 0;
	for (unsigned i = 0; i < count; i++)
		records[i].flags |= error ? 0 : state_for(records[i].flags);
	kvfree(patches);
	return error;
}

void ftrace_records_restore(void)
{
	for (unsigned i = 0; i < ftrace_record_count(); i++) {
		struct dyn_ftrace *rec = ftrace_record(i);
		struct site_users users = users_except(rec->offset, NULL);

		wanted_insn(&users);
		rec->flags = users.flags | (rec->flags & (FTRACE_FL_STATE | FTRACE_FL_HISTORY));
	}
}

/* ---- queries ---- */

struct ftrace_ops *ftrace_trampoline_ops(const struct dyn_ftrace *rec)
{
	struct ftrace_ops *ops;

	if (rec->flags & FTRACE_FL_TRAMP_EN)
		list_for_each_entry (ops, &ftrace_ops_list, list)
			if (ftrace_ops_want(ops, rec->offset))
				return ops;
	return NULL;
}

static bool is_correct(const struct dyn_ftrace *rec)
{
	struct site_users users = users_except(rec->offset, NULL);
	struct site_insn insn = wanted_insn(&users);
	unsigned long ip = ftrace_record_ip(rec);
	u8 expected[TEXT_PATCH_SIZE];

	encode_insn(expected, ip, insn);
	return (rec->flags & ~FTRACE_FL_HISTORY) == (users.flags | state_for(users.flags)) &&
	       !memcmp((const void *)ip, expected, TEXT_PATCH_SIZE);
}

unsigned ftrace_verify(void (*report)(void *data, const struct dyn_ftrace *rec, const u8 *bytes),
		       void *data)
{
	unsigned mismatches = 0;

	mutex_lock(&ftrace_lock);
	for (unsigned i = 0; i < ftrace_record_count(); i++) {
		const struct dyn_ftrace *rec = ftrace_record(i);

		if (is_correct(rec))
			continue;
		mismatches++;
		if (report)
			report(data, rec, (const u8 *)ftrace_record_ip(rec));
	}
	mutex_unlock(&ftrace_lock);
	return mismatches;
}
