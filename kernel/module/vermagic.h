/* What a module and the kernel must have in common. A module carries the text it was built with. */
#pragma once

#include "kernel/boot/version.h"

#ifdef CONFIG_DEBUG
#define VERMAGIC_DEBUG "debug "
#else
#define VERMAGIC_DEBUG ""
#endif

#define VERMAGIC_STRING UTS_LINUX_RELEASE " SMP preempt mod_unload modversions " VERMAGIC_DEBUG
