"""Firefox for browser_walk.py, over WebDriver BiDi, which Firefox serves itself."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Browser"))
from console_firefox import Firefox  # noqa: E402


class FirefoxDriver(Firefox):
    """Firefox with tabs. `wrong` has the errors and warnings of all pages."""

    def __init__(self, program):
        super().__init__(program, "about:blank")
        self.call("session.subscribe", events=["browsingContext.load"])

    @property
    def tab(self):
        """The tab that the other methods use."""
        return self.context

    @tab.setter
    def tab(self, tab):
        self.context = tab

    def open(self, url):
        """Returns when the page has loaded."""
        self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def back(self):
        """Goes back to the page before, and returns when that has loaded."""
        self.call("browsingContext.traverseHistory", context=self.context, delta=-1)
        self.evaluate("document.readyState === 'complete' ||"
                      " new Promise((done) => addEventListener('load', () => done()))")

    def open_tab(self, url):
        """Opens a page in another tab, and goes on there."""
        self.context = self.call("browsingContext.create", type="tab")["context"]
        self.open(url)

    def close_tab(self, next_tab):
        """Closes the tab, and goes on in another."""
        self.call("browsingContext.close", context=self.context)
        self.context = next_tab

    def enter_window(self, page):
        """Goes on in the window that a page opened, when it has loaded."""
        self.context = self.next("browsingContext.load", lambda opened: opened["context"] != page)["context"]

    def next(self, name, is_wanted):
        """Waits for an event."""
        while True:
            for index, event in enumerate(self.events):
                if event["method"] == name and is_wanted(event["params"]):
                    return self.events.pop(index)["params"]
            self.take(json.loads(self.socket.recv(120)))

    def ask(self, body):
        """Runs the body of an asynchronous function in the page, and returns its value."""
        text = self.evaluate("(async () => { const value = await (async () => { %s })();"
                             " return JSON.stringify(value ?? null); })()" % body)
        return json.loads(text)

    def click(self, selector):
        """Clicks with the mouse, which allows a page to open a window."""
        found = self.call("script.evaluate", expression=f"document.querySelector({json.dumps(selector)})",
                          target={"context": self.context}, awaitPromise=False)["result"]
        origin = {"type": "element", "element": {"sharedId": found["sharedId"]}}
        mouse = {"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": origin},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}
        self.call("input.performActions", context=self.context, actions=[mouse])
