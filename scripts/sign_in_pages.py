"""The steps of scripts/sign-in-page: DEV.JSON CHROMIUM PICTURES."""
import json
import sys
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import sync_playwright

dev, chromium, pictures = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
scope = f"{dev['container']}/{dev['environment']}"
base = f"{dev['url']}/database/1/{scope}"
failed = False

APP = """<!doctype html><title>An app</title><p id=user>nobody</p><button>Sign in</button><script>
const url = %s, token = %s;
addEventListener("message", async ({origin, data}) => {
  if (origin !== new URL(url).origin || data.ckSession !== data.ckWebAuthToken) return;
  const query = new URLSearchParams({ckAPIToken: token, ckWebAuthToken: data.ckWebAuthToken});
  const caller = await (await fetch(url + "/public/users/caller?" + query)).json();
  window.session = data.ckWebAuthToken;
  document.getElementById("user").textContent = caller.nameComponents.givenName;
});
document.querySelector("button").onclick = async () => {
  const answer = await fetch(url + "/public/users/caller?ckAPIToken=" + token);
  open((await answer.json()).redirectURL, "sign-in", "popup,width=480,height=640");
};
</script>""" % (json.dumps(base), json.dumps(dev["apiToken"]))


class App(BaseHTTPRequestHandler):
    """The app's page, of an origin of its own."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(APP.encode())

    def log_message(self, *_):
        pass


def check(what, is_good, more=""):
    global failed
    failed = failed or not is_good
    print(("passed  " if is_good else "FAILED  ") + what + (f": {more}" if more and not is_good else ""))


def post(path, body, session=None):
    query = urllib.parse.urlencode({"ckAPIToken": dev["apiToken"], **({"ckWebAuthToken": session} if session else {})})
    asked = urllib.request.Request(f"{dev['url']}{path}?{query}", json.dumps(body).encode())
    return json.load(urllib.request.urlopen(asked))


def pictured(page, name):
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=f"{pictures}/{name}-{scheme}.png", full_page=True)


def provider(page, name):
    """What a user does on the provider's page."""
    page.fill("input[name=name]", name)
    page.click("button")


def main():
    app = ThreadingHTTPServer(("127.0.0.1", 0), App)
    threading.Thread(target=app.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 480, "height": 640})
        refusals = []
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{app.server_port}/")
        with page.expect_popup() as opened:
            page.click("button")
        window = opened.value
        window.on("console", lambda message: refusals.append(message.text))
        window.wait_for_selector("h1")
        check("a 421 leads to the sign-in page", window.inner_text("h1") == "Sign in", window.content())
        check("the page names who asks", f"http://127.0.0.1:{app.server_port}" in window.inner_text("main"))
        pictured(window, "sign-in")
        window.click("text=Continue with")
        window.wait_for_selector("input[name=name]")
        with window.expect_event("close"):
            provider(window, "ada")
        page.wait_for_function("document.getElementById('user').textContent !== 'nobody'")
        check("the app's page has the session, and the window is closed", page.inner_text("#user") == "Ada")
        check("the browser refused nothing on our pages", not refusals, refusals)

        owner = page.evaluate("window.session")
        database = f"/database/1/{scope}/private"
        post(database + "/zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": "Trip"}}}]}, owner)
        share = post(database + "/records/modify", {"zoneID": {"zoneName": "Trip"}, "operations": [
            {"operationType": "create", "record": {
                "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share", "publicPermission": "READ_WRITE",
                "fields": {"cloudkit.title": {"value": "Photos of <Kyoto> & Nara"}}}}]}, owner)["records"][0]
        link = post(f"/database/1/{scope}/public/records/resolve", {
            "shortGUIDs": [{"value": share["shortGUID"]}]}, owner)["results"][0]["shareURL"]
        guest = browser.new_context(viewport={"width": 480, "height": 640}).new_page()
        guest.on("console", lambda message: refusals.append(message.text))
        guest.goto(link)
        check("the share's page says what it is", guest.inner_text("h1") == "Photos of <Kyoto> & Nara")
        check("and by whom", "Ada" in guest.inner_text("dl"))
        pictured(guest, "share")
        guest.click("button")
        guest.wait_for_selector("text=Continue with")
        guest.click("text=Continue with")
        guest.wait_for_selector("input[name=name]")
        provider(guest, "bob")
        guest.wait_for_selector("text=Accept")
        pictured(guest, "share-accept")
        guest.click("button")
        guest.wait_for_selector("text=You take part")
        pictured(guest, "share-accepted")
        taken = post(database + "/records/lookup", {
            "records": [{"recordName": "cloudkit.zoneshare"}], "zoneID": {"zoneName": "Trip"}}, owner)["records"][0]
        names = [(part["userIdentity"].get("nameComponents", {}).get("givenName"), part["acceptanceStatus"])
                 for part in taken["participants"]]
        check("a button accepts it", names == [("Ada", "ACCEPTED"), ("Bob", "ACCEPTED")], names)
        guest.goto(link.replace(share["shortGUID"], "nothing"))
        pictured(guest, "share-unknown")
        guest.goto(f"{dev['url']}/auth/1/{scope}/callback?state=x&code=y")
        check("an answer that nobody asked for is refused", "did not begin" in guest.inner_text("main"))
        pictured(guest, "refused")
        ours = [text for text in refusals if "Content Security Policy" in text or "Refused" in text]
        check("no page broke its own policy", not ours, ours)

        signed_out = post(f"/auth/1/{scope}/signout", {}, owner)
        try:
            post(f"/database/1/{scope}/public/users/caller", {}, owner)
            check("signing out ends the session", False, signed_out)
        except urllib.error.HTTPError as error:
            check("signing out ends the session", error.code == 401, error)
        browser.close()
    print(f"pictures are in {pictures}")
    sys.exit(1 if failed else 0)


main()
