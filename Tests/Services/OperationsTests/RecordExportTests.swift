import CloudModel
import FanfareCloudKit
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Operations

/// An export that ends early goes on: each record is in the file once, and none is missing.
@Suite struct RecordExportTests {
    private struct Killed: Error {}

    /// Answers queries with pages of records, of which every third has a file, and dies at a request.
    private final class Service: FanfareTransport {
        private let left: Mutex<Int>
        private let records: [JSONValue]
        private let page: Int
        private let asked = Mutex(0)

        init(_ count: Int, page: Int, dyingAfter requests: Int = .max) {
            left = Mutex(requests)
            self.page = page
            records = (0..<count).map { number in
                var fields: JSONObject = ["n": ["value": .string("\(number)"), "type": "INT64"]]
                if number.isMultiple(of: 3) {
                    fields["file"] = [
                        "value": [
                            "fileChecksum": "c", "size": 4, "downloadURL": .string("http://test/file/\(number)"),
                        ], "type": "ASSETID",
                    ]
                }
                // Names come twice, in two zones.
                return [
                    "recordName": .string("r\(number / 2)"), "recordType": "Work", "fields": .object(fields),
                    "zoneID": ["zoneName": number.isMultiple(of: 2) ? "_defaultZone" : "Z"],
                ]
            }
        }

        /// The requests that came.
        var requests: Int { asked.withLock { $0 } }

        private func live() throws {
            asked.withLock { $0 += 1 }
            try left.withLock { left in
                guard left > 0 else { throw Killed() }
                left -= 1
            }
        }

        func send(_ request: FanfareRequest) async throws -> FanfareResponse {
            try live()
            let marker = try JSONValue(parsing: request.body)["continuationMarker"]?.string
            let start = marker.flatMap { Int($0) } ?? 0
            let end = min(start + page, records.count)
            var answer: JSONObject = ["records": .array(Array(records[start..<end]))]
            if end < records.count { answer["continuationMarker"] = .string("\(end)") }
            return FanfareResponse(status: 200, body: try JSONValue.object(answer).serialized())
        }

        func stream(_ request: FanfareRequest) async throws -> FanfareStream {
            try live()
            let chunks = Mutex([Array("file".utf8)])
            return FanfareStream(status: 200) { chunks.withLock { $0.popLast() } }
        }
    }

    private let folder = TemporaryFolder()
    private var path: String { folder.path("works.jsonl") }

