import CloudModel
import Matching

/// Subscriptions come and go and records are matched as the bytes say: the index finds what the walk over all finds,
/// and holds nothing when all are gone.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var source = ByteSource(UnsafeBufferPointer(start: data, count: count))
    var index = SubscriptionIndex(slotsMax: source.pick([1 << 16, 0, 6, 7, 8, 16]))
    var space = MatchingSpace()
    var reference = ReferenceMatcher()
    var live: [Int: Subscription] = [:]
    for step in 0..<200 where !source.isEmpty {
        let id = source.below(24)
        switch source.below(8) {
        case 0...3:
            let subscription = source.subscription(step)
            live[id] = subscription
            index.insert(subscription, id: id)
            reference.insert(subscription, id: id)
        case 4:
            live[id] = nil
            index.remove(id: id)
            reference.remove(id: id)
        case 5:
            index.note(&space)
            for id in index.crowded(limit: 20, entriesPerEvent: 0, eventsMin: 1) {
                if let subscription = live[id] { index.insert(subscription, id: id) }
            }
        default:
            let change = source.change(step)
            let found = index.withMatches(of: change, in: &space) { $0.map(Int.init) }.sorted()
            let expected = reference.matches(of: change)
            precondition(found == expected, "the index finds \(found), the walk \(expected)")
        }
    }
    for id in 0..<24 { index.remove(id: id) }
    precondition(index.isVacant, "something is left behind")
    return 0
}
