import CloudModel

extension SubscriptionIndex {
    /// A way to find a subscription: every event that satisfies it looks under one of the keys.
    struct Cover {
        /// How likely an event is to find it, satisfied or not.
        var cost: Double
        var keys: [PathKey]
        /// Whether one event may look under several of the keys.
        var isRepeated: Bool
        /// The tests, by their place in the conjunction, that are satisfied by whoever looks under the keys.
        var implied: [Int] = []
    }

    /// Combinations of facets in one tenancy, each of which costs every event a look.
    private static let combinedShapesMax: UInt32 = 64
    private static let keysMax = 16

    /// The best way to find what satisfies a node; nil when there is none but to try.
    func cover(_ node: PredicateNode, _ partition: UInt32) -> Cover? {
        switch node {
        case .always: return nil
        case .never: return Cover(cost: 0, keys: [], isRepeated: false)
        case .leaf: return cover(all: [node], partition)
        case .all(let parts): return cover(all: parts, partition)
        case .any(let parts):
            var whole = Cover(cost: 0, keys: [], isRepeated: true)
            for part in parts {
                guard let cover = cover(part, partition) else { return nil }
                whole.cost += cover.cost
                whole.keys += cover.keys
            }
            return whole
        }
    }

    private func cover(all parts: [PredicateNode], _ partition: UInt32) -> Cover? {
        var best: Cover?
        func offer(_ cover: Cover?) {
            if let cover, cover.cost < best?.cost ?? .infinity { best = cover }
        }
        offer(equalities(parts, partition))
        offer(intervals(parts, partition))
        for (position, part) in parts.enumerated() {
            switch part {
            case .leaf(let leaf, false): offer(single(leaf, position, partition))
            case .any: offer(cover(part, partition))
            default: break
            }
        }
        return best
    }

    // MARK: Several facets together

    private struct Choice {
        var facet: Facet
        var keys: [UInt32]
        var cost: Double
        var position: Int
    }

    /// Up to three equalities on different fields: an event finds what agrees with it in all of them.
    private func equalities(_ parts: [PredicateNode], _ partition: UInt32) -> Cover? {
        var choices: [Choice] = []
        for (position, part) in parts.enumerated() {
            guard case .leaf(let leaf, false) = part, case .equals(let ids, let variant) = leaf.access else { continue }
            let facet = Facet(.equals, slot: leaf.slot, parameter: Int(variant.rawValue))
            if choices.contains(where: { $0.facet == facet }) { continue }
            let cost = ids.reduce(0) { $0 + likelihood(facet, $1, partition) }
            choices.append(Choice(facet: facet, keys: ids, cost: min(cost, 1), position: position))
        }
        return combined(&choices, limit: 3, isImplied: true, partition)
    }

    /// Up to two closed intervals on different fields, each as the cells it touches: two at most.
    private func intervals(_ parts: [PredicateNode], _ partition: UInt32) -> Cover? {
        var ends: [(slot: Int, low: Int64?, high: Int64?)] = []
        for part in parts {
            guard case .leaf(let leaf, false) = part, case .interval(let low, let high, _) = leaf.access else {
                continue
            }
            let known = ends.firstIndex { $0.slot == leaf.slot }
            let index = known ?? ends.count
            if known == nil { ends.append((leaf.slot, nil, nil)) }
            if let low { ends[index].low = max(low, ends[index].low ?? low) }
            if let high { ends[index].high = min(high, ends[index].high ?? high) }
        }
        var choices: [Choice] = []
        for end in ends {
            guard let low = end.low, let high = end.high else { continue }
            // Nothing lies between them.
            if low > high { return Cover(cost: 0, keys: [], isRepeated: false) }
            var level = 0
            while level < 60, UInt64(bitPattern: (high >> level) &- (low >> level)) > 1 { level += 2 }
            // So wide that a cell tells nothing, and more than two would be touched.
            if level == 60 { continue }
            let ends = (UInt32(truncatingIfNeeded: low >> level), UInt32(truncatingIfNeeded: high >> level))
            let cells = ends.0 == ends.1 ? [ends.0] : [ends.0, ends.1]
            let facet = Facet(.cell, slot: end.slot, parameter: level)
            let seen = cells.compactMap { observedLikelihood(facet, $0, partition) }
            choices.append(
                Choice(
                    facet: facet, keys: cells,
                    cost: seen.isEmpty ? min(0.5, 0.001 * Double(level)) : min(1, seen.reduce(0, +)), position: 0))
        }
        return combined(&choices, limit: 2, isImplied: false, partition)
    }

