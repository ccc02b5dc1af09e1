"""A headless Chromium driven through its own pipe: the DevTools protocol without another package."""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

CHROMIUM = shutil.which("chromium")
PATIENCE = 30.0  # seconds for one answer, on a busy machine
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic",
    "--no-first-run", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe",
)  # fmt: skip


class Chromium:
    """One browser process with one page; every message is kept in `events`."""

    def __init__(self, profile: Path) -> None:
        assert CHROMIUM is not None
        browser_in, self._send = os.pipe()
        self._receive, browser_out = os.pipe()
        # The browser listens on 3 and answers on 4; high copies first, so that neither overwrites the other.
        high_in, high_out = (fcntl.fcntl(fd, fcntl.F_DUPFD, 64) for fd in (browser_in, browser_out))

        def place() -> None:
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=place,
            close_fds=False,
            process_group=0,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for fd in (browser_in, browser_out, high_in, high_out):
            os.close(fd)
        self.events: list[dict] = []
        self._buffer, self._last, self._target = b"", 0, None
        (page,) = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        attached = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._target = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._target = None
            self.call("Browser.close")
            self._process.wait(PATIENCE)
        finally:
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
            os.close(self._send)
            os.close(self._receive)

    def call(self, method: str, **params: object) -> dict:
        """Send a command and return its result."""
        self._last += 1
        message: dict = {"id": self._last, "method": method, "params": params}
        if self._target:
            message["sessionId"] = self._target
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == message["id"]:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def _next(self) -> dict:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._receive], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"no answer from Chromium in {PATIENCE:.0f} s"
            self._buffer += os.read(self._receive, 1 << 20)
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, path: Path, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Show a local file in a window of a size and scheme; events of earlier pages are forgotten."""
        mobile = width < 600
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=2 if mobile else 1, mobile=mobile,
        )  # fmt: skip
        # Without motion: a click must not aim at a page that is still scrolling.
        features = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce"}
        media = [{"name": name, "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=media)
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def evaluate(self, expression: str) -> object:
        """Return the JSON value of an expression; an exception of the page fails here."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def click(self, expression: str) -> None:
        """Press the mouse in the middle of the element an expression gives."""
        x, y = self._middle(expression)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def _middle(self, expression: str) -> tuple[float, float]:
        return self.evaluate(  # type: ignore[return-value]
            f"(async () => {{ const e = {expression};"
            "e.scrollIntoView({block: 'center', inline: 'center'});"
            "const frame = () => new Promise(requestAnimationFrame); await frame(); await frame();"
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press and release a key."""
        shared = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **shared)
        self.call("Input.dispatchKeyEvent", type="keyUp", **shared)

    def type(self, text: str) -> None:
        """Put text into the focused field."""
        self.call("Input.insertText", text=text)

    def screenshot(self, target: Path, *, whole: bool = True) -> None:
        """Write what is shown, or the whole page, as PNG."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        target.write_bytes(base64.b64decode(answer["data"]))

    def save_to(self, folder: Path) -> None:
        """Let the page save files to a folder."""
        page, self._target = self._target, None
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        self._target = page

    def hover(self, expression: str) -> None:
        """Move the mouse to the middle of the element an expression gives."""
        x, y = self._middle(expression)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def print(self) -> bytes:
        """Return the page as PDF, on the paper that its style asks for."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def complaints(self) -> list[str]:
        """Return everything the page or the browser reported as wrong since it was opened."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(str(params["args"]))
            if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """Return the address of everything that was asked for since the page was opened."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]
