import Foundation
import HTTPClient
import JSON
import Testing

/// A browser as far as pages need one: forms, cookies, no redirections of its own.
struct PageBrowser: Sendable {
    let bench: WebBench
    /// The origin of the bench's pages.
    let origin: String
    var cookies: [String] = []

    init(_ bench: WebBench) {
        self.bench = bench
        origin = "http://127.0.0.1:\(bench.port)"
    }

    func get(_ address: String) async throws -> Answer {
        // The provider's pages are none of the bench's.
        guard address.hasPrefix("/") || address.hasPrefix(origin + "/") else {
            return try await bench.elsewhere(address)
        }
        let cookie = cookies.isEmpty ? [] : [("Cookie", cookies.joined(separator: "; "))]
        return try await bench.raw("GET", address, headers: cookie)
    }

    /// Presses the button of a page's form.
    /// - Parameter origin: the page's origin, as the browser says it.
    mutating func post(
        _ address: String, _ items: [(String, String)], from origin: String?? = .none
    ) async throws -> Answer {
        let body = items.map { "\(WebBench.escaped($0))=\(WebBench.escaped($1))" }.joined(separator: "&")
        var headers = [("Content-Type", "application/x-www-form-urlencoded")]
        if let origin = origin ?? self.origin { headers.append(("Origin", origin)) }
        if !cookies.isEmpty { headers.append(("Cookie", cookies.joined(separator: "; "))) }
        let answer = try await bench.raw("POST", address, bytes: Array(body.utf8), headers: headers)
        if let cookie = answer.headers["Set-Cookie"] { cookies = [String(cookie.prefix { $0 != ";" })] }
        return answer
    }

    /// The hidden items of a page's forms.
    static func hidden(_ answer: Answer) -> [(String, String)] {
        answer.text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map {
            (String($0.1), unescaped(String($0.2)))
        }
    }

    /// The value of an attribute, as a script reads it.
    static func attribute(_ name: String, _ answer: Answer) -> String? {
        answer.text.firstRange(of: " \(name)=\"").map { range in
            unescaped(String(answer.text[range.upperBound...].prefix { $0 != "\"" }))
        }
    }

    static func unescaped(_ text: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(text) {
            $0.replacing($1.0, with: $1.1)
        }
    }

    /// Expects the rules of every page: only our own files are loaded, there is no inline script or style, and no
    /// frame.
    static func expectPage(
        _ answer: Answer, status: Int = 200, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
        let policy = answer.headers["Content-Security-Policy"] ?? ""
        for rule in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"] {
            #expect(policy.contains(rule), sourceLocation: sourceLocation)
        }
        #expect(!policy.contains("unsafe"), sourceLocation: sourceLocation)
        #expect(answer.headers["Content-Type"] == "text/html; charset=utf-8", sourceLocation: sourceLocation)
        #expect(answer.headers["Cache-Control"] == "no-store", sourceLocation: sourceLocation)
        #expect(
            answer.text.contains(/<script(?! src="\.\.\/\.\.\/\.\.\/\.\.\/pages\/)/) == false,
            sourceLocation: sourceLocation)
        #expect(answer.text.contains(/<style| style=| on[a-z]+=/) == false, sourceLocation: sourceLocation)
        for word in words { #expect(answer.text.contains(word), "\(answer.text)", sourceLocation: sourceLocation) }
    }
}

extension Answer {
    var text: String { String(decoding: body, as: UTF8.self) }
}
