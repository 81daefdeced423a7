import CloudModel

extension MatchingSpace {
    /// Puts the IDs of the subscriptions that fire on a change into `found`.
    mutating func match(_ change: Change, _ index: borrowing SubscriptionIndex) {
        found.removeAll()
        if !changed.isEmpty { changed.removeAll(keepingCapacity: true) }
        events += 1
        mark &+= 1
        if mark == 0 {
            for id in 0..<marks.count { marks[id] = 0 }
            mark = 1
        }
        if marks.count < index.residents.count { _ = marks.append(0, times: index.residents.count - marks.count) }
        guard let record = change.matched else {
            if let zone = change.affectedZone {
                findTenancies(zone, nil, change, index)
                for place in 0..<tenancies.count { visitEvery(Int(tenancies[place]), change, index) }
            }
            return
        }
        load(record, index)
        let visitor = Visitor(
            change: change, record: record, kinds: kinds(change), creator: creator(record, change, index))
        visitTenancies(visitor, index)
        guard change.after != nil, let before = change.before, index.watchersBefore > 0 || pending.count > 0 else {
            return
        }
        load(before, index)
        for number in 0..<pending.count {
            let entry = pending.base[number]
            decide(entry, change, heldBefore: passes(entry, before, index), holdsAfter: true, index)
        }
        pending.removeAll()
        guard index.watchersBefore > 0 else { return }
        let second = Visitor(
            change: change, record: before, isOfBefore: true, kinds: Entry.decided, creator: nil)
        visitTenancies(second, index)
    }

    private mutating func visitTenancies(_ visitor: Visitor, _ index: borrowing SubscriptionIndex) {
        findTenancies(visitor.record.zone, visitor.record.type, visitor.change, index)
        for place in 0..<tenancies.count { visit(Int(tenancies[place]), visitor, index) }
    }

    /// What stays the same while a record is matched.
    struct Visitor {
        var change: Change
        var record: Record
        /// Whether that is the one before, when there is one after.
        var isOfBefore = false
        /// The bits of an entry's head of which one has to be set.
        var kinds: UInt32
        /// The user who alone may read the record, as 0 who has no subscription; nil when all may.
        var creator: UInt32?
    }

    /// What nobody may read concerns only those who do not watch records: `fires(on:)` knows.
    private func kinds(_ change: Change) -> UInt32 {
        if change.database == .public, change.reader == nil { return Entry.decided }
        return change.kind.firingEvent.rawValue << Entry.firesOnShift
    }

    private mutating func creator(
        _ record: Record, _ change: Change, _ index: borrowing SubscriptionIndex
    ) -> UInt32? {
        guard change.database == .public, change.reader == .creator else { return nil }
        return nameNumber(OperandName.owner, record.created.user.rawValue, index)
    }

    // MARK: Tenancies

    private mutating func nameNumber(_ kind: UInt8, _ text: String, _ index: borrowing SubscriptionIndex) -> UInt32 {
        let start = event.bytes.count
        event.bytes.append(kind)
        event.append(text)
        return index.names.find(event.bytes.from(start))
    }

    /// The tenancies that a change may concern: any or its zone, any or its type, of all who own or share it.
    private mutating func findTenancies(
        _ zone: ZoneID, _ type: RecordType?, _ change: Change, _ index: borrowing SubscriptionIndex
    ) {
        tenancies.removeAll()
        let zoneNumber = nameNumber(OperandName.zone, zone.name.rawValue, index)
        let typeNumber = type.map { nameNumber(OperandName.type, $0.rawValue, index) } ?? 0
        var key = PartitionKey(database: change.database.rawValue, owner: 0, zone: zoneNumber, type: typeNumber)
        switch change.database {
        case .public: addTenancies(key, index)
        case .private:
            key.owner = nameNumber(OperandName.owner, zone.owner.rawValue, index)
            if key.owner != 0 { addTenancies(key, index) }
        case .shared:
            for user in change.participants {
                key.owner = nameNumber(OperandName.owner, user.rawValue, index)
                if key.owner != 0 { addTenancies(key, index) }
            }
        }
    }

    /// Adds those of an owner: any zone or that one, any type or that one.
    private mutating func addTenancies(_ whole: PartitionKey, _ index: borrowing SubscriptionIndex) {
        for part in 0..<4 where (part & 2 == 0 || whole.zone != 0) && (part & 1 == 0 || whole.type != 0) {
            var key = whole
            if part & 2 == 0 { key.zone = 0 }
            if part & 1 == 0 { key.type = 0 }
            if let partition = index.partitionIDs[key] { tenancies.append(partition) }
        }
    }

    /// Changes of zones have no record: only those fire whose predicate is none.
    private mutating func visitEvery(_ partition: Int, _ change: Change, _ index: borrowing SubscriptionIndex) {
        for shape in index.shapesOfAll(partition) {
            guard index.shapes[Int(shape)].facets.0.kind == .every, let bucket = index.bucket(shape, (0, 0, 0)) else {
                continue
            }
            for number in 0..<Int(index.buckets[bucket].count) {
                let entry = index.postings.base[Int(index.buckets[bucket].start) + number]
                if entry.head & Entry.decided != 0 {
                    decide(entry, change, heldBefore: false, holdsAfter: false, index)
                }
            }
        }
    }

    /// Decides on what the record that is looked at satisfies.
    private mutating func decide(_ entry: Entry, _ visitor: Visitor, _ index: borrowing SubscriptionIndex) {
        let change = visitor.change
        guard change.before != nil, change.after != nil else {
            return decide(
                entry, change, heldBefore: change.after == nil, holdsAfter: change.after != nil, index)
        }
        // What satisfied the record after is marked and does not come here a second time.
        if visitor.isOfBefore { return decide(entry, change, heldBefore: true, holdsAfter: false, index) }
        if index.decided[entry.head & Entry.idMask]?.comparesRecords == true {
            pending.append(entry)
        } else {
            decide(entry, change, heldBefore: false, holdsAfter: true, index)
        }
    }

