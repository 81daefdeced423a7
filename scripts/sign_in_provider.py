"""An OpenID provider on this machine, made of Authlib and Flask: the authorisation-code flow with PKCE, as real ones have it.

Prints its address, then answers until it is ended. Its page asks for a name, which is the user. For tests: everybody gets in.
"""
import sys
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.jose import JsonWebKey
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, jsonify, request
from werkzeug.serving import make_server

CLIENT_ID, CLIENT_SECRET = "fanfare-page", "s3cret/of:the page"
app = Flask(__name__)
key = JsonWebKey.generate_key("EC", "P-256", {"kid": "one", "use": "sig", "alg": "ES256"}, is_private=True)
codes, nonces = {}, set()


class Client:
    """The one client that is registered here."""

    def __init__(self, redirect):
        self.redirect = redirect
        self.client_id = CLIENT_ID

    def get_client_id(self): return CLIENT_ID
    def get_default_redirect_uri(self): return self.redirect
    def get_allowed_scope(self, scope): return scope
    def check_redirect_uri(self, uri): return uri == self.redirect
    def check_client_secret(self, secret): return secret == CLIENT_SECRET
    def check_endpoint_auth_method(self, method, endpoint): return method == "client_secret_basic"
    def check_response_type(self, kind): return kind == "code"
    def check_grant_type(self, kind): return kind == "authorization_code"


class Code(dict):
    """A code that was given out."""

    def get_redirect_uri(self): return self["redirect_uri"]
    def get_scope(self): return self["scope"]
    def get_nonce(self): return self["nonce"]
    def get_auth_time(self): return self["auth_time"]
    def get_acr(self): return None
    def get_amr(self): return None
    code_challenge = property(lambda self: self["code_challenge"])
    code_challenge_method = property(lambda self: self["code_challenge_method"])


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]

    def save_authorization_code(self, code, asked):
        values = {**request.args.to_dict(), **request.form.to_dict()}
        codes[code] = Code(
            redirect_uri=values.get("redirect_uri"), scope=values.get("scope"), nonce=values.get("nonce"),
            user=asked.user, auth_time=int(time.time()), code_challenge=values.get("code_challenge"),
            code_challenge_method=values.get("code_challenge_method"))

    def query_authorization_code(self, code, client): return codes.get(code)
    def delete_authorization_code(self, code): codes.pop(next(k for k, v in codes.items() if v is code), None)
    def authenticate_user(self, code): return code["user"]


class OpenID(OpenIDCode):
    def exists_nonce(self, nonce, asked):
        known = nonce in nonces
        if request.method == "POST":
            nonces.add(nonce)
        return known

    def get_jwt_config(self, *arguments):
        return {"key": key.as_dict(is_private=True), "alg": "ES256", "iss": issuer, "exp": 300}

    def get_encode_header(self, client): return {"alg": "ES256", "kid": "one"}

    def generate_user_info(self, user, scope):
        info = UserInfo(sub=user)
        if "profile" in scope:
            info["given_name"] = user.split("@")[0].title()
        if "email" in scope:
            info.update(email=user if "@" in user else f"{user}@example.com", email_verified=True)
        return info


@app.get("/.well-known/openid-configuration")
def discovery():
    return jsonify(
        issuer=issuer, authorization_endpoint=issuer + "/authorize", token_endpoint=issuer + "/token",
        jwks_uri=issuer + "/keys", response_types_supported=["code"], subject_types_supported=["public"],
        id_token_signing_alg_values_supported=["ES256"], code_challenge_methods_supported=["S256"],
        token_endpoint_auth_methods_supported=["client_secret_basic"])


@app.get("/keys")
def keys(): return jsonify(keys=[key.as_dict(is_private=False, kid="one", use="sig", alg="ES256")])


@app.route("/authorize", methods=["GET", "POST"])
def authorize():
    if request.method == "GET":
        server.get_consent_grant(end_user="nobody")
        return "<!doctype html><title>Provider</title><link rel=icon href=data:,><form method=post><input name=name><button>Sign in</button></form>"
    user = request.form.get("name")
    return server.create_authorization_response(grant_user=user)


@app.post("/token")
def token(): return server.create_token_response()


redirect = sys.argv[1]
server = AuthorizationServer(app, query_client=lambda id: Client(redirect) if id == CLIENT_ID else None, save_token=lambda *_: None)
server.register_grant(CodeGrant, [OpenID(require_nonce=True), CodeChallenge(required=True)])
listener = make_server("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0, app)
issuer = f"http://127.0.0.1:{listener.server_port}"
print(issuer, flush=True)
listener.serve_forever()
