; The first instructions of a new task, and the ways back to ring 3. A kernel without programs has
; no ring 3, and its tasks do not leave the function that they start with.

%include "arch/irq/entry.inc"

extern current_task, __preempt_count, schedule_tail, ring3_ops

USER_WORK_IRET		equ 4		; kernel/sched/task.h
RING3_EXIT_LOOP		equ 0		; in struct ring3_ops (ring3.h)

section .entry.text progbits alloc exec nowrite align=16
bits 64

; The first switch to a task returns here. rax = the previous task, rsp = task_pt_regs() - 8. A
; kernel task has in rbx the function to call, and in rbp 0, where backtraces end. It returns if the
; task has become a program by kernel_execve(). The child of a program has 0 in rbx.
global ret_from_fork
ret_from_fork:
	CFI_REGS
	mov	rdi, rax
	call	schedule_tail
	test	rbx, rbx
	jz	return_to_user
	call	rbx
	jmp	return_from_interrupt		; the return address is in this function

; Returns to ring 3 with the registers at rsp + 8, after the work that waits for the task. After an
; exception or an interrupt orig_ax says that there is no system call to begin again.
global return_from_interrupt, return_to_user_work, return_to_user_iret, iret_to_user
return_from_interrupt:
	mov	qword [rsp + 8 + PT_ORIG_AX], -1
return_to_user:
	IRQ_SITE CLI_INSN, preemptirq_irq_exit
	mov	rdx, [gs:current_task]
	cmp	dword [rdx + TASK_EXIT_WORK], 0
	jne	return_to_user_work
	cmp	dword [gs:__preempt_count], PREEMPT_NEED_RESCHED
	jne	return_to_user_work
return_to_user_iret:
	POP_REGS
	add	rsp, 8
	CFI_ADJUST -8
	swapgs
iret_to_user:
	iretq
; rdx = the current task.
return_to_user_work:
	CFI_REGS
	cmp	dword [rdx + TASK_EXIT_WORK], USER_WORK_IRET << 16
	jne	.loop
	cmp	dword [gs:__preempt_count], PREEMPT_NEED_RESCHED
	jne	.loop
	lock and dword [rdx + TASK_EXIT_WORK + 2], ~USER_WORK_IRET
	jmp	return_to_user_iret
.loop:
	lea	rdi, [rsp + 8]
	lea	rbp, [rsp + 9]
	call	[ring3_ops + RING3_EXIT_LOOP]
	jmp	return_to_user_iret
	CFI_END
