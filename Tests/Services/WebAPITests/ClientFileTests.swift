import Compression
import HTTPClient
import TestSupport
import Testing

/// The files of the JavaScript client. `scripts/javascript` runs them.
@Suite struct ClientFileTests {
    private static let types = [
        "fanfare.js": "text/javascript; charset=utf-8", "cloudkit.js": "text/javascript; charset=utf-8",
        "fanfare.d.ts": "application/typescript; charset=utf-8",
    ]

    @Test("pages of every origin load the client, and each file under the build's name is kept for good")
    func served() async throws {
        try await WebBench.run { bench in
            for (name, type) in Self.types {
                let answer = try await bench.raw(
                    "GET", "/fanfare/\(name)", headers: [("Origin", "https://app.example")])
                #expect(answer.status == 200 && answer.headers["Content-Type"] == type, "\(name)")
                #expect(answer.headers["Cache-Control"] == "max-age=3600")
                let place = try #require(answer.headers["Content-Location"])
                #expect(place.hasSuffix("/\(name)") && place.count == 17 + name.count)
                let fixed = try await bench.raw(
                    "GET", "/fanfare/\(place)", headers: [("Origin", "https://app.example")])
                #expect(fixed.status == 200 && fixed.body == answer.body && fixed.headers["Content-Type"] == type)
                #expect(fixed.headers["Cache-Control"] == "public, max-age=31536000, immutable")
                for each in [answer, fixed] {
                    #expect(each.headers["Access-Control-Allow-Origin"] == "*")
                    #expect(each.headers["Cross-Origin-Resource-Policy"] == "cross-origin")
                    #expect(each.headers["X-Content-Type-Options"] == "nosniff")
                }
            }
        }
    }

    @Test("another build, and another file, are not found")
    func absent() async throws {
        try await WebBench.run { bench in
            let place = try #require(try await bench.raw("GET", "/fanfare/fanfare.js").headers["Content-Location"])
            let build = try #require(place.split(separator: "/").first)
            for path in ["0000000000000000/fanfare.js", "\(build)/other.js", "\(build)/", "\(build)/..%2Ffanfare.js"] {
                let answer = try await bench.raw("GET", "/fanfare/\(path)")
                #expect(answer.status == 404 && answer.text.contains("NOT_FOUND"), "\(path)")
            }
        }
    }

    @Test("a client gets gzip if it takes it, and 304 if it has the file in either form")
    func compressed() async throws {
        try await WebBench.run { bench in
            let plain = try await bench.raw("GET", "/fanfare/fanfare.js")
            let packed = try await bench.raw("GET", "/fanfare/fanfare.js", headers: [("Accept-Encoding", "gzip")])
            #expect(packed.headers["Content-Encoding"] == "gzip" && packed.headers["Vary"] == "Accept-Encoding")
            #expect(try Gzip.decompress(packed.body, maximumBytes: 1 << 20) == plain.body)
            #expect(packed.body.count <= 25_000)
            for answer in [plain, packed] {
                let tag = try #require(answer.headers["ETag"])
                let again = try await bench.raw("GET", "/fanfare/fanfare.js", headers: [("If-None-Match", tag)])
                #expect(again.status == 304 && again.body.isEmpty)
            }
        }
    }

    @Test("the classic script is the module without its exports, in a function")
    func classic() async throws {
        try await WebBench.run { bench in
            let module = try await bench.raw("GET", "/fanfare/fanfare.js").text
            let script = try await bench.raw("GET", "/fanfare/cloudkit.js").text
            let marks = module.split(separator: "\n").filter { $0.hasPrefix("// MARK: Exports") }
            #expect(marks.count == 1)
            #expect(script.hasPrefix("(() => {") && script.hasSuffix("})();\n"))
            #expect(!script.contains("\nexport ") && !script.contains("import.meta"))
            #expect(script.contains("class LiveQuery"))
        }
    }
}
