/* The names of error numbers. Any context. */
#pragma once

#include "kernel/errno.h"

/* "ENOMEM" for ENOMEM; NULL: the number has no name. errno_text() is in kernel/errno.h. */
const char *errname(int error);
