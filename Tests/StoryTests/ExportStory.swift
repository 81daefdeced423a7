import CloudModel
import FanfareCloudKit
import Foundation
import HTTPClient
import HTTPServer
import JSON
import Synchronization
import TestSupport
import Testing
import TextForms

/// Records leave and come back by the program's commands, and a killed export goes on.
@Suite struct ExportStory {
    /// Passes requests on to a service, and keeps the queries from the n-th on waiting.
    private final class Gate: HTTPHandler {
        private struct State {
            var server: HTTPServer?
            var queries = 0
            var passed = Int.max
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())
        private let service: String
        private let http = HTTPClient()

        init(before service: String) { self.service = service }

        func start() async throws {
            let server = try await HTTPServer.start(HTTPServerConfiguration(), handler: self)
            state.withLock { $0.server = server }
        }

        func stop() async {
            open()
            await state.withLock { $0.server }?.stop(grace: .zero)
        }

        var url: String { "http://127.0.0.1:\(state.withLock { $0.server?.port ?? 0 })" }

        /// Lets so many queries through, and keeps the others.
        func close(after queries: Int) { state.withLock { ($0.queries, $0.passed) = (0, queries) } }

        /// Lets all through.
        func open() {
            let waiting = state.withLock { state in
                state.passed = .max
                defer { state.waiting = [] }
                return state.waiting
            }
            for one in waiting { one.resume() }
        }

        /// Returns true while a query waits.
        var keepsOne: Bool { state.withLock { !$0.waiting.isEmpty } }

        func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .body(maximumBytes: 64 << 20) }

        func answer(_ request: HTTPRequest) -> HTTPAnswer {
            .later { [self] in
                if request.path.hasSuffix("records/query") { await pass() }
                return (try? await passedOn(request)) ?? HTTPResponse(status: 502)
            }
        }

        func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { HTTPResponse(status: 503) }

