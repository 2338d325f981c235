/* The size of a kernel stack. Rooms above mm/ need it without the page tables. */
#pragma once

#define THREAD_SIZE 16384 /* bytes of kernel stack, above a guard page */
