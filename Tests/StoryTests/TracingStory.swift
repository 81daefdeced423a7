import CloudModel
import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

/// X2: an operator traces a notification, in the console and by commands: both show the same.
@Suite struct TracingStory {
    /// A system with a console, and the operator's token.
    private struct Operated {
        let system: StorySystem
        let token = String(repeating: "5", count: 64)

        init(_ kind: StorySystem.Kind, _ folder: TemporaryFolder) async throws {
            let file = folder.path("operator.token")
            try Data(token.utf8).write(to: URL(fileURLWithPath: file))
            system = try await StorySystem.start(
                kind, with: ["FANFARE_CONSOLE": "public", "FANFARE_OPERATOR_TOKEN_FILE": file])
        }

        /// The answer of an operator's route.
        func ask(_ name: String, _ body: JSONValue) async throws -> JSONValue {
            let path = "/operator/1/\(system.scope.container)/\(system.scope.environment)/\(name)"
            let answer = try await system.http.send(
                HTTPClientRequest(
                    "POST", "\(system.url)\(path)",
                    headers: [("Authorization", "Bearer \(token)"), ("X-Fanfare-Console", "1")],
                    body: .bytes(try body.serialized())))
            #expect(answer.status == 200, "\(name): \(String(decoding: answer.body.prefix(500), as: UTF8.self))")
            return try JSONValue(parsing: answer.body)
        }

        /// The object that a command prints.
        func command(_ arguments: [String]) async throws -> JSONValue {
            let ended = try await system.run(arguments + ["--json"] + system.storeFlags)
            #expect(ended.code == 0, "\(arguments): \(ended)")
            return try JSONValue(parsing: Array(ended.output.utf8))
        }
    }

    /// An answer without change tokens, whose seals differ each time.
    private static func comparable(_ json: JSONValue) -> JSONValue {
        guard var object = json.object else {
            return json.array.map { .array($0.map(comparable)) } ?? json
        }
        for (key, value) in object { object[key] = key == "token" ? "sealed" : comparable(value) }
        return .object(object)
    }

    @Test(
        "X2 what an operator's route answers about a notification, a command prints",
        arguments: StorySystem.Kind.available)
    func same(_ kind: StorySystem.Kind) async throws {
        let folder = TemporaryFolder()
        let operated = try await Operated(kind, folder)
        let alice = try await operated.system.user("alice")
        let phone = try await alice.register("phone")
        try await alice.subscribe("all", to: "Task")
        for number in 0..<4 {
            try await alice.save(
                [
                    (
                        name: "r",
                        fields: ["n": .integer(Int64(number)), "s": .string(String(repeating: "x", count: 5000))]
                    )
                ],
                type: "Task")
        }
        let notes = try await alice.feed(phone, atLeast: 4).notes
        let id = notes[2].id
        let user = alice.record.rawValue
        try await eventually("the way in the feed") {
            let way = try await operated.ask("notifications/way", ["notificationID": .string(id)])
            return way["steps"]?.array?.contains { $0["step"] == "feed" && $0["outcome"] == "yes" } == true
        }
        let pairs: [(route: String, body: JSONValue, command: [String])] = [
            ("notifications/way", ["notificationID": .string(id)], ["way", "--change", id]),
            (
                "notifications/way", ["notificationID": .string(id), "user": .string(user), "subscriptionID": "all"],
                ["way", "--change", id, "--user", user, "--subscription", "all"]
            ),
            (
                "changes/read", ["database": "public", "limit": 1000],
                ["changes", "read", "--database", "public", "--limit", "1000"]
            ),
            (
                "records/history", ["database": "public", "recordName": "r", "limit": 3],
                ["records", "history", "--database", "public", "--record", "r", "--limit", "3"]
            ),
            (
                "feeds/read", ["deviceID": .string(phone), "offset": 0, "limit": 3],
                ["feeds", "read", "--device", phone, "--offset", "0", "--limit", "3"]
            ),
            ("journals/read", ["user": .string(user)], ["journals", "read", "--user", user]),
        ]
        for (route, body, command) in pairs {
            let answer = Self.comparable(try await operated.ask(route, body))
            let printed = Self.comparable(try await operated.command(command))
            #expect(answer == printed, "\(route) \(kind): \(answer) \(printed)")
        }
        let change = try #require(
            try await operated.ask("notifications/way", ["notificationID": .string(id)])["change"]?.integer)
        let explained = try await operated.ask("explain", ["change": .integer(change), "subscriptionID": "all"])
        let printed = try await operated.command(["explain", "--change", "\(change)", "--subscription", "all"])
        for part in ["verdict", "way"] {
            #expect(explained[part] == printed[part], "\(part) \(kind): \(explained) \(printed)")
        }
        let lines = try await operated.system.run(["way", "--change", id] + operated.system.storeFlags)
        #expect(lines.output.contains("+ journal") && lines.output.contains(phone), "\(lines)")
        for wrong in [
            ["way"], ["way", "--change", "1"], ["changes", "read"], ["records", "history", "--database", "private"],
            ["feeds", "read"], ["journals", "read"],
        ] {
            #expect(try await operated.system.run(wrong + operated.system.storeFlags).code != 0, "\(wrong)")
        }
        try await operated.system.stop()
    }
}
