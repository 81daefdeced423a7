import HTTPClient
import TestSupport
import Testing

/// The script that browsers' workers import. `scripts/push-page` runs it in Chromium.
@Suite struct ServiceWorkerTests {
    private static let path = "/fanfare/service-worker.js"

    @Test("workers of every origin may import the script")
    func served() async throws {
        try await WebBench.run { bench in
            for origin in [nil, "https://app.example"] {
                let answer = try await bench.raw(
                    "GET", Self.path, headers: origin.map { [("Origin", $0)] } ?? [])
                #expect(answer.status == 200 && answer.text.contains("addEventListener('push'"))
                #expect(answer.headers["Content-Type"] == "text/javascript; charset=utf-8")
                #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
                #expect(answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin")
                #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
            }
            let preflight = try await bench.raw(
                "OPTIONS", Self.path,
                headers: [("Origin", "https://app.example"), ("Access-Control-Request-Method", "GET")])
            #expect(preflight.status == 204 && preflight.headers["Access-Control-Allow-Origin"] == "*")
            let other = try await bench.raw("POST", Self.path)
            #expect(other.status == 405 && other.headers["Allow"] == "GET, HEAD")
        }
    }

    @Test("a browser that has the script gets 304, and any other the whole")
    func cached() async throws {
        try await WebBench.run { bench in
            let first = try await bench.raw("GET", Self.path)
            let tag = try #require(first.headers["ETag"])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count == 45)
            #expect(first.headers["Cache-Control"] == "max-age=3600")
            for known in [tag, "W/\(tag)", "\"x\" , \(tag)", "*"] {
                for method in ["GET", "HEAD"] {
                    let again = try await bench.raw(method, Self.path, headers: [("If-None-Match", known)])
                    #expect(again.status == 304 && again.body.isEmpty && again.headers["ETag"] == tag)
                    #expect(again.headers["Cross-Origin-Resource-Policy"] == "cross-origin")
                }
            }
            for known in ["\"x\"", String(tag.dropFirst()), ""] {
                let again = try await bench.raw("GET", Self.path, headers: [("If-None-Match", known)])
                #expect(again.status == 200 && again.body == first.body)
            }
        }
    }
}
