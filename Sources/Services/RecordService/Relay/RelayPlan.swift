import RecordStore

/// Decides in which steps outbox rows are published: pure, so that its rule can be tested by itself.
enum RelayPlan {
    /// Cuts rows, which are in commit order, into three steps at most, whatever they are: events in `deliveries` and
    /// addresses, subscription events, changes. A step is published after the one before it is acknowledged, so no
    /// change is published before all earlier subscription events, and no subscription event before all earlier events
    /// in `deliveries`: one of these announces a subscription's backfill. Later events may come before earlier changes:
    /// versions of subscriptions say which changes they concern, and their notifications are late anyway. The rows of a
    /// topic keep their order.
    static func steps(_ rows: [OutboxRow]) -> [[OutboxRow]] {
        var steps: [[OutboxRow]] = [[], [], []]
        for row in rows {
            switch row.destination {
            case .deliveries, .pushAddresses: steps[0].append(row)
            case .subscriptions: steps[1].append(row)
            case .changes: steps[2].append(row)
            }
        }
        return steps.filter { !$0.isEmpty }
    }
}
