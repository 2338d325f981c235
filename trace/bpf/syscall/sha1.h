/* SHA-1 (RFC 3174), for the tags of programs. Not for secrets. Pure. */
#pragma once

#include "kernel/types.h"

#define SHA1_DIGEST_SIZE 20

void sha1(const void *data, size_t size, u8 digest[SHA1_DIGEST_SIZE]);