    private func combined(
        _ choices: inout [Choice], limit: Int, isImplied: Bool, _ partition: UInt32
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
        if chosen.count > 1, !hasRoom(Self.facets(chosen), partition) { chosen = [choices[0]] }
        var keys: [PathKey] = []
        let facets = Self.facets(chosen)
        for first in chosen[0].keys {
            for second in chosen.count > 1 ? chosen[1].keys : [0] {
                for third in chosen.count > 2 ? chosen[2].keys : [0] {
                    keys.append(PathKey(facets: facets, keys: (first, second, third)))
                }
            }
        }
        return Cover(
            cost: chosen.reduce(1) { $0 * $1.cost }, keys: keys, isRepeated: false,
            implied: isImplied ? chosen.map(\.position) : [])
    }

    private static func facets(_ chosen: [Choice]) -> Facets {
        Facets(
            first: chosen[0].facet, second: chosen.count > 1 ? chosen[1].facet : .none,
            third: chosen.count > 2 ? chosen[2].facet : .none)
    }

    private func hasRoom(_ facets: Facets, _ partition: UInt32) -> Bool {
        partitions[Int(partition)].shapeCount < Self.combinedShapesMax
            || shapeIDs[ShapeKey(partition: partition, facets: facets)] != nil
    }

    /// By the fields that have to change, whose slots are held; nil where a change of none of them may do.
    mutating func changedCover(_ subscription: Subscription, _ partition: UInt32) -> Cover? {
        let fields = subscription.condition.changedKeys
        guard !fields.isEmpty, !subscription.comparesRecords else { return nil }
        var whole = Cover(cost: 0, keys: [], isRepeated: true)
        for field in fields {
            guard let slot = takeSlot(of: .field(field)) else {
                for key in whole.keys { releaseSlot(key.facets.first.slot) }
                return nil
            }
            changedNames[Int(slot)] = field
            let facet = Facet(.changed, slot: Int(slot))
            whole.cost += observedLikelihood(facet, 0, partition) ?? 0.25
            whole.keys.append(PathKey(facets: Facets(first: facet), keys: (0, 0, 0)))
        }
        return whole
    }

    // MARK: One facet

