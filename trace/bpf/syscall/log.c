/*
 * The log for the program that loads. A program that asks for a log gets all of it: with a buffer
 * that is too small the load fails, so that it tries again with a larger one.
 */
#include "trace/bpf/syscall/log.h"

#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"

#define LOG_MASK (BPF_LOG_LEVEL | BPF_LOG_STATS)
#define LOG_MIN  128
#define LOG_MAX  (0xffffffffU >> 2)

static void write_user(struct bpf_verifier_log *log, const char *text, size_t len)
{
	struct bpf_user_log *user = container_of(log, struct bpf_user_log, log);
	u64 end = user->size - 1, pos = min(log->pos, end), n = min((u64)len, end - pos);

	if (user->fault)
		return;
	if (copy_to_user(user->buf + pos, text, n) || put_user('\0', user->buf + pos + n))
		user->fault = true;
	/* The verifier may go back, and write what is left in the room. */
	log->full = log->pos + len >= end;
}

int bpf_user_log_init(struct bpf_user_log *log, u32 level, u64 buf, u32 size)
{
	*log = (struct bpf_user_log){
		.log = { .level = level, .write = write_user },
		.buf = (char __user *)buf,
		.size = size,
	};
	if (!level && !buf && !size)
		return 0;
	return size < LOG_MIN || size > LOG_MAX || !level || !buf || (level & ~(u32)LOG_MASK)
		       ? -EINVAL
		       : 0;
}

int bpf_user_log_result(const struct bpf_user_log *log, int error)
{
	if (log->fault)
		return -EFAULT;
	return log->log.full ? -ENOSPC : error;
}
