"""The steps of scripts/sign-in-page --without-browser: DEV.JSON. What a browser sends is sent by a plain HTTP client."""
import html
import http.cookiejar
import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

dev = json.load(open(sys.argv[1]))
scope = f"{dev['container']}/{dev['environment']}"
failed = False


class Still(urllib.request.HTTPRedirectHandler):
    """Takes each redirection for an answer."""

    def redirect_request(self, *_):
        return None


def browser():
    return urllib.request.build_opener(Still, urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def ask(opener, url, form=None, body=None, origin=None):
    """Asks, and returns the status, the headers and the text, whatever the status is."""
    headers = {"Origin": origin} if origin else {}
    data = urllib.parse.urlencode(form).encode() if form is not None else json.dumps(body).encode() if body is not None else None
    try:
        answer = opener.open(urllib.request.Request(url, data, headers))
    except urllib.error.HTTPError as error:
        answer = error
    return answer.status, answer.headers, answer.read().decode()


def check(what, is_good, more=""):
    global failed
    failed = failed or not is_good
    print(("passed  " if is_good else "FAILED  ") + what + (f": {more}" if more and not is_good else ""))


def caller(session=None):
    items = {"ckAPIToken": dev["apiToken"], **({"ckWebAuthToken": session} if session else {})}
    return ask(browser(), f"{dev['url']}/database/1/{scope}/public/users/caller?{urllib.parse.urlencode(items)}")


def to_provider(opener, address):
    """Opens the sign-in page and presses its button; returns the provider's address."""
    status, _, page = ask(opener, address)
    check("the sign-in page opens", status == 200 and "<h1>Sign in</h1>" in page, page)
    form = page[page.index("<form"):page.index("</form>")]
    items = {name: html.unescape(value) for name, value in
             re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form)}
    status, headers, text = ask(opener, address.split("?")[0], form=items, origin=dev["url"])
    check("its button leads to the provider", status == 303, text)
    return headers["Location"]


def main():
    status, _, text = caller()
    refused = json.loads(text)
    check("a request without a user is 421 with redirectURL", status == 421 and "redirectURL" in refused, text)
    user = browser()
    provider = to_provider(user, refused["redirectURL"])
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(provider).query)
    check("the provider is asked for a code, with PKCE, a state and a nonce",
          asked["response_type"] == ["code"] and asked["code_challenge_method"] == ["S256"]
          and all(len(asked[name][0]) >= 22 for name in ("code_challenge", "state", "nonce")), asked)
    status, headers, text = ask(user, provider, form={"name": "ada"})
    back = headers["Location"] or ""
    check("the provider sends the user back with a code",
          status == 302 and back.startswith(f"{dev['url']}/auth/1/{scope}/callback?") and "code=" in back, text or back)

    status, _, text = ask(browser(), back)
    check("a browser that did not begin the sign-in does not end it", status >= 400 and "textarea" not in text, text)
    status, _, text = ask(user, back)
    token = re.search(r"<textarea[^>]*>([^<]+)</textarea>", text)
    check("its own browser is signed in", status == 200 and token is not None, text)
    session = html.unescape(token.group(1)) if token else ""
    status, _, text = caller(session)
    profile = json.loads(text)
    check("the session is the provider's user", status == 200 and profile["nameComponents"]["givenName"] == "Ada"
          and profile["emailAddress"] == "ada@example.com", text)
    status, _, text = ask(user, back)
    check("the same code signs nobody in again", status >= 400 and "textarea" not in text, text)

    other = browser()
    changed = re.sub(r"code_challenge=[^&]*", "code_challenge=" + "A" * 43, to_provider(other, refused["redirectURL"]))
    _, headers, _ = ask(other, changed, form={"name": "eve"})
    status, _, text = ask(other, headers["Location"])
    check("a code for another challenge is worth nothing", status >= 400 and "textarea" not in text, text)

    items = urllib.parse.urlencode({"ckAPIToken": dev["apiToken"], "ckWebAuthToken": session})
    status, _, text = ask(browser(), f"{dev['url']}/auth/1/{scope}/signout?{items}", body={})
    check("the user signs out", status == 200, text)
    check("and the session is over", caller(session)[0] == 401, caller(session))
    sys.exit(1 if failed else 0)


main()
