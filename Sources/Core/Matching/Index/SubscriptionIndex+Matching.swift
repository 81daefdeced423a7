import CloudModel

extension SubscriptionIndex {
    /// Puts the IDs of the subscriptions that fire on a change into `found`.
    mutating func match(_ change: Change) {
        found.removeAll()
        eventsSinceAdaptation += 1
        mark &+= 1
        if mark == 0 {
            for id in 0..<marks.count { marks[id] = 0 }
            mark = 1
        }
        guard let record = change.matched else {
            if let zone = change.affectedZone { visitTenancies(zone, nil, change) { $0.visitEvery($1, change) } }
            return
        }
        event.load(record, fields, names)
        let visitor = Visitor(change: change, record: record, kinds: kinds(change), creator: creator(record, change))
        visitTenancies(record.zone, record.type, change) { $0.visit($1, visitor) }
        guard change.after != nil, let before = change.before, watchersBefore > 0 || pending.count > 0 else { return }
        event.load(before, fields, names)
        for index in 0..<pending.count {
            let entry = pending.base[index]
            decide(entry, change, heldBefore: passes(entry, before), holdsAfter: true)
        }
        pending.removeAll()
        guard watchersBefore > 0 else { return }
        let second = Visitor(
            change: change, record: before, isOfBefore: true, kinds: Entry.decided, creator: nil)
        visitTenancies(before.zone, before.type, change) { $0.visit($1, second) }
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

    private mutating func creator(_ record: Record, _ change: Change) -> UInt32? {
        guard change.database == .public, change.reader == .creator else { return nil }
        return nameNumber(OperandName.owner, record.created.user.rawValue)
    }

    // MARK: Tenancies

    private mutating func nameNumber(_ kind: UInt8, _ text: String) -> UInt32 {
        let start = event.bytes.count
        event.bytes.append(kind)
        event.append(text)
        return names.find(UnsafeBufferPointer(start: event.bytes.base + start, count: event.bytes.count - start))
    }

    /// Visits the tenancies that a change may concern: any or its zone, any or its type, of all who own or share it.
    @inline(__always)
    private mutating func visitTenancies(
        _ zone: ZoneID, _ type: RecordType?, _ change: Change, _ visit: (inout SubscriptionIndex, Int) -> Void
    ) {
        let zoneNumber = nameNumber(OperandName.zone, zone.name.rawValue)
        let typeNumber = type.map { nameNumber(OperandName.type, $0.rawValue) } ?? 0
        func visitOwner(_ owner: UInt32, _ index: inout SubscriptionIndex) {
            var key = PartitionKey(database: change.database.rawValue, owner: owner, zone: 0, type: 0)
            for isZoned in [false, true] where !isZoned || zoneNumber != 0 {
                for isTyped in [false, true] where !isTyped || typeNumber != 0 {
                    key.zone = isZoned ? zoneNumber : 0
                    key.type = isTyped ? typeNumber : 0
                    if let partition = index.partitionIDs[key] { visit(&index, Int(partition)) }
                }
            }
        }
        switch change.database {
        case .public: visitOwner(0, &self)
        case .private:
            let owner = nameNumber(OperandName.owner, zone.owner.rawValue)
            if owner != 0 { visitOwner(owner, &self) }
        case .shared:
            for user in change.participants {
                let owner = nameNumber(OperandName.owner, user.rawValue)
                if owner != 0 { visitOwner(owner, &self) }
            }
        }
    }

    /// Changes of zones have no record: only those fire whose predicate is none.
    private mutating func visitEvery(_ partition: Int, _ change: Change) {
        var shape = partitions[partition].shapes
        while shape != 0 {
            if shapes[Int(shape)].facets.0.kind == .every, let bucket = bucket(shape, (0, 0, 0)) {
                for index in 0..<Int(buckets[bucket].count) {
                    let entry = postings.base[Int(buckets[bucket].start) + index]
                    if entry.head & Entry.decided != 0 { decide(entry, change, heldBefore: false, holdsAfter: false) }
                }
            }
            shape = shapes[Int(shape)].next
        }
    }

    /// Decides on what the record that is looked at satisfies.
    private mutating func decide(_ entry: Entry, _ visitor: Visitor) {
        let change = visitor.change
        guard change.before != nil, change.after != nil else {
            return decide(entry, change, heldBefore: change.after == nil, holdsAfter: change.after != nil)
        }
        // What satisfied the record after is marked and does not come here a second time.
        if visitor.isOfBefore { return decide(entry, change, heldBefore: true, holdsAfter: false) }
        if decided[entry.head & Entry.idMask]?.comparesRecords == true {
            pending.append(entry)
        } else {
            decide(entry, change, heldBefore: false, holdsAfter: true)
        }
    }

    private mutating func decide(_ entry: Entry, _ change: Change, heldBefore: Bool, holdsAfter: Bool) {
        let id = entry.head & Entry.idMask
        if decided[id]?.fires(on: change, heldBefore: heldBefore, holdsAfter: holdsAfter) == true { found.append(id) }
    }

    // MARK: Shapes

    private mutating func visit(_ partition: Int, _ visitor: Visitor) {
        partitions.base[partition].events &+= 1
        var shape = partitions[partition].shapes
        while shape != 0 {
            look(shape, visitor)
            shape = shapes[Int(shape)].next
        }
    }

    /// Looks under the keys that the event has for a shape.
    private mutating func look(_ number: UInt32, _ visitor: Visitor) {
        let facets = shapes[Int(number)].facets
        let facet = facets.0
        switch facet.kind {
        case .equals, .cell:
            guard let first = key(facet) else { return }
            guard !facets.1.isNone else { return look(number, (first, 0, 0), visitor) }
            guard let second = key(facets.1) else { return }
            guard !facets.2.isNone else { return look(number, (first, second, 0), visitor) }
            guard let third = key(facets.2) else { return }
            look(number, (first, second, third), visitor)
        case .member:
            guard event.isFilled(facet.slot) else { return }
            let slot = event.slots[facet.slot]
            guard slot.kind == .list else { return }
            for index in 0..<Int(slot.count) {
                let id = event.members[Int(slot.start) + index * Variant.count + facet.parameter]
                if id != 0 { look(number, (id, 0, 0), visitor) }
            }
        case .token:
            guard event.isFilled(facet.slot) else { return }
            let slot = event.slots[facet.slot]
            for index in 0..<Int(slot.tokenCount) {
                look(number, (event.members[Int(slot.tokenStart) + index], 0, 0), visitor)
            }
        case .begins:
            let length = facet.parameter >> 2
            guard let text = event.text(facet.slot, facet.parameter & 3, visitor.record), text.count >= length else {
                return
            }
            look(number, (Self.gramKey(UnsafeBufferPointer(rebasing: text[..<length])), 0, 0), visitor)
        case .holds: lookForGrams(number, facet, visitor)
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
            look(number, keys, visitor)
        case .above, .below: lookAtBoundaries(number, facet, visitor)
        case .changed: if isChanged(facet.slot, visitor.change) { look(number, (0, 0, 0), visitor) }
        case .present: if event.isFilled(facet.slot) { look(number, (0, 0, 0), visitor) }
        case .every: look(number, (0, 0, 0), visitor)
        }
    }

    private func isChanged(_ slot: Int, _ change: Change) -> Bool {
        guard change.kind == .updated, let name = changedNames[slot] else { return true }
        return FieldValue.differ(change.before?.fields[name], change.after?.fields[name])
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
    private mutating func lookForGrams(_ number: UInt32, _ facet: Facet, _ visitor: Visitor) {
        let length = facet.parameter >> 2
        guard let text = event.text(facet.slot, facet.parameter & 3, visitor.record), text.count >= length else {
            return
        }
        hashes.removeAll()
        for start in 0...text.count - length {
            hashes.append(Self.gramKey(UnsafeBufferPointer(rebasing: text[start..<start + length])))
        }
        let isSorted = hashes.count > 24
        if isSorted {
            var all = UnsafeMutableBufferPointer(start: hashes.base, count: hashes.count)
            all.sort()
        }
        for index in 0..<hashes.count {
            let key = hashes[index]
            if isSorted {
                if index > 0, hashes[index - 1] == key { continue }
            } else {
                var isRepeated = false
                for before in 0..<index where hashes[before] == key { isRepeated = true }
                if isRepeated { continue }
            }
            look(number, (key, 0, 0), visitor)
        }
    }

    /// All thresholds on one side of the event's number, its own step included.
    private mutating func lookAtBoundaries(_ number: UInt32, _ facet: Facet, _ visitor: Visitor) {
        guard event.isFilled(facet.slot), let thresholds = boundaries[number] else { return }
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
                look(number, (threshold, 0, 0), visitor)
            }
        } else {
            for threshold in thresholds.reversed() {
                if threshold < own { return }
                look(number, (threshold, 0, 0), visitor)
            }
        }
    }

    // MARK: Entries

    @inline(__always)
    private mutating func look(_ shape: UInt32, _ keys: (UInt32, UInt32, UInt32), _ visitor: Visitor) {
        guard let bucket = bucket(shape, keys) else { return }
        buckets.base[bucket].hits &+= 1
        scan(Int(buckets.base[bucket].start), Int(buckets.base[bucket].count), visitor)
    }

    private mutating func scan(_ start: Int, _ count: Int, _ visitor: Visitor) {
        var index = start
        let end = start + count
        let kinds = visitor.kinds
        while index < end {
            let entry = postings.base[index]
            index += 1
            guard entry.head & kinds != 0, passes(entry, visitor.record) else { continue }
            let id = entry.head & Entry.idMask
            if entry.head & (Entry.repeated | Entry.decided) != 0 || visitor.creator != nil {
                if entry.head & Entry.repeated != 0 {
                    if marks.base[Int(id)] == mark { continue }
                    marks.base[Int(id)] = mark
                }
                if entry.head & Entry.decided != 0 {
                    decide(entry, visitor)
                    continue
                }
                if let creator = visitor.creator, residents.base[Int(id)].owner != creator { continue }
            }
            found.append(id)
        }
    }
}
