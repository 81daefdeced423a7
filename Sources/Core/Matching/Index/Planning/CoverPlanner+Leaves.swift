import CloudModel

/// Tests by which a subscription can be found alone.
extension CoverPlanner {
    /// The way to find the events that satisfy one test; nil for tests that are found together with others.
    /// - Parameter position: the place of the test in the conjunction.
    func cover(
        _ leaf: PredicateLeaf, at position: Int, _ statistics: borrowing some CoverStatistics & ~Copyable
    ) -> Cover? {
        switch leaf.access {
        case .equals: return nil
        case .present:
            // A tree may look at other slots, or find an absent field in its own way: it is never implied.
            let isImplied = leaf.instruction.test == .present
            return present(leaf.slot, implied: isImplied ? [position] : [])
        case .member(let ids, let variant):
            let facet = Facet(.member, slot: leaf.slot, parameter: Int(variant.rawValue))
            let isImplied = leaf.instruction.test == .memberEquals
            return any(ids, facet, implied: isImplied ? [position] : [], statistics)
        case .interval(nil, _, let threshold):
            return one(Facet(.below, slot: leaf.slot), Number.boundary(threshold), cost: CoverCosts.threshold)
        case .interval(_, nil, let threshold):
            return one(Facet(.above, slot: leaf.slot), Number.boundary(threshold), cost: CoverCosts.threshold)
        case .interval: return nil
        case .begins(let prefix, let variant):
            let length = Gram.length(ofPrefix: prefix.count)
            let facet = Facet(.begins, slot: leaf.slot, parameter: Gram.parameter(length: length, variant))
            let key = Gram.key(prefix[..<length])
            let seen = statistics.observedLikelihood(facet, key, in: tenancy)
            return one(facet, key, cost: seen ?? CoverCosts.begins(length: length))
        case .holds(let part, let variant): return holds(part, variant, leaf.slot, statistics)
        case .tokens(let ids, let areAllNeeded):
            let facet = Facet(.token, slot: leaf.slot)
            if !areAllNeeded { return any(ids, facet, implied: [], statistics) }
            let costs = ids.map { CoverCosts.keysPerList * statistics.likelihood(facet, $0, in: tenancy) }
            return rarest(ids, costs, facet)
        case .near(let place, let metres):
            guard let cubes = SphereCubes(around: place, metres: metres) else {
                return present(leaf.slot, implied: [])
            }
            let facets = Facets(first: Facet(.near, slot: leaf.slot, parameter: cubes.level))
            return Cover(
                cost: CoverCosts.near, keys: cubes.all.map { PathKey(facets: facets, keys: $0) }, isRepeated: false)
        }
    }

    private func one(
        _ facet: Facet, _ key: UInt32, cost: Double, isRepeated: Bool = false, implied: [Int] = []
    ) -> Cover {
        Cover(cost: cost, keys: [PathKey(facet, key)], isRepeated: isRepeated, implied: implied)
    }

    /// All events that have the field.
    private func present(_ slot: Int, implied: [Int]) -> Cover {
        one(Facet(.present, slot: slot), 0, cost: CoverCosts.present, implied: implied)
    }

    /// The events that have one of some members or words.
    private func any(
        _ ids: [UInt32], _ facet: Facet, implied: [Int], _ statistics: borrowing some CoverStatistics & ~Copyable
    ) -> Cover {
        let cost = ids.reduce(0) { $0 + CoverCosts.keysPerList * statistics.likelihood(facet, $1, in: tenancy) }
        return Cover(cost: cost, keys: ids.map { PathKey(facet, $0) }, isRepeated: true, implied: implied)
    }

    /// The events that have the rarest of some keys, of which they need all.
    private func rarest(_ keys: [UInt32], _ costs: [Double], _ facet: Facet) -> Cover {
        let rarest = costs.indices.min { costs[$0] < costs[$1] }!
        return one(facet, keys[rarest], cost: costs[rarest], isRepeated: true)
    }

    /// The events whose text has a part of some length of the part that is asked for: the rarest.
    private func holds(
        _ part: [UInt8], _ variant: Variant, _ slot: Int, _ statistics: borrowing some CoverStatistics & ~Copyable
    ) -> Cover {
        let length = Gram.length(ofPart: part.count)
        let facet = Facet(.holds, slot: slot, parameter: Gram.parameter(length: length, variant))
        let grams = (0...part.count - length).prefix(Self.keysMax).map { Gram.key(part[$0..<$0 + length]) }
        let costs = grams.map {
            max(statistics.likelihood(facet, $0, in: tenancy), CoverCosts.holds(length: length))
        }
        return rarest(grams, costs, facet)
    }
}
