"""The order of the tests when several workers run them side by side (tests/run).

The tests and files below begin first, in this order: they take longest, and a long test that began last would keep one
worker busy while the others have nothing to do. A test that is listed alone, and each test of a file in SINGLE, is a piece of work for itself. All
other tests of a file are one piece, because they share machines.
"""
import pytest

LONGEST = ["test_selftests.py::test_selftests_that_use_other_cpus_pass",
           "test_selftests.py::test_selftests_pass_on_one_cpu",
           "test_abi.py",
           "test_docs.py",
           "test_given_order.py",
           "test_export.py",
           "test_ftrace_oops.py",
           "test_modules.py",
           "test_boot.py",
           "test_trace_record.py",
           "test_graph.py",
           "test_load.py",
           "test_labs.py"]

SINGLE = {"test_export.py", "test_given_order.py", "test_instances.py", "test_graph_raw.py", "test_load.py"}


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
        chosen = config.getoption("keyword") or any(argument.endswith(".py") for argument in config.args)
        if missing and not chosen:
            raise pytest.UsageError(f"order.py lists what does not exist: {missing}")
        items.sort(key=lambda item: place(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class Pieces(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return piece(nodeid)

    return Pieces(config, log)
