/* The question whether credentials have a capability. */
#include "kernel/task/cred.h"

int cap_capable(const struct cred *cred, const void *ns, int cap, unsigned opts)
{
	(void)ns;
	(void)opts;
	return cred->cap_effective & BIT(cap) ? 0 : -EPERM;
}
