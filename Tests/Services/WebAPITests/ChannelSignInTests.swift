import CloudModel
import HTTPClient
import Identity
import RecordStore
import Synchronization
import TestSupport
import Testing
import WebAPI

/// Signing in for a page of the console, which cannot be spoken to by the window that it opened.
@Suite struct ChannelSignInTests {
    private static let channel = "0123456789abcdefABCDEF-_"

    private static func signIn(_ browser: inout PageBrowser, at address: String) async throws -> Answer {
        let page = try await browser.get(address)
        PageBrowser.expectPage(page)
        let begun = try await browser.post(address, PageBrowser.hidden(page))
        #expect(begun.status == 303, "\(begun.text)")
        let provider = try await browser.get(try #require(begun.headers["Location"]))
        return try await browser.get(try #require(provider.headers["Location"]))
    }

    private static func start(_ bench: WebBench, _ more: String = "") -> String {
        "/auth/1/\(bench.scopePath)/start?ckAPIToken=\(bench.apiToken)&channel=\(channel)\(more)"
    }

    @Test("a user's session goes to the channel that the page waits on")
    func user() async throws {
        try await SignInPageTests.withProvider { _, bench in
            var browser = PageBrowser(bench)
            let done = try await Self.signIn(&browser, at: Self.start(bench))
            PageBrowser.expectPage(done, "You are signed in")
            #expect(PageBrowser.attribute("data-channel", done) == Self.channel)
            #expect(PageBrowser.attribute("data-name", done) == "ckWebAuthToken")
            #expect(PageBrowser.attribute("data-origin", done) == nil)
            let token = try #require(PageBrowser.attribute("data-token", done))
            let caller = try await bench.send(
                "GET", bench.database("users/caller"), headers: [("Authorization", "Bearer \(token)")])
            #expect(caller.status == 200)
        }
    }

    @Test(
        "a name of a channel that could be guessed, or is none, is refused",
        arguments: ["short", "0123456789abcde", "0123456789abcdef%20", "%C3%A90123456789abcdef", "<0123456789abcdef>"])
    func names(channel: String) async throws {
        try await SignInPageTests.withProvider { _, bench in
            let page = try await bench.raw(
                "GET", "/auth/1/\(bench.scopePath)/start?ckAPIToken=\(bench.apiToken)&channel=\(channel)")
            PageBrowser.expectPage(page, status: 400)
        }
    }

    @Test("an operator gets a code and no session of a user, and only by the provider")
    func operators() async throws {
        let codes: APIScope.OperatorCodes = { identity, claims throws in
            guard identity.subject == "u1" else { throw CloudError(.accessDenied, "no operator") }
            return "code of \(identity.subject) \(claims.givenName ?? "")"
        }
        try await SignInPageTests.withProvider(operatorCodes: codes) { issuer, bench in
            var browser = PageBrowser(bench)
            let address = Self.start(bench, "&operator=1")
            let page = try await browser.get(address)
            PageBrowser.expectPage(page, "You sign in as an operator of this service.")
            #expect(!page.text.contains("Sign in by name"))
            let done = try await Self.signIn(&browser, at: address)
            #expect(PageBrowser.attribute("data-name", done) == "code")
            #expect(PageBrowser.attribute("data-token", done) == "code of u1 Ada")
            #expect(try await bench.system.identity.listUsers(after: "", limit: 10).isEmpty, "no user is made")

            issuer.state.withLock { $0.user = "u2" }
            let refused = try await Self.signIn(&browser, at: address)
            PageBrowser.expectPage(refused, status: 403, "No operator.")
            let named = try await browser.post(address, PageBrowser.hidden(page) + [("user", "u1")])
            #expect(named.status == 303, "a name is not looked at: it goes on at the provider")
        }
    }

    @Test("where no operator signs in, the page says so")
    func withoutOperators() async throws {
        try await SignInPageTests.withProvider { _, bench in
            PageBrowser.expectPage(try await bench.raw("GET", Self.start(bench, "&operator=1")), status: 403)
        }
    }
}
