/* Statistics of runs, and the marks of CPUs that run programs. See run.h. */
#include "trace/bpf/attach/run.h"

#include "arch/cpu/local.h"
#include "arch/time/clock.h"
#include "kernel/sched/mutex.h"

DEFINE_PER_CPU(const struct bpf_run_ctx *, bpf_run_ctx);
DEFINE_PER_CPU(u32, bpf_prog_active);
DEFINE_PER_CPU(s32, bpf_prog_room) = BPF_PROG_NESTING;
DEFINE_STATIC_KEY_FALSE(bpf_stats_enabled_key);

u32 bpf_prog_run_timed(const struct bpf_prog *prog, const void *ctx)
{
	struct bpf_prog_stats *stats = bpf_this_cpu_stats(prog);
	u64 start = (u64)arch_ktime();
	u32 result = bpf_prog_run(prog, ctx);

	local_add(&stats->nsecs, (u64)arch_ktime() - start);
	local_add(&stats->cnt, 1);
	return result;
}

void bpf_prog_count_miss(const struct bpf_prog *prog)
{
	local_add(&bpf_this_cpu_stats(prog)->misses, 1);
}

static DEFINE_PER_CPU(u8[BPF_PROG_MARKS], marks); /* the first one is shared */
static DEFINE_MUTEX(marks_mutex);
static bool taken[BPF_PROG_MARKS]; /* [marks_mutex] */

u8 *bpf_prog_mark_get(void)
{
	unsigned i = BPF_PROG_MARKS - 1;

	mutex_lock(&marks_mutex);
	while (i && taken[i])
		i--;
	taken[i] = true;
	mutex_unlock(&marks_mutex);
	return &marks[i];
}

void bpf_prog_mark_put(u8 *mark)
{
	mutex_lock(&marks_mutex);
	if (mark)
		taken[mark - marks] = false;
	mutex_unlock(&marks_mutex);
}
