import CloudModel
import HTTPClient
import Identity
import JSON
import RecordService
import Synchronization
import TestSupport
import Testing
import WebAPI

/// Signing in on a page (docs/cloudkit.md#authentication): what redirectURL of a 421 leads to.
@Suite struct SignInPageTests {
    /// A service whose users sign in with a provider.
    static func withProvider(
        operatorCodes: APIScope.OperatorCodes? = nil,
        _ body: @escaping @Sendable (TestIssuer, WebBench) async throws -> Void
    ) async throws {
        let issuer = try await TestIssuer.start()
        // The key of its tokens, there before the issuer is first asked for its keys.
        issuer.addKey("tests")
        let http = HTTPClient()
        let provider = IdentityProvider(issuer: issuer.url, audiences: ["fanfare", "fanfare-web"], http: http)
        try await WebBench.run(identityProvider: provider, operatorCodes: operatorCodes) { bench in
            issuer.state.withLock { $0.seconds = bench.system.service.now().milliseconds / 1000 }
            try await body(issuer, bench)
        }
        await http.close()
        await issuer.stop()
    }

    private func redirectURL(_ bench: WebBench, origin: String? = "https://app.example") async throws -> String {
        let answer = try await bench.send(
            "GET", bench.database("users/caller"), headers: origin.map { [("Origin", $0)] } ?? [])
        expect(answer, .authenticationRequired)
        return try #require(answer.json["redirectURL"]?.string)
    }

