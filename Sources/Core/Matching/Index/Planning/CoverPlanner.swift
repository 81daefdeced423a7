import CloudModel

/// Chooses the keys under which a subscription of one tenancy is filed: the cheapest cover of its predicate.
struct CoverPlanner {
    let tenancy: UInt32

    /// Keys of one way to find a subscription, at most.
    static let keysMax = 16

    /// The best way to find the events that satisfy a node; nil when there is none but to try them all.
    func cover(_ node: PredicateNode, _ statistics: borrowing some CoverStatistics & ~Copyable) -> Cover? {
        switch node {
        case .always: return nil
        case .never: return .nothing
        case .leaf: return cover(all: [node], statistics)
        case .all(let parts): return cover(all: parts, statistics)
        case .any(let parts):
            var whole = Cover(cost: 0, keys: [], isRepeated: true)
            for part in parts {
                guard let cover = cover(part, statistics) else { return nil }
                whole.cost += cover.cost
                whole.keys += cover.keys
            }
            return whole
        }
    }

    /// The way to find the events that change one of the fields of some slots.
    func cover(changed slots: [UInt16], _ statistics: borrowing some CoverStatistics & ~Copyable) -> Cover {
        var whole = Cover(cost: 0, keys: [], isRepeated: true)
        for slot in slots {
            let facet = Facet(.changed, slot: Int(slot))
            whole.cost += statistics.observedLikelihood(facet, 0, in: tenancy) ?? CoverCosts.changed
            whole.keys.append(PathKey(facet, 0))
        }
        return whole
    }

    private func cover(
        all parts: [PredicateNode], _ statistics: borrowing some CoverStatistics & ~Copyable
    ) -> Cover? {
        var best = cheaper(equalities(parts, statistics), nil)
        best = cheaper(intervals(parts, statistics), best)
        for (position, part) in parts.enumerated() {
            switch part {
            case .leaf(let leaf, false): best = cheaper(cover(leaf, at: position, statistics), best)
            case .any: best = cheaper(cover(part, statistics), best)
            default: break
            }
        }
        return best
    }

    /// The cheaper of two covers; the second when they cost the same.
    private func cheaper(_ cover: Cover?, _ best: Cover?) -> Cover? {
        guard let cover, cover.cost < best?.cost ?? .infinity else { return best }
        return cover
    }
}
