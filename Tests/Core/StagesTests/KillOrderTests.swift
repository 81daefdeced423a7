import Testing

@testable import Stages

@Suite struct KillOrderTests {
    @Test("an order is met at the time that it names, once")
    func counting() throws {
        let order = try #require(KillOrder("relay-published:3,match-appended", signal: 9))
        #expect(order.isMet(by: .matchAppended))
        #expect(!order.isMet(by: .matchAppended))
        #expect([1, 2, 3, 4].map { _ in order.isMet(by: .relayPublished) } == [false, false, true, false])
        #expect(!order.isMet(by: .deliverCommitted))
    }

    @Test(
        "an order that names no step, or no time, is refused",
        arguments: ["", ",", "nowhere", "relay-published:0", "relay-published:x", ":1"])
    func refused(text: String) {
        #expect(KillOrder(text, signal: 9) == nil)
    }

    @Test("each step has a name of its own, as commands write names")
    func names() {
        #expect(Set(KillPoint.allCases.map(\.rawValue)).count == KillPoint.allCases.count)
        #expect(KillPoint.allCases.allSatisfy { $0.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)+/) != nil })
    }
}
