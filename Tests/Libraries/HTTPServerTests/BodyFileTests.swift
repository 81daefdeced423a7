import Foundation
import HTTPServer
import Testing

/// Bodies that go to files, and answers that come from them.
struct BodyFileTests {
    static func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("HTTPServerTests-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }

    @Test(arguments: [0, 5, 300_000]) func bodyGoesToAFileThatIsRemovedAfterwards(count: Int) async throws {
        try await Self.withDirectory { directory in
            let handler = TestHandler(
                admission: { _ in .file(directory: directory, maximumBytes: 1 << 20) },
                answering: { request in
                    guard case .file(let path, let bytes) = request.body else { return .now(.text("no file")) }
                    let content = FileManager.default.contents(atPath: path) ?? Data()
                    return .now(.text("\(bytes) \(content.count) \(Set(content).count) \(path.hasPrefix(directory))"))
                })
            try await withServer(handler) { server in
                let connection = try RawConnection(port: server.port)
                let body = [UInt8](repeating: 120, count: count)
                try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n")
                try await onThread { try connection.send(body) }
                let text = try await connection.response().text
                #expect(text == (count == 0 ? "no file" : "\(count) \(count) 1 true"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test func fileThatIsRenamedIsKept() async throws {
        try await Self.withDirectory { directory in
            let handler = TestHandler(
                admission: { _ in .file(directory: directory, maximumBytes: 100) },
                answering: { request in
                    .later {
                        guard case .file(let path, _) = request.body else { return .text("no file") }
                        try? FileManager.default.moveItem(atPath: path, toPath: "\(directory)/kept")
                        // A name that is free again may be another's.
                        try? Data("other".utf8).write(to: URL(fileURLWithPath: path))
                        return .text("kept")
                    }
                })
            try await withServer(handler) { server in
                let connection = try RawConnection(port: server.port)
                try connection.send(
                    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
                #expect(try await connection.response().text == "kept")
            }
            #expect(FileManager.default.contents(atPath: "\(directory)/kept") == Data("abc".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 2)
        }
    }

    @Test func fileOfAClientThatLeavesIsRemoved() async throws {
        try await Self.withDirectory { directory in
            let handler = TestHandler(admission: { _ in .file(directory: directory, maximumBytes: 100) })
            try await withServer(handler) { server in
                let connection = try RawConnection(port: server.port)
                try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc")
                try await eventually { server.counts.requests == 1 }
                connection.close()
                try await eventually { server.counts.requests == 0 }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test func directoryThatIsNotThereIsAnErrorOfTheServer() async throws {
        let events = Signal<HTTPServerEvent>()
        let handler = TestHandler(admission: { _ in .file(directory: "/nowhere", maximumBytes: 100) })
        try await withServer(handler, { $0.log = { events.send($0) } }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
            let response = try await connection.response()
            #expect(response.status == 500)
            #expect(response.text == "refused: bodyNotStored")
            #expect(events.values.contains { $0.severity == .error && $0.message.contains("/nowhere") })
        }
    }

    @Test(arguments: [
        (0, nil, 200, "0123456789"), (3, nil, 200, "3456789"), (3, 4, 200, "3456"), (10, nil, 200, ""),
        (11, nil, 500, nil), (3, 8, 500, nil), (-1, nil, 500, nil),
    ])
    func partOfAFileIsSent(offset: Int, length: Int?, status: Int, text: String?) async throws {
        try await Self.withDirectory { directory in
            try Data("0123456789".utf8).write(to: URL(fileURLWithPath: "\(directory)/file"))
            let handler = TestHandler(answering: { _ in
                .now(HTTPResponse(status: 200, body: .file(path: "\(directory)/file", offset: offset, length: length)))
            })
            try await withServer(handler) { server in
                let connection = try RawConnection(port: server.port)
                try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                let response = try await connection.response()
                #expect(response.status == status)
                #expect(response.text == text ?? "refused: invalidResponse")
            }
        }
    }
}
