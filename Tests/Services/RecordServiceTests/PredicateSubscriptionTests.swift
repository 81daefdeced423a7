import CloudModel
import Cryptography
import Matching
import RecordService
import TestSupport
import Testing

/// Subscriptions with a predicate string (docs/http-api.md).
@Suite struct PredicateSubscriptionTests {
    private func draft(_ id: String, _ text: String, _ arguments: [FieldValue] = []) -> SubscriptionDraft {
        var draft = SubscriptionDraft.draft(id)
        draft.query?.predicate = GivenPredicate(
            text: text, arguments: arguments.map { .value(GivenValue($0, isTypeExplicit: false)) },
            argumentsJSON: arguments.isEmpty ? nil : "[]")
        return draft
    }

    @Test func theStringIsKeptAndSavingItAgainIsHarmless() async throws {
        let rig = try await RecordServiceRig()
        let given = draft("s", "n > %@ OR tags CONTAINS 'x'", [.int64(5)])
        let first = try #require(try await rig.apply(.create(given)).subscription)
        #expect(first.condition.query.written?.text == "n > %@ OR tags CONTAINS 'x'")
        let sequence = try await rig.lastSequence()
        #expect(try await rig.apply(.create(given)).subscription == first)
        // Types that come later change nothing: the same request names the same condition.
        _ = try await rig.apply(.on("r", .create, ["n": .double(0.5), "tags": .stringList(["x"])]))
        let after = try await rig.lastSequence()
        #expect(try await rig.apply(.create(given)).subscription == first)
        #expect(try await rig.apply(.update(given)).subscription == first)
        #expect(try await rig.lastSequence() == after && after > sequence)
        #expect(try await rig.service.listSubscriptions(in: .public, for: rig.alice) == [first])
    }

    @Test func anotherWordingOfTheSameConditionIsADuplicate() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.create(draft("first", "n == 1 AND s != 'x'")))
        let outcome = try await rig.apply(.create(draft("second", "(1 = n) && NOT s == 'x'")))
        #expect(outcome.code == .badRequest && outcome.error?.reason.contains("'first'") == true)
        #expect(try await rig.apply(.create(draft("third", "n == 2"))).subscription != nil)
        // For the same subscription it is no change.
        #expect(try await rig.apply(.update(draft("first", "n = 1 and not s = 'x'"))).subscription != nil)
        #expect(try await rig.apply(.update(draft("first", "n = 1"))).code == .badRequest)
    }

    /// Where a container asks for it, what CloudKit refuses is refused, in queries and subscriptions.
    @Test func aContainerMayKeepToCloudKitsSubset() async throws {
        let rig = try await RecordServiceRig(predicates: .cloudKitSubset)
        _ = try await rig.apply(.on("r", .create, ["n": .int64(1), "s": .string("x")]))
        #expect(try await rig.apply(.create(draft("a", "n == 1 AND s BEGINSWITH 'x'"))).subscription != nil)
        let outcome = try await rig.apply(.create(draft("b", "n == 1 OR n == 2")))
        #expect(outcome.code == .badRequest && outcome.error?.reason.contains("OR") == true, "\(outcome)")
        func query(_ text: String) async throws -> RecordQueryPage {
            try await rig.service.queryRecords(
                RecordQuery(
                    query: GivenQuery(
                        recordType: RecordType(trusted: "T"), filters: [], predicate: GivenPredicate(text: text))),
                in: .public, markers: QueryMarkers(rig.keys), for: rig.alice)
        }
        #expect(try await query("n == 1").records.count == 1)
        await expect(code: .badRequest) { _ = try await query("n == 1 OR n == 2") }
    }

    @Test(arguments: ["n ==", "nothing == 1", "n == 'x'", "t < now()", "s MATCHES 'x'"])
    func unreadablePredicatesFailPerItem(text: String) async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(
            .on("r", .create, ["n": .int64(1), "s": .string("x"), "t": .timestamp(Timestamp(milliseconds: 1))]))
        let outcome = try await rig.apply(.create(draft("s", text)))
        #expect(outcome.code == .badRequest && outcome.error?.reason.contains("column") == true)
    }

    @Test func nowIsRefusedBeforeTheTypeIsKnown() async throws {
        let rig = try await RecordServiceRig()
        #expect(try await rig.apply(.create(draft("s", "t < now"))).code == .badRequest)
    }

    /// Each page is asked for at another time, and is a page of the same query for all that.
    @Test func aQueryAgainstNowHasPages() async throws {
        let rig = try await RecordServiceRig()
        for name in ["a", "b"] {
            _ = try await rig.apply(.on(name, .create, ["t": .timestamp(Timestamp(milliseconds: 1))]))
        }
        let markers = QueryMarkers(.generate())
        func page(_ text: String, _ marker: String?) async throws -> RecordQueryPage {
            let query = GivenQuery(
                recordType: RecordType(trusted: "T"), filters: [], predicate: GivenPredicate(text: text))
            return try await rig.service.queryRecords(
                RecordQuery(query: query, limit: 1, marker: marker), in: .public, markers: markers, for: rig.alice)
        }
        let first = try await page("t < now()", nil)
        #expect(first.records.map(\.name.rawValue) == ["a"])
        rig.move(by: .seconds(60))
        #expect(try await page("t < now()", first.marker).records.map(\.name.rawValue) == ["b"])
        await #expect(throws: CloudError.self) { try await page("t <= now()", first.marker) }
    }
}
