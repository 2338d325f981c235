/* The names of error numbers. Any context. */
#pragma once

#include "kernel/errno.h"

/* "ENOMEM" for ENOMEM, NULL for a number that has no name. errno_text() is in kernel/errno.h. */
const char *errname(int error);
