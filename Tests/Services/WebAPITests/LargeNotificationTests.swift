import CloudModel
import JSON
import RecordService
import TestSupport
import Testing

@Suite struct LargeNotificationTests {
    /// Notifications larger than a reader's cache, one after the other.
    @Test func aStreamPassesNotificationsOfAnySize() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice, info: ["alertBody": "new", "additionalFields": ["text"]])
            let caller = Caller(user: UserRecordName(trusted: alice.name))
            // Every character but one of the first kind takes six bytes in JSON.
            let texts = (0..<3).map { index in
                String(repeating: index.isMultiple(of: 2) ? "\u{1}" : "x", count: 400_000 - index) + "é\(index)"
            }
            for (index, text) in texts.enumerated() {
                let operation = RecordOperation(
                    kind: .create, recordName: RecordName(trusted: "r\(index)"), recordType: RecordType(trusted: "T"),
                    fields: [FieldName(trusted: "text"): GivenValue(.string(text), isTypeExplicit: true)])
                let results = try await bench.system.service.modifyRecords([operation], in: .public, for: caller)
                guard case .record = results[0] else {
                    Issue.record("\(results[0])")
                    return
                }
            }
            // Order is per record in the public database.
            var events = EventReader(try await bench.stream([("deviceID", "phone")], user: alice))
            var found: [String: String] = [:]
            for _ in texts {
                let event = try #require(try await events.next())
                let name = try #require(event.json["recordName"]?.string)
                found[name] = event.json["recordFields"]?["text"]?["value"]?.string
            }
            for (index, text) in texts.enumerated() { #expect(found["r\(index)"] == text, "r\(index)") }
        }
    }
}