    private mutating func decide(
        _ entry: Entry, _ change: Change, heldBefore: Bool, holdsAfter: Bool, _ index: borrowing SubscriptionIndex
    ) {
        let id = entry.head & Entry.idMask
        guard let subscription = index.decided[id] else { return }
        let fires = subscription.fires(
            on: change, heldBefore: heldBefore, holdsAfter: holdsAfter, isChanged: { isChanged($0, change) })
        if fires { found.append(id) }
    }

    /// Whether an update changed a field, which is found out once a change.
    private mutating func isChanged(_ field: FieldName, _ change: Change) -> Bool {
        if let known = changed[field] { return known }
        let isChanged = FieldValue.differ(change.before?.fields[field], change.after?.fields[field])
        changed[field] = isChanged
        return isChanged
    }

    // MARK: Shapes

    private mutating func visit(_ partition: Int, _ visitor: Visitor, _ index: borrowing SubscriptionIndex) {
        visits.append(UInt32(partition))
        guard index.partitions[partition].shapeCount > SubscriptionIndex.shapesWalkedMax else {
            var shape = index.partitions[partition].shapes
            while shape != 0 {
                look(shape, visitor, index)
                shape = index.shapes[Int(shape)].next
            }
            return
        }
        // Only those that look at what the event has, however many there are.
        for shape in index.shapesOfAll(partition) { look(shape, visitor, index) }
        for number in 0..<event.filled.count {
            for shape in index.shapes(partition, slot: Int(event.filled[number])) { look(shape, visitor, index) }
        }
    }

    /// Looks under the keys that the event has for a shape.
    private mutating func look(_ number: UInt32, _ visitor: Visitor, _ index: borrowing SubscriptionIndex) {
        let facets = index.shapes[Int(number)].facets
        let facet = facets.0
        switch facet.kind {
        case .equals, .cell:
            guard let first = key(facet) else { return }
            guard !facets.1.isNone else { return look(number, (first, 0, 0), visitor, index) }
            guard let second = key(facets.1) else { return }
            guard !facets.2.isNone else { return look(number, (first, second, 0), visitor, index) }
            guard let third = key(facets.2) else { return }
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
            let length = facet.parameter >> 2
            guard let text = event.text(facet.slot, facet.parameter & 3, visitor.record), text.count >= length else {
                return
            }
            let key = SubscriptionIndex.gramKey(UnsafeBufferPointer(rebasing: text[..<length]))
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
        case .above, .below: lookAtBoundaries(number, facet, visitor, index)
        case .changed: if isChanged(facet.slot, visitor.change, index) { look(number, (0, 0, 0), visitor, index) }
        case .present: if event.isFilled(facet.slot) { look(number, (0, 0, 0), visitor, index) }
        case .every: look(number, (0, 0, 0), visitor, index)
        }
    }

    private mutating func isChanged(_ slot: Int, _ change: Change, _ index: borrowing SubscriptionIndex) -> Bool {
        guard change.kind == .updated, let name = index.changedNames[slot] else { return true }
        return isChanged(name, change)
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
        let length = facet.parameter >> 2
        guard let text = event.text(facet.slot, facet.parameter & 3, visitor.record), text.count >= length else {
            return
        }
        // What few subscriptions look for is looked up in the text, rather than a long text in what they look for.
        if text.count - length > 4 * Int(index.shapes[Int(number)].buckets) {
            let parts = searches.parts(facet.word, of: text, length: length)
            for bucket in index.gramBuckets[number] ?? []
            where searches.has(index.buckets.base[Int(bucket)].keys.0, parts) {
                looks.append(bucket)
                scan(Int(bucket), visitor, index)
            }
            return
        }
        hashes.removeAll()
        for start in 0...text.count - length {
            hashes.append(SubscriptionIndex.gramKey(UnsafeBufferPointer(rebasing: text[start..<start + length])))
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
    private mutating func lookAtBoundaries(
        _ number: UInt32, _ facet: Facet, _ visitor: Visitor, _ index: borrowing SubscriptionIndex
    ) {
        guard event.isFilled(facet.slot), let thresholds = index.boundaries[number] else { return }
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

    // MARK: Entries

    @inline(__always)
    private mutating func look(
        _ shape: UInt32, _ keys: (UInt32, UInt32, UInt32), _ visitor: Visitor, _ index: borrowing SubscriptionIndex
    ) {
        guard let bucket = index.bucket(shape, keys) else { return }
        looks.append(UInt32(bucket))
        scan(bucket, visitor, index)
    }

    private mutating func scan(_ bucket: Int, _ visitor: Visitor, _ index: borrowing SubscriptionIndex) {
        var place = Int(index.buckets.base[bucket].start)
        let end = place + Int(index.buckets.base[bucket].count)
        let kinds = visitor.kinds
        while place < end {
            let entry = index.postings.base[place]
            place += 1
            guard entry.head & kinds != 0, passes(entry, visitor.record, index) else { continue }
            let id = entry.head & Entry.idMask
            if entry.head & (Entry.repeated | Entry.decided) != 0 || visitor.creator != nil {
                if entry.head & Entry.repeated != 0 {
                    if marks.base[Int(id)] == mark { continue }
                    marks.base[Int(id)] = mark
                }
                if entry.head & Entry.decided != 0 {
                    decide(entry, visitor, index)
                    continue
                }
                if let creator = visitor.creator, index.residents.base[Int(id)].owner != creator { continue }
            }
            found.append(id)
        }
    }
}