    private func single(_ leaf: PredicateLeaf, _ position: Int, _ partition: UInt32) -> Cover? {
        func one(_ facet: Facet, _ key: UInt32, cost: Double, isRepeated: Bool = false, implied: [Int] = []) -> Cover {
            Cover(
                cost: cost, keys: [PathKey(facets: Facets(first: facet), keys: (key, 0, 0))], isRepeated: isRepeated,
                implied: implied)
        }
        switch leaf.access {
        case .equals: return nil
        case .present:
            // A tree may look at other slots, or find an absent field in its own way: it is never implied.
            let isImplied = leaf.instruction.test == .present
            return one(Facet(.present, slot: leaf.slot), 0, cost: 0.9, implied: isImplied ? [position] : [])
        case .member(let ids, let variant):
            let facet = Facet(.member, slot: leaf.slot, parameter: Int(variant.rawValue))
            return Cover(
                cost: ids.reduce(0) { $0 + 4 * likelihood(facet, $1, partition) },
                keys: ids.map { PathKey(facets: Facets(first: facet), keys: ($0, 0, 0)) }, isRepeated: true,
                implied: leaf.instruction.test == .memberEquals ? [position] : [])
        case .interval(nil, _, let threshold):
            return one(Facet(.below, slot: leaf.slot), Number.boundary(threshold), cost: 0.6)
        case .interval(_, nil, let threshold):
            return one(Facet(.above, slot: leaf.slot), Number.boundary(threshold), cost: 0.6)
        case .interval: return nil
        case .begins(let prefix, let variant):
            let length = Self.gramLength(prefix.count, of: Self.prefixLengths)
            let facet = Facet(.begins, slot: leaf.slot, parameter: length << 2 | Int(variant.rawValue))
            let key = Self.key(prefix[..<length])
            return one(facet, key, cost: observedLikelihood(facet, key, partition) ?? (length < 3 ? 0.05 : 0.005))
        case .holds(let part, let variant):
            let length = Self.gramLength(part.count, of: Self.gramLengths)
            let facet = Facet(.holds, slot: leaf.slot, parameter: length << 2 | Int(variant.rawValue))
            let grams = (0...part.count - length).prefix(Self.keysMax).map { Self.key(part[$0..<$0 + length]) }
            let costs = grams.map { max(likelihood(facet, $0, partition), length < 3 ? 0.1 : 0.01) }
            let rarest = costs.indices.min { costs[$0] < costs[$1] }!
            return one(facet, grams[rarest], cost: costs[rarest], isRepeated: true)
        case .tokens(let ids, let areAllNeeded):
            let facet = Facet(.token, slot: leaf.slot)
            let costs = ids.map { 4 * likelihood(facet, $0, partition) }
            if areAllNeeded {
                let rarest = costs.indices.min { costs[$0] < costs[$1] }!
                return one(facet, ids[rarest], cost: costs[rarest], isRepeated: true)
            }
            return Cover(
                cost: costs.reduce(0, +), keys: ids.map { PathKey(facets: Facets(first: facet), keys: ($0, 0, 0)) },
                isRepeated: true)
        case .near(let place, let metres):
            guard let cubes = SphereCubes(around: place, metres: metres) else {
                return one(Facet(.present, slot: leaf.slot), 0, cost: 0.9)
            }
            let facet = Facet(.near, slot: leaf.slot, parameter: cubes.level)
            return Cover(
                cost: 0.02, keys: cubes.all.map { PathKey(facets: Facets(first: facet), keys: $0) }, isRepeated: false)
        }
    }

    /// How likely an event is to have the value: what was seen, or else how many subscriptions think of it.
    private func likelihood(_ facet: Facet, _ key: UInt32, _ partition: UInt32) -> Double {
        if let seen = observedLikelihood(facet, key, partition) { return seen }
        let statistics = partitions[Int(partition)]
        let shape = shapeIDs[ShapeKey(partition: partition, facets: Facets(first: facet))]
        if statistics.events > 256, let shape, let bucket = bucket(shape, (key, 0, 0)) {
            return (Double(buckets[bucket].hits) + 1) / (Double(statistics.events) + 1)
        }
        guard facet.hasNames else { return 0.001 }
        return max(0.0005, Double(names.references(key)) / Double(2 * statistics.subscriptions + 64))
    }

    private static let gramLengths = [8, 6, 4, 3, 2, 1]
    private static let prefixLengths = [32, 24, 16, 12, 8, 6, 4, 3, 2, 1]

    private static func gramLength(_ count: Int, of lengths: [Int]) -> Int { lengths.first { $0 <= count } ?? 1 }

    private static func key(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBufferPointer { gramKey($0) }
    }

    /// The key of a prefix or of a part of a text; texts that share it are told apart by the program.
    @inline(__always) static func gramKey(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        UInt32(truncatingIfNeeded: hashBytes(bytes, seed: 0x51))
    }
}