    private func export(_ service: Service) -> RecordExport {
        let client = CloudService(
            url: "http://test",
            scope: ContainerEnvironment(
                container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
            apiToken: "t", transport: service)
        return RecordExport(
            client: client, database: .private, query: RecordExport.Query(recordType: "Work"), withFiles: true)
    }

    /// Runs an export once; returns the number of records that it began with.
    @discardableResult private func run(_ service: Service, resumes: Bool = true) async throws -> Int {
        let export = export(service)
        let file = try ExportFile(path, subject: export.subject(of: "alice"), resumes: resumes)
        let before = file.count
        _ = try await export.run(into: file)
        try file.finish()
        return before
    }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func whole(_ count: Int) async throws -> [UInt8] {
        try await run(Service(count, page: 7), resumes: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try bytes(path)
    }

    /// The bytes of the lines that are complete by the place.
    private func reached() throws -> Int {
        Int(try JSONValue(parsing: Array(try bytes("\(path).partial.json").dropLast()))["bytes"]?.integer ?? -1)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `an export that dies at random requests, within lines, too, becomes the whole one`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...60, using: &random)
        let expected = try await whole(count)
        var deaths = 0
        while true {
            let service = Service(
                count, page: Int.random(in: 1...9, using: &random), dyingAfter: Int.random(in: 2...12, using: &random))
            do {
                try await run(service)
                break
            } catch is Killed {
                deaths += 1
            }
            let partial = "\(path).partial"
            switch Int.random(in: 0..<4, using: &random) {
            case 0:  // The last lines were not written, or not whole.
                let end = try Int.random(in: reached()...bytes(partial).count, using: &random)
                try Data(bytes(partial).prefix(end)).write(to: URL(fileURLWithPath: partial))
            case 1:  // A part of a line, or zeros of a power cut.
                let more = Bool.random(using: &random) ? Array(#"{"recordName":"#.utf8) : [0, 0, 0x0A]
                try Data(bytes(partial) + more).write(to: URL(fileURLWithPath: partial))
            default: break
            }
        }
        #expect(try bytes(path) == expected, "seed \(seed), \(deaths) deaths")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["works.jsonl"])
    }

    @Test func `records that are there are not fetched again, nor their files`() async throws {
        // The first page's request and the files of its records 0, 3, 6 and 9.
        await #expect(throws: Killed.self) { try await run(Service(30, page: 10, dyingAfter: 8)) }
        let service = Service(30, page: 10)
        #expect(try await run(service) == 18)
        // Two pages, and the files of 18, 21, 24 and 27.
        #expect(service.requests == 6)
    }

    @Test(arguments: ["", "{}", "{\"bytes\": 3}\n", "no JSON"])
    func `without a place that can be read it starts over`(place: String) async throws {
        let expected = try await whole(30)
        await #expect(throws: Killed.self) { try await run(Service(30, page: 10, dyingAfter: 9)) }
        try Data(place.utf8).write(to: URL(fileURLWithPath: "\(path).partial.json"))
        #expect(try await run(Service(30, page: 10)) == 0)
        #expect(try bytes(path) == expected)
    }

    @Test(arguments: 0..<3) func `lines that the place counts and that are gone or others start it over`(
        _ harm: Int
    ) async throws {
        let expected = try await whole(30)
        await #expect(throws: Killed.self) { try await run(Service(30, page: 10, dyingAfter: 9)) }
        var lines = try bytes("\(path).partial")
        switch harm {
        case 0: lines.removeAll()
        case 1: lines.removeLast(lines.count - (try reached()) + 1)
        default: lines.replaceSubrange(20..<40, with: [UInt8](repeating: 0, count: 20))
        }
        try Data(lines).write(to: URL(fileURLWithPath: "\(path).partial"))
        #expect(try await run(Service(30, page: 10)) == 0)
        #expect(try bytes(path) == expected)
    }

    @Test func `another export is not gone on with, and one at a time writes a file`() async throws {
        await #expect(throws: Killed.self) { try await run(Service(30, page: 10, dyingAfter: 9)) }
        let export = export(Service(30, page: 10))
        let kept = try bytes("\(path).partial")
        let other = #expect(throws: ImportError.self) {
            try ExportFile(path, subject: export.subject(of: "bob"), resumes: true)
        }
        #expect(other?.description.contains("is of another export") == true, "\(String(describing: other))")
        #expect(try bytes("\(path).partial") == kept)
        let first = try ExportFile(path, subject: export.subject(of: "alice"), resumes: true)
        let second = #expect(throws: ImportError.self) {
            try ExportFile(path, subject: export.subject(of: "alice"), resumes: true)
        }
        #expect(second?.description.contains("is being written by another export") == true)
        #expect(first.count > 0)
    }

    @Test func `without --resume an export starts over, also a complete one`() async throws {
        await #expect(throws: Killed.self) { try await run(Service(30, page: 10, dyingAfter: 9)) }
        #expect(try await run(Service(30, page: 10), resumes: false) == 0)
        let expected = try bytes(path)
        #expect(try await run(Service(30, page: 10), resumes: true) == 0)
        #expect(try bytes(path) == expected)
    }

    @Test func `a table is made of lines that are complete without another request`() async throws {
        let service = Service(30, page: 10)
        let export = export(service)
        _ = try await export.run(into: try ExportFile(path, subject: export.subject(of: "alice"), resumes: true))
        let asked = service.requests
        let file = try ExportFile(path, subject: export.subject(of: "alice"), resumes: true)
        #expect(file.isComplete && file.count == 30)
        #expect(try await export.run(into: file) == 30 && service.requests == asked)
        var table: [UInt8] = []
        try RecordExport.writeTable({ try LineReader(path: file.partial) }, { table += $0 })
        #expect(table.split(separator: 0x0A).count == 31)
        file.discard()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }
}
