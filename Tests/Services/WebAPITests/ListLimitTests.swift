import CloudModel
import JSON
import Testing

@testable import WebAPI

/// Lists that are read again for each item of a request are short.
@Suite struct ListLimitTests {
    @Test(arguments: [("desiredKeys", Limits.desiredKeysMax), ("desiredRecordTypes", Limits.desiredTypesMax)])
    func aListThatIsReadForEachZoneIsBounded(member: String, limit: Int) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            for (count, status) in [(limit, 200), (limit + 1, 400)] {
                let names = JSONValue.array((0..<count).map { .string("f\($0)") })
                let answer = try await bench.send(
                    "POST", bench.database("changes/zone", "private"),
                    ["zones": [["zoneID": ["zoneName": "none"]]], member: names], user: alice)
                #expect(answer.status == status, "\(count) \(member)")
            }
        }
    }

    @Test func zonesAreCountedBeforeTheyAreRead() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let zones = JSONValue.array((0..<10_000).map { _ in 5 })
            let answer = try await bench.send(
                "POST", bench.database("changes/zone", "private"), ["zones": zones], user: alice)
            #expect(answer.status == 413 && answer.json["serverErrorCode"] == "QUOTA_EXCEEDED")
        }
    }
}
