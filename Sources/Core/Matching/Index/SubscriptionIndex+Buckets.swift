extension SubscriptionIndex {
    @inline(__always)
    private static func home(_ shape: UInt32, _ keys: (UInt32, UInt32, UInt32)) -> Int {
        let hash = mixed(mixed(UInt64(shape) << 32 | UInt64(keys.0)) ^ (UInt64(keys.1) << 32 | UInt64(keys.2)))
        return Int(truncatingIfNeeded: hash)
    }

    /// The bucket of these keys, if there is one.
    @inline(__always) func bucket(_ shape: UInt32, _ keys: (UInt32, UInt32, UInt32)) -> Int? {
        var index = Self.home(shape, keys) & bucketMask
        while true {
            let number = Int(bucketTable.base[index])
            if number == 0 { return nil }
            let bucket = buckets.base + number
            if bucket.pointee.shape == shape, bucket.pointee.keys == keys { return number }
            index = (index + 1) & bucketMask
        }
    }

    /// The bucket of these keys, made when there is none.
    mutating func makeBucket(_ shape: UInt32, _ keys: (UInt32, UInt32, UInt32)) -> Int {
        if let bucket = bucket(shape, keys) { return bucket }
        if bucketCount * 2 > bucketMask { growBucketTable() }
        let made = Bucket(shape: shape, keys: keys, start: 0, count: 0, hits: 0)
        var number = Int(freeBucket)
        if number == 0 {
            number = buckets.count
            buckets.append(made)
        } else {
            freeBucket = buckets[number].start
            buckets[number] = made
        }
        var index = Self.home(shape, keys) & bucketMask
        while bucketTable[index] != 0 { index = (index + 1) & bucketMask }
        bucketTable[index] = UInt32(number)
        bucketCount += 1
        let facets = shapes[Int(shape)].facets
        if facets.0.hasNames { names.retain(keys.0) }
        if facets.1.hasNames { names.retain(keys.1) }
        if facets.2.hasNames { names.retain(keys.2) }
        shapes.base[Int(shape)].buckets += 1
        if facets.0.kind == .holds {
            buckets.base[number].place = UInt32(gramBuckets[shape]?.count ?? 0)
            gramBuckets[shape, default: []].append(UInt32(number))
        }
        noteBoundary(facets.0, shape, keys.0, isAdded: true)
        return number
    }

    /// Removes an empty bucket, and its shape with the last.
    mutating func removeBucket(_ number: Int) {
        let bucket = buckets[number]
        let shape = bucket.shape
        var hole = Self.home(shape, bucket.keys) & bucketMask
        while bucketTable[hole] != UInt32(number) { hole = (hole + 1) & bucketMask }
        var index = (hole + 1) & bucketMask
        while bucketTable[index] != 0 {
            let other = buckets[Int(bucketTable[index])]
            let home = Self.home(other.shape, other.keys) & bucketMask
            if (index - home) & bucketMask >= (index - hole) & bucketMask {
                bucketTable[hole] = bucketTable[index]
                hole = index
            }
            index = (index + 1) & bucketMask
        }
        bucketTable[hole] = 0
        bucketCount -= 1
        let facets = shapes[Int(shape)].facets
        if facets.0.kind == .holds { removeGramBucket(bucket, shape) }
        if facets.0.hasNames { names.release(bucket.keys.0) }
        if facets.1.hasNames { names.release(bucket.keys.1) }
        if facets.2.hasNames { names.release(bucket.keys.2) }
        noteBoundary(facets.0, shape, bucket.keys.0, isAdded: false)
        buckets[number] = Bucket(shape: 0, keys: (0, 0, 0), start: freeBucket, count: 0, hits: 0)
        freeBucket = UInt32(number)
        shapes.base[Int(shape)].buckets -= 1
        if shapes[Int(shape)].buckets == 0 { removeShape(shape) }
    }

    private mutating func removeGramBucket(_ bucket: Bucket, _ shape: UInt32) {
        guard let last = gramBuckets[shape]?.popLast() else { return }
        let place = Int(bucket.place)
        if place < gramBuckets[shape]!.count {
            gramBuckets[shape]![place] = last
            buckets.base[Int(last)].place = UInt32(place)
        }
        if gramBuckets[shape]!.isEmpty { gramBuckets[shape] = nil }
    }

    private mutating func growBucketTable() {
        bucketMask = bucketMask * 2 + 1
        bucketTable = Arena<UInt32>()
        _ = bucketTable.append(0, times: bucketMask + 1)
        for number in 1..<buckets.count where buckets[number].shape != 0 {
            var index = Self.home(buckets[number].shape, buckets[number].keys) & bucketMask
            while bucketTable[index] != 0 { index = (index + 1) & bucketMask }
            bucketTable[index] = UInt32(number)
        }
    }

    /// Thresholds are walked in their order, so they are kept in one.
    private mutating func noteBoundary(_ facet: Facet, _ shape: UInt32, _ threshold: UInt32, isAdded: Bool) {
        guard facet.kind == .above || facet.kind == .below else { return }
        var low = 0
        var high = boundaries[shape]?.count ?? 0
        while low < high {
            let middle = (low + high) / 2
            if boundaries[shape]![middle] < threshold { low = middle + 1 } else { high = middle }
        }
        if isAdded {
            boundaries[shape, default: []].insert(threshold, at: low)
        } else {
            boundaries[shape]?.remove(at: low)
        }
    }

    // MARK: Shapes

    /// A tenancy with more shapes than that is asked by the event's fields, instead of shape by shape.
    static let shapesWalkedMax: UInt32 = 128

    /// The shapes of a tenancy that every event looks into, whatever fields it has.
    func shapesOfAll(_ partition: Int) -> [UInt32] {
        shapesBySlot[SlotKey(partition: UInt32(partition), slot: SlotKey.ofAll)] ?? []
    }

    /// The shapes of a tenancy that look at a slot first.
    func shapes(_ partition: Int, slot: Int) -> [UInt32] {
        shapesBySlot[SlotKey(partition: UInt32(partition), slot: UInt32(slot))] ?? []
    }

    mutating func makeShape(_ facets: Facets, _ partition: UInt32) -> UInt32 {
        let key = ShapeKey(partition: partition, facets: facets)
        if let shape = shapeIDs[key] { return shape }
        let made = Shape(
            partition: partition, facets: (facets.first, facets.second, facets.third),
            next: partitions[Int(partition)].shapes, buckets: 0)
        var number = UInt32(shapes.count)
        if let free = freeShapes.popLast() {
            number = free
            shapes[Int(number)] = made
        } else {
            shapes.append(made)
        }
        shapeIDs[key] = number
        let next = partitions[Int(partition)].shapes
        if next != 0 { shapes.base[Int(next)].previous = number }
        shapesBySlot[SlotKey(partition: partition, facet: facets.first), default: []].append(number)
        for facet in [facets.first, facets.second, facets.third] { retainSlot(facet.slot) }
        partitions.base[Int(partition)].shapes = number
        partitions.base[Int(partition)].shapeCount += 1
        return number
    }

    private mutating func removeShape(_ number: UInt32) {
        let shape = shapes[Int(number)]
        let partition = partitions.base + Int(shape.partition)
        if partition.pointee.shapes == number {
            partition.pointee.shapes = shape.next
        } else {
            shapes.base[Int(shape.previous)].next = shape.next
        }
        if shape.next != 0 { shapes.base[Int(shape.next)].previous = shape.previous }
        partition.pointee.shapeCount -= 1
        let facets = Facets(first: shape.facets.0, second: shape.facets.1, third: shape.facets.2)
        shapeIDs[ShapeKey(partition: shape.partition, facets: facets)] = nil
        boundaries[number] = nil
        let slot = SlotKey(partition: shape.partition, facet: facets.first)
        if let place = shapesBySlot[slot]?.firstIndex(of: number) { shapesBySlot[slot]!.remove(at: place) }
        if shapesBySlot[slot]?.isEmpty == true { shapesBySlot[slot] = nil }
        for facet in [facets.first, facets.second, facets.third] { releaseSlot(facet.slot) }
        freeShapes.append(number)
    }
}
