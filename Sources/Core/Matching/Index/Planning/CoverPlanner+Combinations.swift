/// Tests on different fields that an event has to satisfy together.
extension CoverPlanner {
    /// One facet that a test can be found by.
    private struct Choice {
        var facet: Facet
        var keys: [UInt32]
        var cost: Double
        /// The place of the test in the conjunction.
        var position: Int
    }

    /// The numbers that all intervals of one field leave, by ordinals; an open end is nil.
    private struct Bounds {
        var slot: Int
        var low: Int64?
        var high: Int64?
    }

    /// Cells are no wider: wider ones select nothing, and more than two would be touched.
    private static let levelMax = 60

    /// Up to three equalities on different fields: an event finds what agrees with it in all of them.
    func equalities(
        _ parts: [PredicateNode], _ statistics: borrowing some CoverStatistics & ~Copyable
    ) -> Cover? {
        var choices: [Choice] = []
        for (position, part) in parts.enumerated() {
            guard case .leaf(let leaf, false) = part, case .equals(let ids, let variant) = leaf.access else { continue }
            let facet = Facet(.equals, slot: leaf.slot, parameter: Int(variant.rawValue))
            if choices.contains(where: { $0.facet == facet }) { continue }
            let cost = ids.reduce(0) { $0 + statistics.likelihood(facet, $1, in: tenancy) }
            choices.append(Choice(facet: facet, keys: ids, cost: min(cost, 1), position: position))
        }
        return combined(&choices, limit: 3, isImplied: true, statistics)
    }

    /// Up to two closed intervals on different fields, each as the cells it touches: two at most.
    func intervals(
        _ parts: [PredicateNode], _ statistics: borrowing some CoverStatistics & ~Copyable
    ) -> Cover? {
        var choices: [Choice] = []
        for bounds in bounds(parts) {
            guard let low = bounds.low, let high = bounds.high else { continue }
            // Nothing lies between them.
            if low > high { return .nothing }
            guard let level = Self.level(low, high) else { continue }
            let ends = (UInt32(truncatingIfNeeded: low >> level), UInt32(truncatingIfNeeded: high >> level))
            let cells = ends.0 == ends.1 ? [ends.0] : [ends.0, ends.1]
            let facet = Facet(.cell, slot: bounds.slot, parameter: level)
            let seen = cells.compactMap { statistics.observedLikelihood(facet, $0, in: tenancy) }
            let cost = seen.isEmpty ? CoverCosts.cell(level: level) : min(1, seen.reduce(0, +))
            choices.append(Choice(facet: facet, keys: cells, cost: cost, position: 0))
        }
        return combined(&choices, limit: 2, isImplied: false, statistics)
    }

    /// The bounds of each field with an interval, in the order of the tests.
    private func bounds(_ parts: [PredicateNode]) -> [Bounds] {
        var all: [Bounds] = []
        for part in parts {
            guard case .leaf(let leaf, false) = part, case .interval(let low, let high, _) = leaf.access else {
                continue
            }
            let known = all.firstIndex { $0.slot == leaf.slot }
            let index = known ?? all.count
            if known == nil { all.append(Bounds(slot: leaf.slot)) }
            if let low { all[index].low = max(low, all[index].low ?? low) }
            if let high { all[index].high = min(high, all[index].high ?? high) }
        }
        return all
    }

    /// The lowest level at which an interval touches at most two cells; nil if no level is selective.
    private static func level(_ low: Int64, _ high: Int64) -> Int? {
        var level = 0
        while level < levelMax, UInt64(bitPattern: (high >> level) &- (low >> level)) > 1 { level += 2 }
        return level == levelMax ? nil : level
    }

    /// The cheapest of some choices together, as one key of several facets.
    private func combined(
        _ choices: inout [Choice], limit: Int, isImplied: Bool, _ statistics: borrowing some CoverStatistics & ~Copyable
    ) -> Cover? {
        if choices.isEmpty { return nil }
        choices.sort { $0.cost != $1.cost ? $0.cost < $1.cost : $0.facet.word < $1.facet.word }
        var chosen: [Choice] = []
        var keyCount = 1
        for choice in choices where chosen.count < limit {
            if !chosen.isEmpty, keyCount * choice.keys.count > Self.keysMax { continue }
            chosen.append(choice)
            keyCount *= choice.keys.count
        }
        chosen.sort { $0.facet.slot < $1.facet.slot }
        if chosen.count > 1, !statistics.hasRoom(for: Self.facets(chosen), in: tenancy) { chosen = [choices[0]] }
        return Cover(
            cost: chosen.reduce(1) { $0 * $1.cost }, keys: Self.keys(chosen), isRepeated: false,
            implied: isImplied ? chosen.map(\.position) : [])
    }

    /// Every combination of the choices' keys.
    private static func keys(_ chosen: [Choice]) -> [PathKey] {
        var keys: [PathKey] = []
        let facets = facets(chosen)
        for first in chosen[0].keys {
            for second in chosen.count > 1 ? chosen[1].keys : [0] {
                for third in chosen.count > 2 ? chosen[2].keys : [0] {
                    keys.append(PathKey(facets: facets, keys: (first, second, third)))
                }
            }
        }
        return keys
    }

    private static func facets(_ chosen: [Choice]) -> Facets {
        Facets(
            first: chosen[0].facet, second: chosen.count > 1 ? chosen[1].facet : .none,
            third: chosen.count > 2 ? chosen[2].facet : .none)
    }
}
