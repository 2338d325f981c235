/* Uses a symbol that is exported for the GPL only, and has another license. */
#include "kernel/module/module.h"
#include "kernel/rcu/rcu.h"

static int __init test_gpl_init(void)
{
	synchronize_rcu();
	return 0;
}
module_init(test_gpl_init);

MODULE_LICENSE("Proprietary");
