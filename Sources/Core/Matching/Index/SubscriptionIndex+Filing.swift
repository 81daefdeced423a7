import CloudModel

extension SubscriptionIndex {
    /// Places of one subscription; what would need more is tried on every change.
    private static let placesMax = 4096

    /// Finds the tenancy, the program and the places of a subscription and writes them down.
    mutating func file(_ subscription: Subscription, _ id: UInt32) {
        let partition = makePartition(subscription)
        var node = node(subscription.watchedPredicate)
        var cover = cover(node, partition)
        let changed = changedCover(subscription, partition)
        if let changed, changed.cost < cover?.cost ?? 1 { cover = changed }
        if let keys = cover?.keys, keys.count > Self.placesMax { cover = nil }
        // Its program is asked about the record before, too, which is not found by the keys.
        if subscription.isDecidedByWalk { cover?.implied = [] }
        var resident = Resident()
        resident.owner = name(OperandName.owner, subscription.key.user.rawValue)
        resident.partition = partition
        // What the keys say already is left out of the program; its numbers go only when buckets hold them.
        var dropped = cover.map { Self.parts($0.implied, of: node) } ?? []
        if let implied = cover?.implied, !implied.isEmpty { node = Self.without(implied, node) }
        let rank = Self.ordered(node)
        var words: [UInt64] = []
        if !node.isNever {
            words = ProgramWriter.program(rank)
            if words.count > Int(UInt16.max) {
                // Its own walk pays for what no program can hold.
                dropped.append(node)
                words = [asTree(subscription.watchedPredicate)]
            }
        }
        if words.count > 1 {
            resident.codeCount = UInt16(words.count - 1)
            resident.code = code.allocate(words.count - 1)
            for index in 1..<words.count { code.base[Int(resident.code) + index - 1] = words[index] }
        }
        if cover == nil {
            cover = Cover(
                cost: 1, keys: [PathKey(facets: Facets(first: Facet(.every)), keys: (0, 0, 0))], isRepeated: false)
        }
        let entry = Entry(head: head(subscription, id, cover!), rest: resident.code, first: words.first ?? 0)
        post(entry, cover!.keys, partition, &resident)
        for part in dropped { release(part) }
        for key in changed?.keys ?? [] { releaseSlot(key.facets.first.slot) }
        partitions.base[Int(partition)].subscriptions += 1
        residents[Int(id)] = resident
    }

    /// Takes a subscription back out of everything.
    mutating func unfile(_ id: UInt32) {
        let resident = residents[Int(id)]
        var first: UInt64 = 0
        for index in 0..<Int(resident.placeCount) {
            let bucket = resident.placeCount == 1 ? resident.place : places.base[Int(resident.place) + index]
            first = removeEntry(id, from: Int(bucket))
        }
        if resident.placeCount > 1 { places.release(resident.place, count: Int(resident.placeCount)) }
        releaseProgram(first, resident)
        names.release(resident.owner)
        if decided.removeValue(forKey: id)?.watchesRecordBefore == true { watchersBefore -= 1 }
        residents[Int(id)] = Resident()
        partitions.base[Int(resident.partition)].subscriptions -= 1
        if partitions[Int(resident.partition)].subscriptions == 0 { removePartition(resident.partition) }
    }

    private mutating func head(_ subscription: Subscription, _ id: UInt32, _ cover: Cover) -> UInt32 {
        var head = id
        if subscription.isDecidedByWalk {
            decided[id] = subscription
            if subscription.watchesRecordBefore { watchersBefore += 1 }
            return head | Entry.decided | Entry.repeated | 7 << Entry.firesOnShift
        }
        if cover.isRepeated { head |= Entry.repeated }
        return head | subscription.condition.firesOn.rawValue << Entry.firesOnShift
    }

    // MARK: Programs

    private mutating func asTree(_ predicate: Predicate) -> UInt64 {
        var instruction = Instruction(.tree, slot: 0, operand: trees.keep(predicate))
        instruction.jump(Instruction.jumpReject, on: false)
        instruction.markLast()
        return instruction.word
    }

    private static func parts(_ positions: [Int], of node: PredicateNode) -> [PredicateNode] {
        guard case .all(let parts) = node else { return positions.isEmpty ? [] : [node] }
        return positions.map { parts[$0] }
    }

    private static func without(_ positions: [Int], _ node: PredicateNode) -> PredicateNode {
        guard case .all(let parts) = node else { return .always }
        return .all(of: parts.indices.filter { !positions.contains($0) }.map { parts[$0] })
    }

