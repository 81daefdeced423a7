import CloudModel
import Matching
import RecordService
import TestSupport
import Testing

/// What a user's subscriptions may cost together.
@Suite struct SubscriptionBudgetTests {
    private func draft(_ number: Int) -> SubscriptionDraft {
        var draft = SubscriptionDraft.draft("s\(number)")
        let tests = (0..<190).map { "NOT t CONTAINS 'x\(number)y\($0)'" }.joined(separator: " AND ")
        draft.query?.predicate = GivenPredicate(text: tests)
        return draft
    }

    @Test func dearSubscriptionsFillABudgetThatDeletionsGiveBack() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create, ["t": .string("x")]))
        let each = 190 * 8
        let room = Limits.predicateCostOfUserMax / each
        for number in 0..<room { #expect(try await rig.apply(.create(draft(number))).subscription != nil) }
        let refused = try await rig.apply(.create(draft(room)))
        #expect(refused.code == .quotaExceeded)
        let reason = refused.error?.reason ?? ""
        #expect(reason.contains("\(Limits.predicateCostOfUserMax)") && reason.contains("\(room * each)"), "\(reason)")
        #expect(reason.contains("\(each)"))
        // Saving one again costs nothing, and what costs little has room for long.
        #expect(try await rig.apply(.create(draft(0))).subscription != nil)
        #expect(try await rig.apply(.create(.draft("plain"))).subscription != nil)
        _ = try await rig.apply(SubscriptionOperation.delete(SubscriptionID(trusted: "s1")))
        #expect(try await rig.apply(.create(draft(room))).subscription != nil)
    }
}
