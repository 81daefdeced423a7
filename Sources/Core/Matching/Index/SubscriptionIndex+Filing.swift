import CloudModel

/// Operands have numbers, counted by use: buckets hold those of their keys, programs those of their instructions. A
/// number is released after the bucket has taken it. `isVacant` says whether all were released.
extension SubscriptionIndex {
    /// Places of one subscription; one that needs more is tried on every change.
    private static let placesMax = 4096

    /// Finds the tenancy, the program and the places of a subscription and writes them down.
    mutating func file(_ subscription: Subscription, _ id: UInt32) {
        let tenancy = makeTenancy(subscription)
        let node = vocabulary.node(subscription.watchedPredicate)
        let changedSlots = takeChangedSlots(subscription)
        var cover = cover(node, changedSlots, in: tenancy)
        // Its program is asked about the record before, too, which is not found by the keys.
        if subscription.isDecidedByWalk { cover.implied = [] }
        // What the keys say already is left out of the program; its numbers go only when buckets hold them.
        var dropped = node.parts(cover.implied)
        var words = ProgramWriter.program(of: node.without(cover.implied))
        if words.count > Int(UInt16.max) {
            // Its own walk pays for what no program can hold.
            dropped.append(node.without(cover.implied))
            words = [asTree(subscription.watchedPredicate)]
        }
        var filed = FiledSubscription()
        filed.owner = vocabulary.takeOperand(OperandName.owner, subscription.key.user.rawValue)
        filed.tenancy = tenancy
        filed.code = programs.keep(words.dropFirst())
        filed.codeCount = UInt16(words.dropFirst().count)
        let head = Self.head(subscription, id, isRepeated: cover.isRepeated)
        post(Entry(head: head, rest: filed.code, first: words.first ?? 0), cover.keys, &filed)
        for part in dropped { vocabulary.release(part) }
        for slot in changedSlots ?? [] { vocabulary.releaseSlot(Int(slot)) }
        tenancies.addSubscription(to: tenancy)
        subscriptions.add(filed, id)
        if subscription.isDecidedByWalk { subscriptions.addDecided(subscription, id) }
    }

    /// Takes a subscription back out of everything.
    mutating func unfile(_ id: UInt32) {
        let filed = subscriptions[id]
        var first: UInt64 = 0
        for index in 0..<Int(filed.placeCount) {
            let bucket = subscriptions.bucket(index, of: filed)
            first = buckets.removeEntry(of: id, from: bucket)
            if buckets[bucket].count == 0 { removeBucket(bucket) }
        }
        subscriptions.remove(id)
        releaseProgram(first, filed)
        vocabulary.releaseOperand(filed.owner)
        if let key = tenancies.removeSubscription(from: filed.tenancy) { releaseOperands(of: key) }
    }

    /// The cheapest way to find a subscription: by its predicate, by the fields that have to change, or among all.
    private func cover(_ node: PredicateNode, _ changedSlots: [UInt16]?, in tenancy: UInt32) -> Cover {
        let planner = CoverPlanner(tenancy: tenancy)
        var cover = planner.cover(node, self)
        if let changedSlots {
            let changed = planner.cover(changed: changedSlots, self)
            if changed.cost < cover?.cost ?? 1 { cover = changed }
        }
        guard let cover, cover.keys.count <= Self.placesMax else { return .everything }
        return cover
    }

    /// The slots of the fields that have to change, held until they are released; nil where a change of none may do.
    private mutating func takeChangedSlots(_ subscription: Subscription) -> [UInt16]? {
        let fields = subscription.condition.changedKeys
        guard !fields.isEmpty, !subscription.comparesRecords else { return nil }
        var slots: [UInt16] = []
        for field in fields {
            guard let slot = vocabulary.takeSlot(of: .field(field)) else {
                for slot in slots { vocabulary.releaseSlot(Int(slot)) }
                return nil
            }
            vocabulary.noteChange(of: field, at: slot)
            slots.append(slot)
        }
        return slots
    }

    private static func head(_ subscription: Subscription, _ id: UInt32, isRepeated: Bool) -> UInt32 {
        if subscription.isDecidedByWalk { return id | Entry.decided | Entry.repeated | 7 << Entry.firesOnShift }
        return (isRepeated ? id | Entry.repeated : id)
            | subscription.condition.firesOn.rawValue << Entry.firesOnShift
    }