    /// Goes from the page to the provider and back; the answer to the way back.
    private func signIn(_ browser: inout PageBrowser, at address: String) async throws -> (back: String, Answer) {
        let page = try await browser.get(address)
        let items = PageBrowser.hidden(page) + [("keepSignedIn", "1")]
        let begun = try await browser.post(address, items)
        #expect(begun.status == 303, "\(begun.text)")
        let provider = try await browser.get(try #require(begun.headers["Location"]))
        let back = try #require(provider.headers["Location"])
        return (back, try await browser.get(back))
    }

    @Test("a user who has to sign in does so with the provider, and the page that asked gets the session")
    func provider() async throws {
        try await Self.withProvider { issuer, bench in
            var browser = PageBrowser(bench)
            let address = try await redirectURL(bench)
            PageBrowser.expectPage(
                try await browser.get(address), "<strong>https://app.example</strong>", "Continue with 127.0.0.1:",
                "name=\"keepSignedIn\" value=\"1\" checked")
            let (_, done) = try await signIn(&browser, at: address)
            PageBrowser.expectPage(
                done, "You are signed in", "<script src=\"../../../../pages/sign-in.js\" defer></script>")
            #expect(PageBrowser.attribute("data-origin", done) == "https://app.example")
            let token = try #require(PageBrowser.attribute("data-token", done))
            let caller = try await bench.send(
                "GET", bench.database("users/caller"), user: WebBench.SignedIn(token: token, name: ""))
            #expect(caller.json["nameComponents"] == ["givenName": "Ada"], "\(caller.json)")
            #expect(done.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
        }
    }

    @Test("the provider's answer is taken once, from the browser that asked, for the question that it asked")
    func answers() async throws {
        try await Self.withProvider { issuer, bench in
            var browser = PageBrowser(bench)
            let address = try await redirectURL(bench)
            let (back, _) = try await signIn(&browser, at: address)
            PageBrowser.expectPage(try await browser.get(back), status: 400, "is over")
            PageBrowser.expectPage(try await PageBrowser(bench).get(back), status: 400, "did not begin")
            let other = back.replacing(/state=./, with: "state=*")
            PageBrowser.expectPage(try await browser.get(other), status: 400, "did not begin")
            issuer.state.withLock { $0.nonce = "another" }
            PageBrowser.expectPage(try await signIn(&browser, at: address).1, status: 401, "nonce")
            issuer.state.withLock { $0.user = nil }
            PageBrowser.expectPage(try await signIn(&browser, at: address).1, status: 401, "access_denied")
        }
    }

    @Test("a session goes to no page that the API token is not for")
    func origins() async throws {
        try await Self.withProvider { issuer, bench in
            let token = try await bench.system.identity.makeAPIToken(
                note: "page", origins: ["https://app.example"], callbacks: ["https://app.example/done?a=1"])
            let start = "/auth/1/\(bench.scopePath)/start"
            func page(_ query: String) async throws -> Answer {
                try await bench.raw("GET", "\(start)?ckAPIToken=\(token)&\(query)")
            }
            PageBrowser.expectPage(try await page("origin=https%3A%2F%2Fapp.example"), "https://app.example")
            PageBrowser.expectPage(try await page("origin=https%3A%2F%2Fevil.example"), status: 403)
            PageBrowser.expectPage(
                try await page("callback=https%3A%2F%2Fapp.example%2Fdone%3Fa%3D1"), "https://app.example")
            for callback in [
                "https%3A%2F%2Fevil.example%2F", "https%3A%2F%2Fapp.example%40evil.example%2F",
                "https%3A%2F%2Fapp.example.evil.example", "https%3A%2F%2Fapp.example%5C%40evil.example",
                "javascript%3Aalert(1)", "%2F%2Fevil.example",
                // Compared whole: an open redirection of the app's own hands nothing on.
                "https%3A%2F%2Fapp.example%2F", "https%3A%2F%2Fapp.example%2Fdone",
                "https%3A%2F%2Fapp.example%2Fdone%3Fa%3D1%26next%3Dhttps%3A%2F%2Fevil.example",
                "https%3A%2F%2Fapp.example%2Fdone%3Fa%3D1%23", "https%3A%2F%2Fapp.example%2Fdone%2F%3Fa%3D1",
                "https%3A%2F%2Fapp.example%2Fopen%3Fto%3Devil.example",
                "https%3A%2F%2Fapp.example%3A443%2Fdone%3Fa%3D1",
                "https%3A%2F%2Fapp.example%2Fx%2F..%2Fdone%3Fa%3D1", "https%3A%2F%2FApp.example%2Fdone%3Fa%3D1",
                "http%3A%2F%2Fapp.example%2Fdone%3Fa%3D1",
            ] {
                let answer = try await page("callback=\(callback)")
                #expect([400, 403].contains(answer.status), "\(callback)")
            }
            // A token for any page is none for an address that nobody named.
            let any = try await bench.raw(
                "GET", "\(start)?ckAPIToken=\(bench.apiToken)&callback=https%3A%2F%2Fapp.example%2F")
            PageBrowser.expectPage(any, status: 403)
            PageBrowser.expectPage(try await bench.raw("GET", start), status: 400, "ckAPIToken")
            PageBrowser.expectPage(
                try await bench.raw("GET", "\(start)?ckAPIToken=\(String(repeating: "a", count: 64))"), status: 401)
            var browser = PageBrowser(bench)
            let (_, done) = try await signIn(
                &browser, at: "\(start)?ckAPIToken=\(token)&callback=https%3A%2F%2Fapp.example%2Fdone%3Fa%3D1")
            #expect(done.status == 303)
            #expect(done.headers["Location"]?.hasPrefix("https://app.example/done?a=1&ckWebAuthToken=") == true)
        }
    }

    @Test("a form of another page does nothing, nor one of no page")
    func forms() async throws {
        try await WebBench.run { bench in
            var browser = PageBrowser(bench)
            let address = try await redirectURL(bench)
            let items = PageBrowser.hidden(try await browser.get(address)) + [("user", "ada")]
            for origin in ["https://app.example", "null", nil] {
                PageBrowser.expectPage(try await browser.post(address, items, from: .some(origin)), status: 403)
            }
            PageBrowser.expectPage(try await browser.post(address, items), "You are signed in")
        }
    }

    @Test("in development a name is enough; for a program without a page the token is shown")
    func names() async throws {
        try await WebBench.run { bench in
            var browser = PageBrowser(bench)
            let address = try await redirectURL(bench, origin: nil)
            let page = try await browser.get(address)
            PageBrowser.expectPage(page, "Sign in by name", "development")
            let done = try await browser.post(address, PageBrowser.hidden(page) + [("user", "<b>\"ada\"")])
            PageBrowser.expectPage(done, "ckWebAuthToken")
            let token = try #require(done.text.firstMatch(of: /spellcheck="false">([^<]+)</)?.1)
            let caller = try await bench.send(
                "GET", bench.database("users/caller"), user: WebBench.SignedIn(token: String(token), name: ""))
            #expect(caller.json["nameComponents"]?["givenName"] == "<b>\"ada\"")
        }
        try await WebBench.run(.production) { bench in
            let answer = try await bench.send("GET", bench.database("users/caller"))
            expect(answer, .authenticationRequired)
            #expect(answer.json["redirectURL"] == nil, "nobody signs in on a page there")
            let page = try await bench.raw("GET", "/auth/1/\(bench.scopePath)/start?ckAPIToken=\(bench.apiToken)")
            PageBrowser.expectPage(page, status: 403)
        }
    }

    @Test("a text in a page is escaped")
    func escaping() async throws {
        try await WebBench.run { bench in
            let query = "state=%22%3E%3Cscript%3E&error=%3Cscript%3Ealert(1)%3C%2Fscript%3E"
            let answer = try await bench.raw("GET", "/auth/1/\(bench.scopePath)/callback?\(query)")
            PageBrowser.expectPage(answer, status: 400)
            for file in ["pages.css", "sign-in.js", "icon.svg"] {
                let answer = try await bench.raw("GET", "/pages/\(file)")
                #expect(answer.status == 200 && answer.headers["X-Content-Type-Options"] == "nosniff")
            }
            #expect(try await bench.raw("GET", "/pages/other").status == 404)
        }
    }
}
