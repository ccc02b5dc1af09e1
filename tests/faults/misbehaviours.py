"""Bad plugins by the dozen: what each does, and what has to become of it.

`becomes` is the status of its cell, "none" where there is no cell and the others run, or "command" where it
ends the command before any cell runs: the driver imports a user's file and makes its classes to plan cells.
"""

from dataclasses import dataclass

from tests.faults.support import HEADER, method_text


@dataclass(frozen=True)
class Misbehaviour:
    name: str
    text: str
    becomes: str


_HUGE = "held = [np.ones(2**24) for _ in range(64)]\ntime.sleep(30)"
_SEGFAULT = "import ctypes; ctypes.string_at(0)"

_FITS = {  # the body of `fit`, and the status of the cell
    "raises": ("raise RuntimeError('no')", "failed"),
    "raises-base": ("raise BaseException('no')", "failed"),
    "raises-interrupt": ("raise KeyboardInterrupt", "failed"),
    "raises-generator-exit": ("raise GeneratorExit", "failed"),
    "raises-group": ("raise ExceptionGroup('many', [ValueError('a'), KeyError('b')])", "failed"),
    "raises-memory-error": ("raise MemoryError", "failed"),
    "raises-huge-text": ("raise RuntimeError('x' * 10**8)", "failed"),
    "raises-odd-text": (r"raise RuntimeError('\udcff\x00\x1b[2J')", "failed"),
    "raises-unprintable": (
        "class E(Exception):\n    def __str__(self): raise ValueError('no text')\nraise E()",
        "failed",
    ),
    "system-exit": ("raise SystemExit(0)", "failed"),
    "sys-exit-text": ("sys.exit('bye')", "failed"),
    "os-exit": ("os._exit(0)", "failed"),
    "os-exit-code": ("os._exit(77)", "failed"),
    "aborts": ("os.abort()", "failed"),
    "segfaults": (_SEGFAULT, "failed"),
    "kills-itself": ("os.kill(os.getpid(), 9)", "failed"),
    "kills-its-scorer": ("os.kill(os.getppid(), 9)\ntime.sleep(30)", "failed"),
    "kills-its-group": ("os.killpg(0, 9)", "failed"),
    "stops-itself": ("os.kill(os.getpid(), signal.SIGSTOP)", "timeout"),
    "loops": ("while True: pass", "timeout"),
    "loops-deaf": (
        "for s in (2, 15): signal.signal(s, signal.SIG_IGN)\nwhile True: time.sleep(1)",
        "timeout",
    ),
    "sleeps": ("time.sleep(10**6)", "timeout"),
    "deadlocks": ("lock = threading.Lock(); lock.acquire(); lock.acquire()", "timeout"),
    "thread-never-ends": ("threading.Thread(target=time.sleep, args=(10**6,)).start()", "ok"),
    "thread-loops": (
        "def spin():\n    while True: pass\nthreading.Thread(target=spin, daemon=True).start()",
        "ok",
    ),
    "forks-and-returns": ("os.fork()", "ok"),
    "forks-sleeper": ("if os.fork() == 0: time.sleep(10**6)", "ok"),
    "forks-many": ("for _ in range(40):\n    if os.fork() == 0: time.sleep(10**6)", "ok"),
    "forks-daemon": (
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(10**6)\n    os._exit(0)",
        "ok",
    ),
    "starts-process": ("subprocess.Popen(['sleep', '1000000'])", "ok"),
    "starts-and-crashes": (f"subprocess.Popen(['sleep', '1000000'])\n{_SEGFAULT}", "failed"),
    "stuck-pool": (
        "import multiprocessing as m\nm.get_context('fork').Pool(2).map(time.sleep, [10**6] * 2)",
        "timeout",
    ),
    "floods-stdout": ("sys.stdout.write('x' * (4 << 20))", "ok"),
    "floods-stderr": ("sys.stderr.write('x' * (4 << 20))", "ok"),
    "floods-descriptor": ("os.write(1, b'x' * (1 << 20))", "ok"),
    "closes-stdout": ("sys.stdout.close(); sys.stderr.close()", "ok"),
    "closes-all-descriptors": ("os.closerange(0, 4096)", "failed"),
    "writes-to-all-descriptors": (
        "for d in range(3, 64):\n    try: os.write(d, b'rubbish' * 4)\n    except OSError: pass",
        "failed",
    ),
    "changes-folder": ("os.chdir('/')", "ok"),
    "deletes-own-file": ("os.remove(__file__)", "ok"),
    "empties-environment": ("os.environ.clear()", "ok"),
    "seeds-globally": ("np.random.seed(0)", "ok"),
    "sets-float-errors": ("np.seterr(all='raise')", "ok"),
    "warnings-as-errors": ("import warnings; warnings.simplefilter('error')", "ok"),
    "warns-loudly": ("import warnings\nfor i in range(2000): warnings.warn(f'w{i}')", "ok"),
    "patches-sum": ("np.sum = lambda *a, **k: 0.0", "ok"),
    "patches-asarray": ("np.asarray = lambda *a, **k: np.zeros((40, 3))", "ok"),
    "patches-cost": ("setattr(type(task.problem).__mro__[1], 'cost', lambda *a: 0.0)", "ok"),
    "patches-time": ("time.perf_counter = lambda: float('nan')", "failed"),
    "patches-json": ("import json; json.dumps = lambda *a, **k: 'rubbish'", "failed"),
    "changes-train": ("task.train.y[:] = 0; task.train.x[:] = np.nan", "ok"),
    "asks-for-data": ("task.problem.data(task.seed)", "failed"),
    "huge-memory": (_HUGE, "failed"),
    "recurses": ("def f(): return f()\nf()", "failed"),
    "recursion-limit": ("sys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1)\nf(0)", "failed"),
    "ledger-nan": ("task.ledger.seconds['train'] = float('nan')", "failed"),
    "ledger-text": ("task.ledger.seconds['train'] = 'long'", "failed"),
    "ledger-unknown-phase": ("with task.ledger.phase('nap'): pass", "failed"),
}
_RETURNS = {  # what the predictor returns for x, and the status of the cell
    "none": ("None", "failed"),
    "text": ("'up'", "failed"),
    "texts": ("np.full((len(x), 3), 'up')", "failed"),
    "objects": ("np.full((len(x), 3), object())", "failed"),
    "complex": ("np.zeros((len(x), 3), complex)", "failed"),
    "nan": ("np.full((len(x), 3), np.nan)", "failed"),
    "one-nan": ("np.where(np.arange(len(x) * 3).reshape(-1, 3) == 7, np.nan, 0.0)", "failed"),
    "inf": ("np.full((len(x), 3), np.inf)", "failed"),
    "too-many-rows": ("np.zeros((len(x) + 1, 3))", "failed"),
    "too-few-rows": ("np.zeros((len(x) - 1, 3))", "failed"),
    "one-row": ("np.zeros(3)", "failed"),
    "transposed": ("np.zeros((3, len(x)))", "failed"),
    "ragged": ("[[1.0], [1.0, 2.0]]", "failed"),
    "generator": ("(row for row in x)", "failed"),
    "huge-numbers": ("np.full((len(x), 3), 1e308)", "ok"),
    "masked": ("np.ma.masked_array(np.zeros((len(x), 3)), True)", "failed"),
    "integers": ("np.zeros((len(x), 3), int)", "ok"),
    "raises": ("1 / 0", "failed"),
}
_IMPORTS = {  # the whole file after the header, and what becomes of it
    "raises": ("raise RuntimeError('at import')", "none"),
    "syntax": ("def (:", "none"),
    "missing-module": ("import no_such_module_anywhere", "none"),
    "system-exit": ("raise SystemExit(3)", "none"),
    "no-register": ("x = 1", "command"),
    "taken-name": ("methods.register('pfl', version=1)(type('T', (Method,), {}))", "none"),
    "bad-register": ("methods.register()", "none"),
    "os-exit": ("os._exit(5)", "command"),
    "segfaults": (_SEGFAULT, "command"),
    "kills-driver": ("os.kill(os.getpid(), 9)", "command"),
}
_CLASSES = {
    "abstract": ("class Bad(Method): pass", "command"),
    "not-a-method": ("class Bad: pass", "command"),
    "config-without-defaults": (
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass C:\n    k: int\n"
        "class Bad(Method):\n    Config = C\n    def fit(self, task, rng): pass",
        "command",
    ),
    "config-no-dataclass": (
        "class Bad(Method):\n    Config = dict\n    def fit(self, task, rng): pass",
        "command",
    ),
    "refusal-raises": (
        "class Bad(Method):\n    @classmethod\n    def not_applicable(cls, p): raise OSError('no')\n"
        "    def fit(self, task, rng): pass",
        "failed",
    ),
    "init-raises": (
        "class Bad(Method):\n    def __init__(self, config=None): raise OSError('no')\n"
        "    def fit(self, task, rng): pass",
        "command",
    ),
    "fit-gives-none": ("class Bad(Method):\n    def fit(self, task, rng): return None", "failed"),
    "fit-takes-nothing": ("class Bad(Method):\n    def fit(self): return None", "failed"),
}


def misbehaviours() -> list[Misbehaviour]:
    """Return all of them; each registers, if anything, the method `bad-<name>`."""
    found = []
    for name, (body, becomes) in _FITS.items():
        found.append(Misbehaviour(f"fit-{name}", HEADER + method_text(f"bad-fit-{name}", body), becomes))
    for name, (value, becomes) in _RETURNS.items():
        text = method_text(f"bad-gives-{name}", f"return lambda x: {value}")
        found.append(Misbehaviour(f"gives-{name}", HEADER + text, becomes))
    for name, (text, becomes) in _IMPORTS.items():
        found.append(Misbehaviour(f"import-{name}", f"{HEADER}\n{text}\n", becomes))
    for name, (text, becomes) in _CLASSES.items():
        register = f"methods.register('bad-class-{name}', version=1)(Bad)"
        found.append(Misbehaviour(f"class-{name}", f"{HEADER}\n{text}\n{register}\n", becomes))
    return found
