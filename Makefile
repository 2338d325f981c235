# nop5: builds build/nop5.elf and build/nop5.iso. `make help` prints the lines that begin with #:
#
#: make            build build/nop5.elf and build/nop5.iso
#: make run        build, boot in QEMU with the console on this terminal; leave with poweroff or Ctrl-A X
#: make debug      the same, stopped, with gdb attached; `make console` elsewhere has the console
#: make test       all tests, on the host and booted; the last line has the totals
#: make bench      measure; prints tables and writes build/bench.json
#: make soak       hackbench and stress on 8 CPUs for a long while
#: make clean      remove build/
#: make help       this list
#:
#: CPUS=4 MEM=256M      the machine for run and debug
#: APPEND="..."         added to the kernel command line
#: BOOT=iso             iso: through GRUB; uefi: the same on UEFI firmware; elf: directly
#: CC=gcc               or clang
#: DEBUG=1              poisoning, red zones, lock assertions and lock-order checking
#: FTRACE=0             no call of __fentry__ at the start of functions
#: O=build              where everything is written
#: V=1                  show the commands

# Everything is written below $(O), so `make O=build/clang CC=clang` leaves build/ alone.
O      ?= build
ifeq ($(origin CC),default)
CC     := gcc
endif
NASM   ?= nasm
# A cross compiler brings its own linker: CC=x86_64-elf-gcc.
CROSS  := $(patsubst %gcc,%,$(filter %-gcc,$(CC)))
LD     := $(CROSS)ld
export OBJCOPY := $(CROSS)objcopy
HOSTCC ?= cc
PYTHON ?= /usr/bin/python3
FTRACE ?= 1
DEBUG  ?= 0
CPUS   ?= 4
MEM    ?= 256M
BOOT   ?= iso
APPEND ?=
V      ?= 0

# As many jobs as there are CPUs, unless -j says otherwise.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN)
endif

ifeq ($(V),0)
Q      := @
say     = @printf '  %-7s %s\n' '$(1)' '$(2)'
else
Q      :=
say     = @:
endif
ifneq ($(findstring s,$(filter-out --%,$(MAKEFLAGS))),)
say     = @:
endif

# The rooms of the house. A source file that lies in one of them is part of the kernel.
ROOMS  := boot arch kernel fs shell trace
SRCS_C := $(sort $(shell find $(ROOMS) -name '*.c' 2>/dev/null))
SRCS_S := $(sort $(shell find $(ROOMS) -name '*.asm' 2>/dev/null))

CFLAGS := -std=gnu11 -O2 -g -ffreestanding -mcmodel=kernel -mno-red-zone -mgeneral-regs-only \
	  -fno-pic -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-stack-protector \
	  -fno-strict-aliasing -fcf-protection=none -fno-asynchronous-unwind-tables \
	  -fno-common -Wall -Wextra -Werror -I.
NASMFLAGS := -f elf64 -g -F dwarf -I. -Ox -w+all -Werror
LDFLAGS := -nostdlib -static -z max-page-size=4096 -z noexecstack --build-id=none \
	   --fatal-warnings --orphan-handling=error

CC_IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null | head -n1))
ifneq ($(CC_IS_CLANG),)
CFLAGS += --target=x86_64-elf -mno-implicit-float
endif

# Each function starts with a call of __fentry__; gcc also lists the calls in __mcount_loc.
ifeq ($(FTRACE),1)
CFLAGS += -pg -mfentry
CFLAGS += $(if $(CC_IS_CLANG),,-mrecord-mcount)
CFLAGS += -DCONFIG_FUNCTION_TRACER
NASMFLAGS += -DCONFIG_FUNCTION_TRACER
else
SRCS_C := $(filter-out trace/ftrace%.c,$(SRCS_C))
SRCS_S := $(filter-out arch/x86_64/ftrace_entry.asm,$(SRCS_S))
endif
ifeq ($(DEBUG),1)
CFLAGS += -DCONFIG_DEBUG
NASMFLAGS += -DCONFIG_DEBUG
endif

OBJS   := $(SRCS_C:%.c=$(O)/obj/%.o) $(SRCS_S:%.asm=$(O)/obj/%.asm.o)
DEPS   := $(OBJS:.o=.d)

.PHONY: all help run debug console test bench soak clean FORCE
.DELETE_ON_ERROR:
.SUFFIXES:

all: $(O)/nop5.elf $(O)/nop5.iso

# The stamp changes when the flags or the set of sources do, and everything follows it.
$(O)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(shell $(CC) --version | head -n1)' '$(CFLAGS)' '$(NASMFLAGS)' '$(LDFLAGS)' >$@.new
	@cmp -s $@ $@.new && rm $@.new || mv $@.new $@
$(O)/sources: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(OBJS) >$@.new
	@cmp -s $@ $@.new && rm $@.new || mv $@.new $@

# The tracer does not trace itself, nor what it stands on while it patches (docs/notrace.md).
UNTRACED := $(filter trace/%,$(SRCS_C)) arch/x86_64/text_patch.c arch/x86_64/text_alias.c
$(UNTRACED:%.c=$(O)/obj/%.o): CFLAGS := $(filter-out -pg -mfentry -mrecord-mcount,$(CFLAGS))

$(O)/obj/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

$(O)/obj/%.asm.o: %.asm $(O)/flags
	@mkdir -p $(@D)
	$(call say,NASM,$<)
	$(Q)$(NASM) $(NASMFLAGS) -MD $(@:.o=.d) -MP -MT $@ -o $@ $<

$(O)/scripts/kallsyms: scripts/kallsyms.c
	@mkdir -p $(@D)
	$(call say,HOSTCC,$<)
	$(Q)$(HOSTCC) -std=gnu11 -O2 -Wall -Wextra -Werror -o $@ $<

# Linked first to learn how large the symbol table is, then with that much room for it, then the
# table is written there: scripts/kallsyms.c.
$(O)/nop5.elf: arch/x86_64/kernel.ld $(OBJS) $(O)/sources $(O)/scripts/kallsyms
	$(call say,LD,$@)
	$(Q)$(LD) $(LDFLAGS) -T $< -o $@.tmp $(OBJS)
	$(Q)$(LD) $(LDFLAGS) --defsym=__kallsyms_size=$$($(O)/scripts/kallsyms size $@.tmp) \
		-T $< -o $@.tmp $(OBJS)
	$(Q)$(O)/scripts/kallsyms fill $@.tmp $@ && chmod +x $@ && rm $@.tmp

$(O)/nop5.iso: $(O)/nop5.elf iso/boot/grub/grub.cfg scripts/mkiso
	$(call say,ISO,$@)
	$(Q)scripts/mkiso $< $@

export APPEND

# What starts QEMU first sees to it that everything needed is installed; only then it can be built.
BOOTED := scripts/boot --build $(O) --cpus $(CPUS) --mem $(MEM) --$(BOOT) --append "$$APPEND"

run:
	@scripts/install-deps run
	@$(MAKE) --no-print-directory all
	@$(BOOTED) --run

debug:
	@scripts/install-deps debug
	@$(MAKE) --no-print-directory all
	@$(BOOTED) --debug

console:
	@scripts/boot --build $(O) --console

test soak bench:
	@scripts/install-deps test
	@tests/run $@

help:
	@sed -n 's/^#: \?//p' Makefile

clean:
	rm -rf $(O)

-include $(DEPS)
