"""The order of the tests when several workers run them side by side (tests/run).

The tests and files below begin first, in this order: they take longest, and a long test that began last would keep one
worker busy while the others have nothing to do. Those with a kernel of their own stand at the front, because other tests
use these builds, too. A test that is listed alone, and each test of a file in SINGLE, is a piece of work for itself. All
other tests of a file are one piece, because they share machines.
"""
import pytest

LONGEST = ["test_selftests.py::test_selftests_pass_in_another_build[DEBUG=1]",
           "test_selftests.py::test_selftests_pass_in_another_build[CC=clang]",
           "test_boot.py::test_each_build_boots_to_a_working_prompt[FTRACE=0]",
           "test_selftests.py::test_selftests_pass[8]",
           "test_selftests.py::test_selftests_pass[1]",
           "test_ftrace_storm.py",
           "test_export.py",
           "test_docs.py",
           "test_trace_record.py",
           "test_instances.py",
           "test_ftrace_oops.py",
           "test_ftrace.py",
           "test_graph_raw.py",
           "test_livepatch.py",
           "test_abi.py",
           "test_fgraph_stress.py"]

SINGLE = {"test_ftrace_storm.py", "test_export.py", "test_instances.py", "test_graph_raw.py", "test_fgraph_stress.py"}


def place(nodeid):
    """The place of a test in LONGEST, or the one behind its end."""
    for name in (nodeid, nodeid.partition("::")[0]):
        if name in LONGEST:
            return LONGEST.index(name)
    return len(LONGEST)


def piece(nodeid):
    """The name of the piece of work that a test is part of."""
    file = nodeid.partition("::")[0]
    return nodeid if file in SINGLE or nodeid in LONGEST else file


def pytest_collection_modifyitems(config, items):
    if hasattr(config, "workerinput"):
        missing = set(LONGEST) - {name for item in items for name in (item.nodeid, item.nodeid.partition("::")[0])}
        if missing:
            raise pytest.UsageError(f"order.py lists what does not exist: {missing}")
        items.sort(key=lambda item: place(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class Pieces(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return piece(nodeid)

    return Pieces(config, log)
