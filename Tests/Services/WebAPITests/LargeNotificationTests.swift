import CloudModel
import JSON
import RecordService
import TestSupport
import Testing

@Suite struct LargeNotificationTests {
    /// Notifications that are larger than what is kept for a reader, one after the other.
    @Test func aStreamPassesNotificationsOfAnySize() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice, info: ["alertBody": "new", "additionalFields": ["text"]])
            let caller = Caller(user: UserRecordName(trusted: alice.name))
            let texts = (0..<6).map { index in
                String(repeating: index.isMultiple(of: 2) ? "\u{1}é" : "x", count: 400_000 - index) + "\(index)"
            }
            for (index, text) in texts.enumerated() {
                let operation = RecordOperation(
                    kind: .create, recordName: RecordName(trusted: "r\(index)"), recordType: RecordType(trusted: "T"),
                    fields: [FieldName(trusted: "text"): GivenValue(.string(text), isTypeExplicit: true)])
                _ = try await bench.system.service.modifyRecords([operation], in: .public, for: caller)
            }
            var events = EventReader(try await bench.stream([("deviceID", "phone")], user: alice))
            for (index, text) in texts.enumerated() {
                let event = try #require(try await events.next())
                #expect(event.json["recordName"]?.string == "r\(index)")
                #expect(event.json["recordFields"]?["text"]?["value"]?.string == text)
            }
        }
    }
}
