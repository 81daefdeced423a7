import CloudModel

/// Keys under which an event looks.
extension MatchingSpace {
    /// Looks into the shapes of a tenancy.
    mutating func visit(_ tenancy: UInt32, _ visitor: Visitor, _ index: borrowing SubscriptionIndex) {
        sightings.addVisit(tenancy)
        let chain = index.shapes.chain(of: tenancy)
        guard index.shapes.isAskedByFields(chain) else {
            var shape = chain.first
            while shape != 0 {
                look(shape, visitor, index)
                shape = index.shapes[shape].next
            }
            return
        }
        // Only those that look at what the event has, however many there are.
        for shape in index.shapes.shapesOfAll(tenancy) { look(shape, visitor, index) }
        for number in 0..<event.filled.count {
            for shape in index.shapes.shapes(tenancy, slot: event.filled[number]) { look(shape, visitor, index) }
        }
    }

    /// Looks under the keys that the event has for a shape.
    private mutating func look(_ number: UInt32, _ visitor: Visitor, _ index: borrowing SubscriptionIndex) {
        let facets = index.shapes[number].facets
        let facet = facets.first
        switch facet.kind {
        case .equals, .cell:
            guard let first = key(facet) else { return }
            guard !facets.second.isNone else { return look(number, (first, 0, 0), visitor, index) }
            guard let second = key(facets.second) else { return }
            guard !facets.third.isNone else { return look(number, (first, second, 0), visitor, index) }
            guard let third = key(facets.third) else { return }
            look(number, (first, second, third), visitor, index)
        case .member:
            guard event.isFilled(facet.slot), event.slots[facet.slot].kind == .list else { return }
            let run = event.runs[facet.slot * Variant.count + facet.parameter]
            for place in run.start..<run.start + run.count {
                look(number, (event.members[place], 0, 0), visitor, index)
            }
        case .token:
            guard event.isFilled(facet.slot) else { return }
            let run = event.slots[facet.slot].tokens
            for place in run.start..<run.start + run.count {
                look(number, (event.members[place], 0, 0), visitor, index)
            }
        case .begins:
            let length = Gram.length(of: facet)
            guard let text = event.text(facet.slot, Gram.variant(of: facet), visitor.record), text.count >= length
            else { return }
            let key = Gram.key(UnsafeBufferPointer(rebasing: text[..<length]))
            look(number, (key, 0, 0), visitor, index)
        case .holds: lookForGrams(number, facet, visitor, index)
        case .near:
            guard event.isFilled(facet.slot) else { return }
            let slot = event.slots[facet.slot]
            guard slot.kind == .place,
                let point = SphereCubes.point(Double(bitPattern: slot.bits), Double(bitPattern: slot.more))
            else { return }
            let level = facet.parameter
            let keys = (
                SphereCubes.cell(point.x, level), SphereCubes.cell(point.y, level), SphereCubes.cell(point.z, level)
            )
            look(number, keys, visitor, index)
        case .above, .below: lookAtThresholds(number, facet, visitor, index)
        case .changed: if isChanged(facet.slot, visitor.change, index) { look(number, (0, 0, 0), visitor, index) }
        case .present: if event.isFilled(facet.slot) { look(number, (0, 0, 0), visitor, index) }
        case .every: look(number, (0, 0, 0), visitor, index)
        }
    }

    private mutating func isChanged(_ slot: Int, _ change: Change, _ index: borrowing SubscriptionIndex) -> Bool {
        guard change.kind == .updated, let name = index.vocabulary.slots.changedName(slot) else { return true }
        return changed.has(name, change)
    }

    /// The event's key for one facet of those that go together.
    @inline(__always) private func key(_ facet: Facet) -> UInt32? {
        let slot = facet.slot
        guard event.isFilled(slot) else { return nil }
        if facet.kind == .equals {
            let id = event.ids.base[slot * Variant.count + facet.parameter]
            return id == 0 ? nil : id
        }
        let filled = event.slots.base[slot]
        switch filled.kind {
        case .integer:
            return UInt32(truncatingIfNeeded: Number.ordinal(Int64(bitPattern: filled.bits)) >> facet.parameter)
        case .double:
            let number = Double(bitPattern: filled.bits)
            return number.isNaN ? nil : UInt32(truncatingIfNeeded: Number.ordinal(number) >> facet.parameter)
        default: return nil
        }
    }

    /// All parts of so many bytes of a text, each once.
    private mutating func lookForGrams(
        _ number: UInt32, _ facet: Facet, _ visitor: Visitor, _ index: borrowing SubscriptionIndex
    ) {
        let length = Gram.length(of: facet)
        guard let text = event.text(facet.slot, Gram.variant(of: facet), visitor.record), text.count >= length
        else { return }
        // What few subscriptions look for is looked up in the text, rather than a long text in what they look for.
        if text.count - length > 4 * Int(index.shapes[number].buckets) {
            let parts = searches.parts(facet.word, of: text, length: length)
            for bucket in index.buckets.grams(of: number)
            where searches.has(index.buckets[Int(bucket)].keys.0, parts) {
                sightings.addLook(bucket)
                scan(Int(bucket), visitor, index)
            }
            return
        }
        hashes.removeAll()
        for start in 0...text.count - length {
            hashes.append(Gram.key(UnsafeBufferPointer(rebasing: text[start..<start + length])))
        }
        let isSorted = hashes.count > 24
        if isSorted {
            var all = UnsafeMutableBufferPointer(start: hashes.base, count: hashes.count)
            all.sort()
        }
        for place in 0..<hashes.count {
            let key = hashes[place]
            if isSorted {
                if place > 0, hashes[place - 1] == key { continue }
            } else {
                var isRepeated = false
                for before in 0..<place where hashes[before] == key { isRepeated = true }
                if isRepeated { continue }
            }
            look(number, (key, 0, 0), visitor, index)
        }
    }

    /// All thresholds on one side of the event's number, its own step included.
    private mutating func lookAtThresholds(
        _ number: UInt32, _ facet: Facet, _ visitor: Visitor, _ index: borrowing SubscriptionIndex
    ) {
        guard event.isFilled(facet.slot), let thresholds = index.shapes.thresholds(of: number) else { return }
        let slot = event.slots[facet.slot]
        var value: Double
        switch slot.kind {
        case .integer: value = Double(Int64(bitPattern: slot.bits))
        case .double: value = Double(bitPattern: slot.bits)
        default: return
        }
        if value.isNaN { return }
        if value == 0 { value = 0 }
        let own = Number.boundary(value)
        if facet.kind == .above {
            for threshold in thresholds {
                if threshold > own { return }
                look(number, (threshold, 0, 0), visitor, index)
            }
        } else {
            for threshold in thresholds.reversed() {
                if threshold < own { return }
                look(number, (threshold, 0, 0), visitor, index)
            }
        }
    }

    /// Looks under one key.
    @inline(__always)
    private mutating func look(
        _ shape: UInt32, _ keys: BucketKeys, _ visitor: Visitor, _ index: borrowing SubscriptionIndex
    ) {
        guard let bucket = index.buckets.find(shape, keys) else { return }
        sightings.addLook(UInt32(bucket))
        scan(bucket, visitor, index)
    }
}
