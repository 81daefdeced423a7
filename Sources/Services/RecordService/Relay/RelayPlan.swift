import RecordStore

/// Decides in which steps outbox rows are published: pure, so that its rule can be tested by itself.
enum RelayPlan {
    /// Cuts rows, which are in commit order, into steps. A step is published when the one before it is acknowledged, so
    /// that no change is published before all earlier subscription events are.
    static func steps(_ rows: [OutboxRow]) -> [ArraySlice<OutboxRow>] {
        var steps: [ArraySlice<OutboxRow>] = []
        var start = rows.startIndex
        var hasSubscription = false
        for (index, row) in rows.enumerated() {
            if case .changes = row.destination, hasSubscription {
                steps.append(rows[start..<index])
                start = index
                hasSubscription = false
            }
            if row.destination == .subscriptions { hasSubscription = true }
        }
        if start < rows.endIndex { steps.append(rows[start...]) }
        return steps
    }
}
