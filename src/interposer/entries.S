// SPDX-License-Identifier: Apache-2.0
//
// dlsym, dlvsym, dlopen and dlmopen as this library exports them. Each hands its arguments to a function
// that judges them (dl_lookup.cc, dl_open.cc) and then either returns that function's answer or jumps to
// the C library's own, with the caller's return address as if nothing had been in between: RTLD_NEXT, the
// caller's RUNPATH and namespace, and dlerror depend on it.

        .text

// The judge gets a pointer to { argument 0, 1, 2, return address }, may change the arguments, and returns
// { rax: answer, rdx: where to jump, or 0: return the answer }.
.macro ENTRY name, judge
        .globl  \name
        .type   \name, @function
        .p2align 4
\name:
        .cfi_startproc
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        movq    %rsp, %rdi
        call    \judge
        movq    %rdx, %r11
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        testq   %r11, %r11
        jz      1f
        jmp     *%r11
1:      ret
        .cfi_endproc
        .size   \name, . - \name
.endm

        ENTRY   dlsym, aliquot_judge_dlsym
        ENTRY   dlvsym, aliquot_judge_dlvsym
        ENTRY   dlopen, aliquot_judge_dlopen
        ENTRY   dlmopen, aliquot_judge_dlmopen

        .hidden aliquot_judge_dlsym
        .hidden aliquot_judge_dlvsym
        .hidden aliquot_judge_dlopen
        .hidden aliquot_judge_dlmopen

// A forwarding stub whose slot is empty comes here with its row in r11d: every register that can hold an
// argument is kept, the driver's function found, and jumped to.
        .globl  aliquot_stub_unresolved
        .hidden aliquot_stub_unresolved
        .hidden aliquot_resolve_row
        .type   aliquot_stub_unresolved, @function
        .p2align 4
aliquot_stub_unresolved:
        .cfi_startproc
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        pushq   %rcx
        .cfi_adjust_cfa_offset 8
        pushq   %r8
        .cfi_adjust_cfa_offset 8
        pushq   %r9
        .cfi_adjust_cfa_offset 8
        subq    $128, %rsp
        .cfi_adjust_cfa_offset 128
        movups  %xmm0, (%rsp)
        movups  %xmm1, 16(%rsp)
        movups  %xmm2, 32(%rsp)
        movups  %xmm3, 48(%rsp)
        movups  %xmm4, 64(%rsp)
        movups  %xmm5, 80(%rsp)
        movups  %xmm6, 96(%rsp)
        movups  %xmm7, 112(%rsp)
        movl    %r11d, %edi
        call    aliquot_resolve_row
        movq    %rax, %r11
        movups  (%rsp), %xmm0
        movups  16(%rsp), %xmm1
        movups  32(%rsp), %xmm2
        movups  48(%rsp), %xmm3
        movups  64(%rsp), %xmm4
        movups  80(%rsp), %xmm5
        movups  96(%rsp), %xmm6
        movups  112(%rsp), %xmm7
        addq    $128, %rsp
        .cfi_adjust_cfa_offset -128
        popq    %r9
        .cfi_adjust_cfa_offset -8
        popq    %r8
        .cfi_adjust_cfa_offset -8
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        popq    %rax
        .cfi_adjust_cfa_offset -8
        jmp     *%r11
        .cfi_endproc
        .size   aliquot_stub_unresolved, . - aliquot_stub_unresolved

        .section .note.GNU-stack, "", @progbits