        private func pass() async {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state in
                    state.queries += 1
                    guard state.queries > state.passed else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if passes { continuation.resume() }
            }
        }

        private func passedOn(_ request: HTTPRequest) async throws -> HTTPResponse {
            var body: [UInt8] = []
            if case .bytes(let bytes) = request.body { body = Array(bytes) }
            let answer = try await http.send(
                HTTPClientRequest(request.method, service + request.target, body: body.isEmpty ? .empty : .bytes(body)))
            return HTTPResponse(status: answer.status, body: .bytes(answer.body))
        }
    }

    /// The variables of commands by a user of a system.
    private func variables(_ user: StoryUser, _ system: StorySystem) -> [String: String] {
        [
            "FANFARE_API_TOKEN": system.apiToken, "FANFARE_WEB_AUTH_TOKEN": user.client.webAuthToken ?? "",
            "FANFARE_CONTAINER": system.scope.container.rawValue, "FANFARE_ENVIRONMENT": "development",
        ]
    }

    /// Saves records with files in two zones of the private database.
    private func prepare(_ user: StoryUser, _ system: StorySystem, _ counts: [String: Int]) async throws {
        for (zone, count) in counts.sorted(by: { $0.key < $1.key }) {
            let zoneID: JSONValue = ["zoneName": .string(zone)]
            if zone != "_defaultZone" {
                _ = try await user.client.database(
                    .private, "zones/modify",
                    ["operations": [["operationType": "create", "zone": ["zoneID": zoneID]]]])
            }
            for start in stride(from: 0, to: count, by: 200) {
                let operations = (start..<min(start + 200, count)).map { number -> JSONValue in
                    [
                        "operationType": "create",
                        "record": [
                            "recordName": .string("r\(number)"), "recordType": "Picture",
                            "fields": ["number": ["value": .integer(Int64(number))]],
                        ],
                    ]
                }
                _ = try await user.client.database(
                    .private, "records/modify",
                    ["operations": .array(operations), "zoneID": zoneID, "atomic": false])
            }
            let made = try await user.client.database(
                .private, "assets/upload",
                ["tokens": [["recordName": "r1", "recordType": "Picture", "fieldName": "image"]], "zoneID": zoneID])
            let url = try #require(made["tokens"]?[0]?["url"]?.string)
            let answer = try await system.http.send(
                HTTPClientRequest("POST", url, body: .bytes(Array("picture in \(zone)".utf8))))
            let asset = try #require(try JSONValue(parsing: answer.body)["singleFile"])
            let saved = try await user.client.database(
                .private, "records/modify",
                [
                    "operations": [
                        [
                            "operationType": "forceUpdate",
                            "record": [
                                "recordName": "r1", "recordType": "Picture", "fields": ["image": ["value": asset]],
                            ],
                        ]
                    ], "zoneID": zoneID,
                ])
            #expect(saved["records"]?[0]?["serverErrorCode"] == nil, "\(saved)")
        }
    }

    /// The lines of a file, by zone and name.
    private func records(_ path: String) throws -> [String: JSONValue] {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        var found: [String: JSONValue] = [:]
        for line in lines {
            let record = try JSONValue(parsing: Array(line.utf8))
            let key = "\(record["zoneID"]?["zoneName"]?.string ?? "")/\(record["recordName"]?.string ?? "")"
            #expect(found.updateValue(record, forKey: key) == nil, "\(key) is twice in \(path)")
        }
        return found
    }

    @Test("kill -9 between the pages of an export: it goes on, and each record is there once, with its file")
    func killedExport() async throws {
        let system = try await StorySystem.start(.embedded)
        let user = try await system.user("alice")
        try await prepare(user, system, ["_defaultZone": 450, "Album": 450])
        let gate = Gate(before: system.url)
        try await gate.start()
        let path = system.folder.path("pictures.jsonl")
        let arguments = ["export", path, "--type", "Picture", "--database", "private", "--zone", "*", "--resume"]
        let environment = variables(user, system).merging(["FANFARE_URL": gate.url]) { $1 }
        for (number, pages) in [1, 0, 2].enumerated() {
            gate.close(after: pages)
            let process = FanfareProcess(
                arguments, environment: environment, folder: system.folder, name: "killed-\(number)")
            try process.start()
            try await eventually("a query that waits") {
                guard process.isRunning else { throw StorySystem.Failed(process.complaints) }
                return gate.keepsOne
            }
            await process.kill()
            gate.open()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        let last = FanfareProcess(arguments, environment: environment, folder: system.folder, name: "last")
        let ended = try await last.run()
        #expect(ended.code == 0, "\(last.complaints)")
        #expect(last.complaints.contains("records are in \(path).partial"), "\(last.complaints)")
        let found = try records(path)
        #expect(found.count == 900)
        for zone in ["", "Album"] {
            let content = found["\(zone)/r1"]?["fields"]?["image"]?["value"]?["content"]?.string
            let name = zone.isEmpty ? "_defaultZone" : zone
            #expect(content.flatMap(Base64.standard.decode) == Array("picture in \(name)".utf8))
        }
        await gate.stop()
        try await comesBack(path, found, user, system)
        try await system.stop()
    }

    /// Deletes the zone with its records, and imports and exports once more: the records are the same.
    private func comesBack(
        _ path: String, _ found: [String: JSONValue], _ user: StoryUser, _ system: StorySystem
    ) async throws {
        for type in ["delete", "create"] {
            _ = try await user.client.database(
                .private, "zones/modify",
                ["operations": [["operationType": .string(type), "zone": ["zoneID": ["zoneName": "Album"]]]]])
        }
        let environment = variables(user, system).merging(["FANFARE_URL": system.url]) { $1 }
        for (name, arguments) in [
            ("import", ["import", path, "--database", "private"]),
            (
                "table",
                ["export", path + ".csv", "--csv", "--type", "Picture", "--database", "private", "--zone", "Album"]
            ), ("again", ["export", path + ".2", "--type", "Picture", "--database", "private", "--zone", "*"]),
        ] {
            let command = FanfareProcess(arguments, environment: environment, folder: system.folder, name: name)
            #expect(try await command.run().code == 0, "\(name): \(command.complaints)")
        }
        #expect(try records(path + ".2") == found)
        let table = try String(contentsOfFile: path + ".csv", encoding: .utf8)
        #expect(table.split(separator: "\r\n").count == 451)
        #expect(!FileManager.default.fileExists(atPath: path + ".csv.partial"))
    }
}
