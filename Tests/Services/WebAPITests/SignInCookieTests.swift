import CloudModel
import HTTPClient
import Identity
import JSON
import RecordService
import Synchronization
import TestSupport
import Testing

/// The cookie that ties a sign-in to its browser (security review 3, finding 20).
@Suite struct SignInCookieTests {
    /// A service whose users sign in with a provider.
    private func run(
        publicURL: String? = nil, _ body: @escaping @Sendable (WebBench) async throws -> Void
    ) async throws {
        let issuer = try await TestIssuer.start()
        issuer.addKey("tests")
        let http = HTTPClient()
        let provider = IdentityProvider(issuer: issuer.url, audiences: ["fanfare"], http: http)
        try await WebBench.run(identityProvider: provider, publicURL: publicURL) { bench in
            issuer.state.withLock { $0.seconds = bench.system.service.now().milliseconds / 1000 }
            try await body(bench)
        }
        await http.close()
        await issuer.stop()
    }

    /// Presses the button of the sign-in page; the header of the cookie, and the address of the provider.
    private func begin(
        _ bench: WebBench, cookie: String?, items: String? = nil
    ) async throws -> (cookie: String, provider: String) {
        let form = items ?? "ckAPIToken=\(bench.apiToken)"
        let answer = try await bench.raw(
            "POST", "/auth/1/\(bench.scopePath)/start", bytes: Array(form.utf8),
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin"),
            ] + (cookie.map { [("Cookie", $0)] } ?? []))
        #expect(answer.status == 303, "\(answer.text)")
        return (try #require(answer.headers["Set-Cookie"]), try #require(answer.headers["Location"]))
    }

    private func pair(_ header: String) -> String { String(header.prefix { $0 != ";" }) }

    /// Signs in at the provider and comes back.
    private func finish(_ bench: WebBench, _ provider: String, cookie: String) async throws -> Answer {
        let back = try #require(try await bench.elsewhere(provider).headers["Location"])
        let query = back.split(separator: "?", maxSplits: 1)[1]
        return try await bench.raw(
            "GET", "/auth/1/\(bench.scopePath)/callback?\(query)", headers: [("Cookie", cookie)])
    }

    @Test(
        "over https the cookie is of this host alone", arguments: ["https://cloud.example", "https://a.example/path"])
    func host(publicURL: String) async throws {
        try await run(publicURL: publicURL) { bench in
            let begun = try await begin(bench, cookie: nil)
            let parts = begun.cookie.split(separator: "; ").dropFirst()
            #expect(begun.cookie.hasPrefix("__Host-fanfare-sign-in="))
            #expect(Set(parts) == ["Path=/", "Max-Age=600", "HttpOnly", "SameSite=Lax", "Secure"])
            // A page of a neighbour's domain can set the other name.
            let other = pair(begun.cookie).replacing("__Host-", with: "")
            PageBrowser.expectPage(
                try await finish(bench, begun.provider, cookie: other), status: 400, "did not begin")
            PageBrowser.expectPage(
                try await finish(bench, begun.provider, cookie: pair(begun.cookie)), "ckWebAuthToken")
        }
    }

    @Test("over plain http the cookie has another name", arguments: [nil, "http://localhost:8080"])
    func plain(publicURL: String?) async throws {
        try await run(publicURL: publicURL) { bench in
            let begun = try await begin(bench, cookie: nil)
            #expect(begun.cookie.hasPrefix("fanfare-sign-in=") && !begun.cookie.contains("Secure"))
            PageBrowser.expectPage(
                try await finish(bench, begun.provider, cookie: pair(begun.cookie)), "ckWebAuthToken")
        }
    }

    @Test("a browser with many sign-ins has one small cookie, and finishes the latest")
    func many() async throws {
        try await run { bench in
            let address = "https://app.example/" + String(repeating: "x", count: 900)
            let token = try await bench.system.identity.makeAPIToken(note: "page", callbacks: [address])
            for items in [nil, "ckAPIToken=\(token)&callback=\(WebBench.escaped(address))"] {
                var cookie: String?
                var begun: [String] = []
                for _ in 0..<40 {
                    let next = try await begin(bench, cookie: cookie, items: items)
                    cookie = pair(next.cookie)
                    begun.append(next.provider)
                    #expect((cookie ?? "").utf8.count <= 4000)
                }
                let last = try #require(cookie)
                let count = items == nil ? 5 : 2
                for provider in begun.suffix(count) {
                    let answer = try await finish(bench, provider, cookie: last)
                    #expect(answer.status == (items == nil ? 200 : 303), "\(answer.text)")
                }
                PageBrowser.expectPage(
                    try await finish(bench, begun[10], cookie: last), status: 400, "did not begin")
            }
        }
    }

    @Test("a finished sign-in leaves the others in the cookie")
    func finished() async throws {
        try await run { bench in
            let first = try await begin(bench, cookie: nil)
            let second = try await begin(bench, cookie: pair(first.cookie))
            let done = try await finish(bench, first.provider, cookie: pair(second.cookie))
            let left = try #require(done.headers["Set-Cookie"])
            #expect(left.contains("Max-Age=600"))
            PageBrowser.expectPage(
                try await finish(bench, first.provider, cookie: pair(left)), status: 400, "did not begin")
            let other = try await finish(bench, second.provider, cookie: pair(left))
            PageBrowser.expectPage(other, "ckWebAuthToken")
            #expect(other.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
        }
    }

    @Test(
        "what a stranger writes into the cookie is dropped",
        arguments: ["", "~~~", "x", "a~b~c", "long"])
    func foreign(value: String) async throws {
        try await run { bench in
            let value = value == "long" ? String(repeating: "x~", count: 3000) : value
            let begun = try await begin(bench, cookie: "theme=dark; fanfare-sign-in=\(value); fanfare-sign-in=y")
            #expect(begun.cookie.utf8.count < 800)
            PageBrowser.expectPage(
                try await finish(bench, begun.provider, cookie: pair(begun.cookie)), "ckWebAuthToken")
        }
    }

    @Test("texts that fit no cookie are refused", arguments: ["origin=https://", "share="])
    func long(item: String) async throws {
        try await run { bench in
            let long = item + String(repeating: "x", count: Limits.callbackBytesMax + 1)
            let answer = try await bench.raw(
                "GET", "/auth/1/\(bench.scopePath)/start?ckAPIToken=\(bench.apiToken)&\(long)")
            PageBrowser.expectPage(answer, status: 400, "bytes")
        }
    }
}
