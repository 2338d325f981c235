/* One symbol for the %pS family: schedule at 0x1000, 0x34 bytes long. */
#pragma once

#include <stdio.h>

#include "kernel/kallsyms.h"

int sprint_symbol(char *buffer, unsigned long address)
{
	return sprintf(buffer, "schedule+0x%lx/0x34", address - 0x1000);
}

int sprint_symbol_no_offset(char *buffer, unsigned long address)
{
	(void)address;
	return sprintf(buffer, "schedule");
}

int sprint_backtrace(char *buffer, unsigned long address)
{
	return sprint_symbol(buffer, address);
}