    // MARK: Programs

    /// The program that asks the plain walk for a predicate.
    private mutating func asTree(_ predicate: Predicate) -> UInt64 {
        var instruction = Instruction(.tree, slot: 0, operand: vocabulary.keep(predicate))
        instruction.jump(Instruction.jumpReject, on: false)
        instruction.markLast()
        return instruction.word
    }

    private mutating func releaseProgram(_ first: UInt64, _ filed: FiledSubscription) {
        let count = Int(filed.codeCount)
        vocabulary.release(Instruction(word: first))
        var index = Instruction(word: first).isWide ? 1 : 0
        while index < count {
            let instruction = Instruction(word: programs.rest(filed.code)[index])
            vocabulary.release(instruction)
            index += instruction.isWide ? 2 : 1
        }
        programs.release(filed.code, count: count)
    }

    // MARK: Places

    /// Adds an entry at all its keys.
    private mutating func post(_ entry: Entry, _ keys: [PathKey], _ filed: inout FiledSubscription) {
        var places: [UInt32] = []
        for key in keys {
            let bucket = makeBucket(key, in: filed.tenancy)
            // The same place found twice, as by the two sides of an OR.
            if places.contains(UInt32(bucket)) { continue }
            buckets.append(entry, to: bucket)
            places.append(UInt32(bucket))
        }
        // A program that nobody can get to has no entry to hold its first word.
        if places.isEmpty {
            releaseProgram(entry.first, filed)
            (filed.code, filed.codeCount) = (0, 0)
        }
        subscriptions.setBuckets(places, of: &filed)
    }

    /// The bucket of a key, made when there is none: a new shape holds its slots, a new bucket its operands.
    private mutating func makeBucket(_ key: PathKey, in tenancy: UInt32) -> Int {
        let facets = key.facets
        let shape = shapes.make(facets, in: tenancy)
        if shape.isNew {
            vocabulary.retainSlot(facets.first.slot)
            vocabulary.retainSlot(facets.second.slot)
            vocabulary.retainSlot(facets.third.slot)
        }
        let bucket = buckets.make(shape.number, key.keys, isOfGrams: facets.first.kind == .holds)
        if bucket.isNew {
            shapes.addBucket(key.keys.0, to: shape.number)
            if facets.first.hasOperands { vocabulary.retainOperand(key.keys.0) }
            if facets.second.hasOperands { vocabulary.retainOperand(key.keys.1) }
            if facets.third.hasOperands { vocabulary.retainOperand(key.keys.2) }
        }
        return bucket.number
    }

    /// Removes an empty bucket, and its shape with the last.
    private mutating func removeBucket(_ number: Int) {
        let bucket = buckets[number]
        let facets = shapes[bucket.shape].facets
        buckets.remove(number, isOfGrams: facets.first.kind == .holds)
        if facets.first.hasOperands { vocabulary.releaseOperand(bucket.keys.0) }
        if facets.second.hasOperands { vocabulary.releaseOperand(bucket.keys.1) }
        if facets.third.hasOperands { vocabulary.releaseOperand(bucket.keys.2) }
        guard shapes.removeBucket(bucket.keys.0, from: bucket.shape) else { return }
        vocabulary.releaseSlot(facets.first.slot)
        vocabulary.releaseSlot(facets.second.slot)
        vocabulary.releaseSlot(facets.third.slot)
    }

    // MARK: Tenancies

    private mutating func makeTenancy(_ subscription: Subscription) -> UInt32 {
        let scope = subscription.watchedScope
        let key = TenancyKey(
            database: subscription.key.database.rawValue,
            owner: scope.owner.map { vocabulary.takeOperand(OperandName.owner, $0.rawValue) } ?? 0,
            zone: scope.zone.map { vocabulary.takeOperand(OperandName.zone, $0.rawValue) } ?? 0,
            type: scope.type.map { vocabulary.takeOperand(OperandName.type, $0.rawValue) } ?? 0)
        let tenancy = tenancies.make(key)
        if !tenancy.isNew { releaseOperands(of: key) }
        return tenancy.number
    }

    private mutating func releaseOperands(of key: TenancyKey) {
        vocabulary.releaseOperand(key.owner)
        vocabulary.releaseOperand(key.zone)
        vocabulary.releaseOperand(key.type)
    }
}
