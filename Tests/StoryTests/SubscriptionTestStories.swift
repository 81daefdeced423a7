import CloudModel
import FanfareCloudKit
import Foundation
import JSON
import TestSupport
import Testing

/// Trying a subscription out before it is saved, over HTTP and from the command line, on the embedded log and on Kafka.
@Suite struct SubscriptionTestStories {
    static let kinds = StorySystem.Kind.available

    private static func subscription(_ predicate: String) -> JSONValue {
        [
            "subscriptionID": "tried", "subscriptionType": "query",
            "query": ["recordType": "Trial", "predicate": .string(predicate)], "firesOn": ["create", "leave"],
            "notificationInfo": ["alertBody": "tried"],
        ]
    }

    /// The private database: what others save in the public one counts there, too.
    private func prepared(_ kind: StorySystem.Kind) async throws -> StoryUser {
        let alice = try await StorySystem.shared(kind).user("alice")
        try await alice.save((0..<5).map { ("t\($0)", ["n": .integer(Int64($0))]) }, type: "Trial", in: .private)
        try await alice.save([("t4", ["n": 1])], type: "Trial", in: .private)
        try await alice.delete(["t3"], in: .private)
        return alice
    }

    @Test("a test says what would have fired among the latest changes, and saves nothing", arguments: kinds)
    func overHTTP(_ kind: StorySystem.Kind) async throws {
        let alice = try await prepared(kind)
        let phone = try await alice.register("phone")
        let item = try await alice.modifySubscriptions([("test", Self.subscription("n >= 3"))], in: .private)[0]
        #expect(item["tested"] == true && item["changesExamined"] == 7 && item["changesMatched"] == 4, "\(item)")
        let matches = item["matches"]?.array?.map { "\($0["change"]?.string ?? "") \($0["recordName"]?.string ?? "")" }
        #expect(matches == ["recordCreated t3", "recordCreated t4", "recordUpdated t4", "recordDeleted t3"])
        let refused = try await alice.modifySubscriptions([("test", Self.subscription("n MATCHES 3"))], in: .private)
        #expect(refused[0]["serverErrorCode"] == "BAD_REQUEST" && refused[0]["tested"] == nil)
        #expect(try await alice.subscriptions(in: .private).isEmpty)
        // Nor does it fire: the first notification is of a saved subscription.
        try await alice.subscribe("saved", to: "Trial", in: .private)
        try await alice.save([("t9", ["n": 9])], type: "Trial", in: .private)
        #expect(try await alice.feed(phone, atLeast: 1).notes.map(\.subscription) == ["saved"])
    }

    @Test("fanfare subscriptions test and list say the same from the command line", arguments: kinds)
    func fromTheCommandLine(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let alice = try await prepared(kind)
        let token = try #require(alice.client.webAuthToken)
        // Secrets in files: as flags they would make the program complain.
        let files = try [system.apiToken, token].map { secret in
            let file = system.folder.path(RealKafka.unique("secret"))
            try Data((secret + "\n").utf8).write(to: URL(fileURLWithPath: file))
            return file
        }
        let flags = [
            "--url", system.url, "--container", system.scope.container.rawValue, "--api-token-file", files[0],
            "--web-auth-token-file", files[1], "--database", "private",
        ]
        func test(_ subscription: JSONValue, _ more: String...) async throws -> (code: Int32, output: String) {
            let file = system.folder.path("\(RealKafka.unique("subscription")).json")
            try Data(try subscription.serialized()).write(to: URL(fileURLWithPath: file))
            let (code, output, complaints) = try await system.run(["subscriptions", "test", file] + flags + more)
            #expect(complaints.isEmpty, "\(complaints)")
            return (code, output)
        }
        let text = try await test(Self.subscription("n >= 3"))
        #expect(
            text.output == """
                recordCreated  "Trial"  "t3"  in "_defaultZone"
                recordCreated  "Trial"  "t4"  in "_defaultZone"
                recordUpdated  "Trial"  "t4"  in "_defaultZone"
                recordDeleted  "Trial"  "t3"  in "_defaultZone"
                would have fired on 4 of the latest 7 changes; the predicate costs 1

                """)
        #expect(text.code == 0)
        let json = try await test(Self.subscription("n >= 3"), "--json")
        let asked = try await alice.modifySubscriptions([("test", Self.subscription("n >= 3"))], in: .private)
        #expect(try JSONValue(parsing: Array(json.output.utf8)) == asked[0] && json.code == 0)
        let refused = try await test(Self.subscription("n MATCHES 3"))
        #expect(refused.code == 1 && refused.output.hasPrefix("BAD_REQUEST: "), "\(refused)")
        #expect(refused.output.contains("MATCHES is not supported"))
        let none = try await system.run(["subscriptions", "list"] + flags)
        #expect(none.code == 0 && none.output.isEmpty, "a test is nothing that is listed: \(none)")
        try await alice.subscribe("saved", to: "Trial", on: ["create"], once: true, in: .private)
        let listed = try await system.run(["subscriptions", "list"] + flags)
        #expect(listed.output == "\"saved\"  query  on \"Trial\"  fires on create  once\n")
    }
}