    /// Cheap tests first: those of eight bytes, then those with an operand behind them, then texts and trees.
    private static func ordered(_ node: PredicateNode) -> PredicateNode {
        guard case .all(let parts) = node else { return node }
        func rank(_ node: PredicateNode) -> Int {
            guard case .leaf(let leaf, _) = node else { return 4 }
            switch leaf.instruction.test {
            case .tree: return 5
            case .begins, .ends, .contains, .tokensAll, .tokensAny, .like: return 3
            case .equals: return 0
            default: return leaf.instruction.isWide ? 2 : 1
            }
        }
        let ranked = parts.enumerated().map { (rank($0.element), $0.offset) }
        return .all(ranked.sorted { $0 < $1 }.map { parts[$0.1] })
    }

    private mutating func releaseProgram(_ first: UInt64, _ resident: Resident) {
        release(Instruction(word: first))
        var index = Instruction(word: first).isWide ? 1 : 0
        while index < Int(resident.codeCount) {
            let instruction = Instruction(word: code.base[Int(resident.code) + index])
            release(instruction)
            index += instruction.isWide ? 2 : 1
        }
        if resident.codeCount > 0 { code.release(resident.code, count: Int(resident.codeCount)) }
    }

    // MARK: Places

    private mutating func post(_ entry: Entry, _ keys: [PathKey], _ partition: UInt32, _ resident: inout Resident) {
        var filed: [UInt32] = []
        for key in keys {
            let shape = makeShape(key.facets, partition)
            let bucket = UInt32(makeBucket(shape, key.keys))
            // The same place found twice, as by the two sides of an OR.
            if filed.contains(bucket) { continue }
            append(entry, to: Int(bucket))
            filed.append(bucket)
        }
        // A program that nobody can get to has no entry to hold its first word.
        if filed.isEmpty { releaseProgram(entry.first, resident) }
        if filed.isEmpty { (resident.code, resident.codeCount) = (0, 0) }
        resident.placeCount = UInt16(filed.count)
        if filed.count == 1 { resident.place = filed[0] }
        guard filed.count > 1 else { return }
        resident.place = places.allocate(filed.count)
        for (index, bucket) in filed.enumerated() { places.base[Int(resident.place) + index] = bucket }
    }

    private mutating func append(_ entry: Entry, to bucket: Int) {
        let count = Int(buckets[bucket].count)
        resize(bucket, from: count, to: count + 1)
        postings.base[Int(buckets[bucket].start) + count] = entry
    }

    /// Removes the entry of a subscription and answers its first word.
    private mutating func removeEntry(_ id: UInt32, from bucket: Int) -> UInt64 {
        let start = Int(buckets[bucket].start)
        let count = Int(buckets[bucket].count)
        var index = start
        while postings.base[index].head & Entry.idMask != id { index += 1 }
        let first = postings.base[index].first
        postings.base[index] = postings.base[start + count - 1]
        resize(bucket, from: count, to: count - 1)
        if count == 1 { removeBucket(bucket) }
        return first
    }

    /// Gives a bucket the block of its new size, with what it holds.
    private mutating func resize(_ bucket: Int, from old: Int, to new: Int) {
        buckets.base[bucket].count = UInt32(new)
        let oldCapacity = old == 0 ? 0 : BlockArena<Entry>.capacity(for: old)
        let newCapacity = new == 0 ? 0 : BlockArena<Entry>.capacity(for: new)
        if oldCapacity == newCapacity { return }
        let start = buckets[bucket].start
        var moved: UInt32 = 0
        if new > 0 {
            moved = postings.allocate(new)
            let base = postings.base
            (base + Int(moved)).update(from: base + Int(start), count: min(old, new))
        }
        buckets.base[bucket].start = moved
        if old > 0 { postings.release(start, count: old) }
    }

    // MARK: Tenancies

    private mutating func name(_ kind: UInt8, _ text: String) -> UInt32 { names.intern(OperandName.bytes(kind, text)) }

    private mutating func makePartition(_ subscription: Subscription) -> UInt32 {
        let scope = subscription.watchedScope
        let key = PartitionKey(
            database: subscription.key.database.rawValue,
            owner: scope.owner.map { name(OperandName.owner, $0.rawValue) } ?? 0,
            zone: scope.zone.map { name(OperandName.zone, $0.rawValue) } ?? 0,
            type: scope.type.map { name(OperandName.type, $0.rawValue) } ?? 0)
        if let known = partitionIDs[key] {
            releaseNames(of: key)
            return known
        }
        var number = UInt32(partitions.count)
        if let free = freePartitions.popLast() {
            number = free
            partitions[Int(number)] = Partition()
        } else {
            partitions.append(Partition())
        }
        partitionIDs[key] = number
        partitionKeys[number] = key
        return number
    }

    private mutating func removePartition(_ number: UInt32) {
        guard let key = partitionKeys.removeValue(forKey: number) else { return }
        partitionIDs[key] = nil
        releaseNames(of: key)
        freePartitions.append(number)
    }

    private mutating func releaseNames(of key: PartitionKey) {
        names.release(key.owner)
        names.release(key.zone)
        names.release(key.type)
    }
}
