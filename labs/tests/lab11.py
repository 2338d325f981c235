"""The tests of lab 11: page tables, rights, stacks, and pages that are made or copied as late as possible."""
from lab_test import expect

FAULTS = "user_memory_faults"


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def test_walk(lab):
    lab.selftest(f"{FAULTS}.what_has_no_table_is_skipped_at_once")
    lab.selftest(f"{FAULTS}.what_has_no_table_is_skipped")


def test_rights(lab):
    lab.selftest(f"{FAULTS}.rights_of_the_area_and_the_access_decide")
    lab.selftest("user_memory_calls.mprotect_takes_and_gives_rights_to_a_part")


def test_stack(lab):
    lab.selftest("user_memory.stack_grows_to_its_limit_and_keeps_its_distance")
    lab.selftest("user_memory.no_area_is_a_fault")


def test_zero(lab):
    lab.selftest("user_memory.is_zero_at_first_and_keeps_what_is_written")
    lab.selftest(f"{FAULTS}.a_page_that_is_first_written_is_zero_elsewhere")


def test_fork(lab):
    lab.selftest(f"{FAULTS}.fork_copies_a_page_when_it_is_written")
    lab.selftest("user_memory.fork_shares_pages_until_one_side_writes")


def test_reuse(lab):
    lab.selftest(f"{FAULTS}.fork_copies_a_page_when_it_is_written")
    lab.selftest(f"{FAULTS}.last_user_of_a_page_needs_no_copy")
    lab.selftest(f"{FAULTS}.page_of_a_file_is_copied_even_for_its_last_user")
    lab.selftest(f"{FAULTS}.write_for_a_debugger_gives_no_right_to_write")
    lab.selftest("user_memory.fork_shares_pages_until_one_side_writes")


def test_cpus(lab):
    lab.selftest(f"{FAULTS}.fork_copies_a_page_when_it_is_written")
    lab.selftest(f"{FAULTS}.entry_is_empty_until_the_old_translation_is_flushed")
    lab.selftest(f"{FAULTS}.every_cpu_reads_the_copy_and_no_longer_the_page", cpus=2)
