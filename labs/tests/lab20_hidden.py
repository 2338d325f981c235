"""A hidden test of lab 20: the calls in which your starter has a fault that no comment marks."""
from lab20 import visit


def test_rest(lab):
    visit(lab, "timer_create", "eventfd", "timerfd_create", "epoll_create", "inotify_init", "inotify_add_watch", "socketpair", "mkdir", "open", "mmap",
          "fcntl")
