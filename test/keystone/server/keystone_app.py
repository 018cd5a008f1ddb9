"""WSGI entry: real Keystone, mounted under /identity; anything else is 404."""
import contextlib
import fcntl
import os
import signal
import sys
import threading
import time

# Keystone hands sys.argv to oslo.config: without this it chokes on the WSGI
# server's own options (SystemExit 2, and the server respawns for ever).
sys.argv = sys.argv[:1]

from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.wrappers import Response

from keystone.common import sql
from keystone.common.sql import core as sql_core
from keystone.server.wsgi import initialize_public_application

# SQLite only: Keystone's write transactions start with a SELECT, and SQLite
# refuses ("database is locked", answered as 500) to turn that into a write when
# somebody else wrote meanwhile. Keystone is made for a server database, where
# this cannot happen; so let one writer in at a time, over all threads and
# processes. Nothing else of Keystone is touched.
_thread_lock = threading.RLock()
_lock_file = open(os.environ["KEYSTONE_WRITE_LOCK"], "w")
_depth = 0
_session_for_write = sql_core.session_for_write


@contextlib.contextmanager
def session_for_write():
    global _depth
    with _thread_lock:
        if _depth == 0:
            fcntl.flock(_lock_file, fcntl.LOCK_EX)
        _depth += 1
        try:
            with _session_for_write() as session:
                yield session
        finally:
            _depth -= 1
            if _depth == 0:
                fcntl.flock(_lock_file, fcntl.LOCK_UN)


sql.session_for_write = sql_core.session_for_write = session_for_write

# A test run that is killed stops nothing: then the server ends itself, by its own master process, and Apache in front.
def end_with(pid, master):
    while True:
        time.sleep(2)
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            # Another worker may have ended it meanwhile.
            if os.getppid() == master:
                with contextlib.suppress(OSError, ValueError):
                    os.kill(int(open(os.environ["KEYSTONE_FRONT_PID"]).read()), signal.SIGTERM)
                os.kill(master, signal.SIGTERM)
            return


if os.environ.get("KEYSTONE_END_WITH"):
    threading.Thread(target=end_with, args=(int(os.environ["KEYSTONE_END_WITH"]), os.getppid()), daemon=True).start()

try:
    keystone = initialize_public_application()
except SystemExit as e:
    raise RuntimeError(f"Keystone refused to start: {e}")

application = DispatcherMiddleware(
    Response("not found\n", status=404, content_type="text/plain"),
    {"/identity": keystone},
)
