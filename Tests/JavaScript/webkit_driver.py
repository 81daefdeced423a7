"""WebKitGTK for browser_walk.py, over W3C WebDriver, which WebKitWebDriver of Debian's webkit2gtk-driver serves."""
import glob
import json
import os
import subprocess
import time
import urllib.error
import urllib.request

GUARD = 120  # seconds, against hanging


class WebKitDriver:
    """WebKitGTK's MiniBrowser, in a private window as WebDriver has it, on a screen of Xvfb."""

    # WebKitWebDriver does not report the console. The pages of the walk keep their errors themselves.
    wrong = ()

    def __init__(self, program):
        self.session = None
        self.screen = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        number = self.screen.stdout.readline().strip()
        environment = {**os.environ, "DISPLAY": f":{number}", "GDK_BACKEND": "x11"}
        self.process = subprocess.Popen([program, "--port=0"], env=environment, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        try:
            self.address = f"http://127.0.0.1:{self.port()}"
            self.session = self.send("POST", "/session", capabilities={})["sessionId"]
            self.call("POST", "timeouts", script=GUARD * 1000, pageLoad=GUARD * 1000)
            self.tab = self.call("GET", "window")
        except BaseException:
            self.end()
            raise

    def port(self):
        """The port that the system gave to the driver."""
        deadline = time.monotonic() + GUARD
        while self.process.poll() is None and time.monotonic() < deadline:
            sockets = set(self.open_files())
            with open("/proc/net/tcp", encoding="ascii") as file:
                for line in file.readlines()[1:]:
                    _, address, _, state, *_, inode = line.split()[:10]
                    if state == "0A" and f"socket:[{inode}]" in sockets:
                        return int(address.split(":")[1], 16)
            time.sleep(0.05)
        raise OSError("WebKitWebDriver does not listen")

    def open_files(self):
        for name in glob.glob(f"/proc/{self.process.pid}/fd/*"):
            try:
                yield os.readlink(name)
            except OSError:
                continue  # It was closed meanwhile.

    def send(self, method, path, **body):
        data = json.dumps(body).encode() if method == "POST" else None
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            return json.load(urllib.request.urlopen(request, timeout=GUARD + 10))["value"]
        except urllib.error.HTTPError as error:
            found = json.load(error)["value"]
            raise AssertionError(f"{method} {path}: {found['error']}: {found['message'][:500]}") from None

    def call(self, method, path, **body):
        return self.send(method, f"/session/{self.session}/{path}", **body)

    @property
    def tab(self):
        """The tab that the other methods use."""
        return self.handle

    @tab.setter
    def tab(self, tab):
        self.handle = tab
        self.call("POST", "window", handle=tab)

    def open(self, url):
        """Returns when the page has loaded."""
        self.call("POST", "url", url=url)

    def back(self):
        """Goes back to the page before, and returns when that has loaded."""
        self.call("POST", "back")

    def open_tab(self, url):
        """Opens a page in another tab, and goes on there."""
        self.tab = self.call("POST", "window/new", type="tab")["handle"]
        self.open(url)

    def close_tab(self, next_tab):
        """Closes the tab, and goes on in another."""
        self.call("DELETE", "window")
        self.tab = next_tab

    def enter_window(self, page):
        """Goes on in the window that a page opened, which is the only other one."""
        deadline = time.monotonic() + GUARD
        while not (others := [tab for tab in self.call("GET", "window/handles") if tab != page]):
            if time.monotonic() > deadline:
                raise TimeoutError("the page opens no window")
            time.sleep(0.05)
        self.tab = others[0]

    def ask(self, body):
        """Runs the body of an asynchronous function in the page, and returns its value."""
        found = self.call("POST", "execute/async", args=[], script="""
          const done = arguments[0];
          (async () => { %s })().then((value) => done({value: value ?? null}), (error) => done({error: String(error)}));
          """ % body)
        if "error" in found:
            raise AssertionError(found["error"])
        return found["value"]

    def evaluate(self, text):
        return self.ask(f"return {text};")

    def wait(self, selector, text=""):
        """Waits until an element with a text is there."""
        return self.ask("""
          const isThere = () => [...document.querySelectorAll(%s)].some((one) => one.textContent.includes(%s));
          return new Promise((resolve) => {
            if (isThere()) return resolve(true);
            const observer = new MutationObserver(() => {
              if (!isThere()) return;
              observer.disconnect();
              resolve(true);
            });
            observer.observe(document, {subtree: true, childList: true, characterData: true});
          });""" % (json.dumps(selector), json.dumps(text)))

    def click(self, selector):
        """Clicks with the mouse, which allows a page to open a window."""
        element = self.call("POST", "element", using="css selector", value=selector)
        mouse = {"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": element},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}
        self.call("POST", "actions", actions=[mouse])

    def keys(self, *names):
        """Presses keys; a name longer than one character is a text to type."""
        actions = [{"type": kind, "value": sign} for name in names for sign in name for kind in ("keyDown", "keyUp")]
        self.call("POST", "actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def end(self):
        """Ends the browser, the driver and the screen."""
        try:
            if self.session:
                self.send("DELETE", f"/session/{self.session}")
        finally:
            for process in (self.process, self.screen):
                process.terminate()
                process.wait(GUARD)
