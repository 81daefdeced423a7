import RecordStore

/// Decides in which steps outbox rows are published: pure, so that its rule can be tested by itself.
enum RelayPlan {
    /// Cuts rows, which are in commit order, into steps. A step is published after the one before it is acknowledged,
    /// so that no change is published before all earlier subscription events, and no subscription event before all
    /// earlier events in `deliveries`: one of these announces a subscription's backfill.
    static func steps(_ rows: [OutboxRow]) -> [ArraySlice<OutboxRow>] {
        var steps: [ArraySlice<OutboxRow>] = []
        var start = rows.startIndex
        var hasSubscription = false
        var hasDelivery = false
        for (index, row) in rows.enumerated() {
            let mustWait =
                switch row.destination {
                case .changes: hasSubscription
                case .subscriptions: hasDelivery
                case .deliveries, .pushAddresses: false
                }
            if mustWait {
                steps.append(rows[start..<index])
                start = index
                (hasSubscription, hasDelivery) = (false, false)
            }
            if row.destination == .subscriptions { hasSubscription = true }
            if row.destination == .deliveries { hasDelivery = true }
        }
        if start < rows.endIndex { steps.append(rows[start...]) }
        return steps
    }
}
