/* The symbols of %pS, %ps and %pB: one function, schedule, at 0x1000, 0x34 bytes long. */
#pragma once

#include <stdio.h>

size_t vsprintf_symbol(char *buf, size_t size, unsigned long address, char form);

size_t vsprintf_symbol(char *buf, size_t size, unsigned long address, char form)
{
	if (form == 's')
		return (size_t)snprintf(buf, size, "schedule");
	return (size_t)snprintf(buf, size, "schedule+0x%lx/0x34", address - 0x1000);
}
