package import CloudModel

extension Predicate {
    /// The predicate's tree with the outcome of every node for a record, and the node that decided.
    package func traced(on record: Record) -> PredicateOutcome {
        var node = outcome(on: record)
        node.markDeciding()
        return node
    }

    private func outcome(on record: Record) -> PredicateOutcome {
        func node(_ kind: PredicateOutcome.Kind, _ parts: [Predicate], _ holds: ([Bool]) -> Bool) -> PredicateOutcome {
            let nodes = parts.map { $0.outcome(on: record) }
            var node = PredicateOutcome(kind, holds: holds(nodes.map(\.holds)))
            node.parts = nodes
            return node
        }
        switch self {
        case .always: return PredicateOutcome(.always, holds: true)
        case .all(let parts): return node(.all, parts) { !$0.contains(false) }
        case .any(let parts): return node(.any, parts) { $0.contains(true) }
        case .not(let part): return node(.not, [part]) { $0 == [false] }
        case .comparison(let comparison):
            var node = PredicateOutcome(.comparison, holds: comparison.holds(for: record, searchable: nil))
            node.comparison = comparison
            node.value = record.value(of: comparison.field)
            return node
        }
    }

    /// The comparison whose other outcome alone would make the predicate hold for a record; nil if it holds, or if one is
    /// not enough. Of several it is the first.
    package func onlyFailure(on record: Record) -> Comparison? {
        let (count, comparison) = turns(to: true, record)
        return count == 1 ? comparison : nil
    }

    /// Stands for all numbers of comparisons above one.
    private static let many = 2

    /// The least number of comparisons that need another outcome for the predicate to get the wanted one, and the first of
    /// them.
    private func turns(to wanted: Bool, _ record: Record) -> (count: Int, first: Comparison?) {
        switch self {
        case .always: return (wanted ? 0 : Self.many, nil)
        case .comparison(let comparison):
            return comparison.holds(for: record, searchable: nil) == wanted ? (0, nil) : (1, comparison)
        case .not(let part): return part.turns(to: !wanted, record)
        case .all(let parts): return wanted ? Self.every(parts, true, record) : Self.one(parts, false, record)
        case .any(let parts): return wanted ? Self.one(parts, true, record) : Self.every(parts, false, record)
        }
    }

    private static func every(
        _ parts: [Predicate], _ wanted: Bool, _ record: Record
    ) -> (count: Int, first: Comparison?) {
        var sum: (count: Int, first: Comparison?) = (0, nil)
        for part in parts {
            let turns = part.turns(to: wanted, record)
            sum = (sum.count + turns.count, sum.first ?? turns.first)
            if sum.count >= many { return (many, nil) }
        }
        return sum
    }

    private static func one(
        _ parts: [Predicate], _ wanted: Bool, _ record: Record
    ) -> (count: Int, first: Comparison?) {
        var least: (count: Int, first: Comparison?) = (many, nil)
        for part in parts {
            let turns = part.turns(to: wanted, record)
            if turns.count < least.count { least = turns }
            if least.count == 0 { break }
        }
        return least
    }
}

extension PredicateOutcome {
    /// Marks the deciding node: the node itself, unless it rests on one of its parts alone.
    fileprivate mutating func markDeciding() {
        let part: Int?
        switch kind {
        case .not: part = parts.indices.first
        case .all: part = parts.count == 1 ? 0 : onlyPart { !$0 }
        case .any: part = parts.count == 1 ? 0 : onlyPart { $0 }
        case .always, .comparison: part = nil
        }
        if let part { parts[part].markDeciding() } else { decides = true }
    }

    private func onlyPart(_ isSought: (Bool) -> Bool) -> Int? {
        let found = parts.indices.filter { isSought(parts[$0].holds) }
        return found.count == 1 ? found[0] : nil
    }
}

extension Subscription {
    /// The comparison of a query's predicate because of which alone the subscription does not fire on a change; nil if it
    /// fires, or if more is in the way.
    package func onlyFailure(on change: Change) -> Predicate.Comparison? {
        guard condition.kind == .query, let record = change.matched else { return nil }
        // As if the predicate held for the record that is looked at, and for that one only.
        let mayFire = fires(
            on: change, heldBefore: change.after == nil, holdsAfter: change.after != nil,
            isChanged: { FieldValue.differ(change.before?.fields[$0], change.after?.fields[$0]) })
        guard mayFire else { return nil }
        return condition.query.predicate.onlyFailure(on: record)
    }
}
