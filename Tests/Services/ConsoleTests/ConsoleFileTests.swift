import Compression
import Console
import Foundation
import HTTPClient
import TestSupport
import Testing

/// The files that browsers get below `/console/`.
@Suite struct ConsoleFileTests {
    /// The folder of the files.
    private static let folder = APIContract.file.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Services/CConsoleFiles")

    @Test("the program embeds each file of the folder and no other")
    func table() throws {
        let code: Set = ["files.c", "embed.h", "include/CConsoleFiles.h"]
        let all = FileManager.default.enumerator(atPath: Self.folder.path)?.compactMap { $0 as? String } ?? []
        let files = all.filter { name in
            var isFolder: ObjCBool = false
            let path = Self.folder.appendingPathComponent(name).path
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
                && !code.contains(name)
        }
        let embedded = ConsoleFile.embedded
        #expect(Set(files) == Set(embedded.map(\.name)))
        #expect(embedded.map(\.name) == embedded.map(\.name).sorted(), "one line each, in the order of the paths")
        for file in embedded {
            #expect(try Array(Data(contentsOf: Self.folder.appendingPathComponent(file.name))) == file.bytes)
        }
    }

    @Test("each file is served under the build's name, the index alone without it")
    func served() async throws {
        try await ConsoleBench.run { bench in
            let build = bench.console.build
            for file in ConsoleFile.embedded {
                let path = file.name == "index.html" ? "/console/" : "/console/\(build)/\(file.name)"
                let answer = try await bench.send("GET", path)
                #expect(answer.status == 200, "\(path)")
                let isIndex = file.name == "index.html"
                #expect(
                    answer.headers["Cache-Control"] == (isIndex ? "no-cache" : "public, max-age=31536000, immutable"))
                #expect(isIndex || answer.body == file.bytes)
            }
            for path in ["/console/\(build)/index.html", "/console/\(build)/", "/console/0/console.css"] {
                let answer = try await bench.send("GET", path)
                #expect(answer.status == 404 && answer.code == "NOT_FOUND", "\(path)")
            }
        }
    }

    @Test("addresses of the index have the build's name in them")
    func index() async throws {
        try await ConsoleBench.run { bench in
            let index = try await bench.send("GET", "/console/")
            #expect(!index.text.contains("BUILD/") && index.text.contains("=\"\(bench.console.build)/"))
            let plain = try await bench.send("GET", "/console")
            #expect(plain.status == 308 && plain.headers["Location"] == "console/")
        }
    }

    @Test("a client gets gzip if it takes it, and the same contents without")
    func compressed() async throws {
        try await ConsoleBench.run { bench in
            let plain = try await bench.send("GET", "/console/")
            #expect(plain.headers["Content-Encoding"] == nil && plain.headers["Vary"] == "Accept-Encoding")
            for accepted in ["gzip", "br, gzip;q=0.5", "*", "GZIP"] {
                let answer = try await bench.send("GET", "/console/", headers: [("Accept-Encoding", accepted)])
                #expect(answer.headers["Content-Encoding"] == "gzip", "\(accepted)")
                #expect(try Gzip.decompress(answer.body, maximumBytes: 1 << 20) == plain.body)
                #expect(answer.headers["ETag"] != plain.headers["ETag"])
            }
            for refused in ["br", "gzip;q=0", "gzip; q=0.0", "identity", ""] {
                let answer = try await bench.send("GET", "/console/", headers: [("Accept-Encoding", refused)])
                #expect(answer.headers["Content-Encoding"] == nil && answer.body == plain.body, "\(refused)")
            }
        }
    }

    @Test("a browser that has a file gets 304, whichever form it has")
    func known() async throws {
        try await ConsoleBench.run { bench in
            let forms = [[], [("Accept-Encoding", "gzip")]]
            for form in forms {
                let tag = try #require(try await bench.send("GET", "/console/", headers: form).headers["ETag"])
                for other in forms {
                    let answer = try await bench.send("GET", "/console/", headers: other + [("If-None-Match", tag)])
                    #expect(answer.status == 304 && answer.body.isEmpty)
                }
            }
            let other = try await bench.send("GET", "/console/", headers: [("If-None-Match", "\"x\"")])
            #expect(other.status == 200)
        }
    }

    @Test("a folder in place of the program's own files is read for each request, and nothing of it is immutable")
    func folder() async throws {
        let folder = TemporaryFolder()
        let script = URL(fileURLWithPath: folder.path("a.js"))
        try Data("1".utf8).write(to: script)
        let source = ConsoleMount.Source.folder {
            [ConsoleFile(name: "a.js", bytes: Array(try Data(contentsOf: script)))]
        }
        try await ConsoleBench.run(source) { bench in
            let path = "/console/\(bench.console.build)/a.js"
            let first = try await bench.send("GET", path)
            #expect(first.text == "1" && first.headers["Cache-Control"] == "no-cache")
            try Data("2".utf8).write(to: script)
            let tag = try #require(first.headers["ETag"])
            let second = try await bench.send("GET", path, headers: [("If-None-Match", tag)])
            #expect(second.status == 200 && second.text == "2")
        }
    }
}
