/// All buckets, found by shape and keys, with their entries.
struct BucketTable: ~Copyable {
    private var buckets = Arena<Bucket>()
    private var firstFree: UInt32 = 0
    /// Buckets' numbers by the hash of shape and keys, half of it empty; 0 is none.
    private var table = Arena<UInt32>()
    private var mask = 15
    private var entries: BlockArena<Entry>
    /// The buckets of each shape of parts of texts.
    private var grams: [UInt32: [UInt32]] = [:]
    /// The number of buckets.
    private(set) var count = 0

    /// An empty table; number 0 is no bucket.
    init() {
        entries = BlockArena(filler: Self.filler)
        buckets.append(Bucket(shape: 0, keys: (0, 0, 0)))
        _ = table.append(0, times: mask + 1)
    }

    private static let filler = Entry(head: 0, rest: 0, first: 0)

    func write(to writer: inout ImageWriter) {
        buckets.write(to: &writer)
        writer.write(firstFree)
        table.write(to: &writer)
        entries.write(to: &writer)
        writer.write(rows: grams)
        writer.write(count)
    }

    init(from reader: inout ImageReader) throws {
        self.init()
        buckets = try Arena(from: &reader)
        firstFree = try reader.read()
        table = try Arena(from: &reader)
        mask = table.count - 1
        entries = try BlockArena(from: &reader, filler: Self.filler)
        grams = try reader.rows()
        count = try reader.read()
    }

    /// Returns true if there is no bucket.
    var isEmpty: Bool { count == 0 && grams.isEmpty }
    /// Bytes of buckets and entries.
    var bytes: Int { buckets.bytes + table.bytes + entries.bytes }

    // MARK: Asking

    /// The numbers that buckets may have; those whose shape is 0 are free.
    var numbers: Range<Int> { 1..<buckets.count }

    @inline(__always) subscript(number: Int) -> Bucket { buckets.base[number] }

    /// The first entry of a bucket.
    @inline(__always) func entries(of bucket: Bucket) -> UnsafeMutablePointer<Entry> {
        entries.base + Int(bucket.start)
    }

    /// The buckets of a shape of parts of texts.
    func grams(of shape: UInt32) -> [UInt32] { grams[shape] ?? [] }

    /// The bucket of these keys, if there is one.
    @inline(__always) func find(_ shape: UInt32, _ keys: BucketKeys) -> Int? {
        var index = Self.home(shape, keys) & mask
        while true {
            let number = Int(table.base[index])
            if number == 0 { return nil }
            let bucket = buckets.base + number
            if bucket.pointee.shape == shape, bucket.pointee.keys == keys { return number }
            index = (index + 1) & mask
        }
    }

    @inline(__always) private static func home(_ shape: UInt32, _ keys: BucketKeys) -> Int {
        let hash = ByteHash.mixed(
            ByteHash.mixed(UInt64(shape) << 32 | UInt64(keys.0)) ^ (UInt64(keys.1) << 32 | UInt64(keys.2)))
        return Int(truncatingIfNeeded: hash)
    }

    // MARK: Events

    /// Counts an event that looked into a bucket, which may be gone by now.
    @inline(__always) mutating func noteLook(_ number: UInt32) {
        if number < buckets.count { buckets.base[Int(number)].hits &+= 1 }
    }

    /// Halves the counts, so that recent events count more.
    mutating func age() {
        for number in numbers { buckets.base[number].hits >>= 1 }
    }

    // MARK: Buckets

    /// The bucket of these keys, made when there is none.
    /// - Parameter isOfGrams: true for a shape of parts of texts.
    mutating func make(
        _ shape: UInt32, _ keys: BucketKeys, isOfGrams: Bool
    ) -> (number: Int, isNew: Bool) {
        if let known = find(shape, keys) { return (known, false) }
        if count * 2 > mask { growTable() }
        var made = Bucket(shape: shape, keys: keys)
        if isOfGrams { made.place = UInt32(grams[shape]?.count ?? 0) }
        var number = Int(firstFree)
        if number == 0 {
            number = buckets.count
            buckets.append(made)
        } else {
            firstFree = buckets[number].start
            buckets[number] = made
        }
        enter(number)
        count += 1
        if isOfGrams { grams[shape, default: []].append(UInt32(number)) }
        return (number, true)
    }

    /// Removes an empty bucket.
    mutating func remove(_ number: Int, isOfGrams: Bool) {
        let bucket = buckets[number]
        var hole = Self.home(bucket.shape, bucket.keys) & mask
        while table[hole] != UInt32(number) { hole = (hole + 1) & mask }
        closeGap(hole)
        count -= 1
        if isOfGrams { removeGram(bucket) }
        buckets[number] = Bucket(shape: 0, keys: (0, 0, 0), start: firstFree)
        firstFree = UInt32(number)
    }

    private mutating func removeGram(_ bucket: Bucket) {
        guard let last = grams[bucket.shape]?.popLast() else { return }
        let place = Int(bucket.place)
        if place < grams[bucket.shape]!.count {
            grams[bucket.shape]![place] = last
            buckets.base[Int(last)].place = UInt32(place)
        }
        if grams[bucket.shape]!.isEmpty { grams[bucket.shape] = nil }
    }

    /// Writes a bucket down at the first empty place for its hash.
    private func enter(_ number: Int) {
        var index = Self.home(buckets[number].shape, buckets[number].keys) & mask
        while table[index] != 0 { index = (index + 1) & mask }
        table[index] = UInt32(number)
    }

    /// Moves the buckets behind a freed place forward, so that no look-up ends too early.
    private func closeGap(_ freed: Int) {
        var hole = freed
        var index = (hole + 1) & mask
        while table[index] != 0 {
            let other = buckets[Int(table[index])]
            let home = Self.home(other.shape, other.keys) & mask
            if (index - home) & mask >= (index - hole) & mask {
                table[hole] = table[index]
                hole = index
            }
            index = (index + 1) & mask
        }
        table[hole] = 0
    }

    private mutating func growTable() {
        mask = mask * 2 + 1
        table = Arena<UInt32>()
        _ = table.append(0, times: mask + 1)
        for number in numbers where buckets[number].shape != 0 { enter(number) }
    }

    // MARK: Entries

    /// Adds an entry to a bucket.
    mutating func append(_ entry: Entry, to number: Int) {
        let count = Int(buckets[number].count)
        resize(number, from: count, to: count + 1)
        entries(of: buckets[number])[count] = entry
    }

    /// Removes the entry of a subscription from a bucket. Returns the first word of its program.
    mutating func removeEntry(of id: UInt32, from number: Int) -> UInt64 {
        let count = Int(buckets[number].count)
        let row = entries(of: buckets[number])
        var index = 0
        while row[index].id != id { index += 1 }
        let first = row[index].first
        row[index] = row[count - 1]
        resize(number, from: count, to: count - 1)
        return first
    }

    /// Gives a bucket the block of its new size, with its entries.
    private mutating func resize(_ number: Int, from old: Int, to new: Int) {
        buckets.base[number].count = UInt32(new)
        let oldCapacity = old == 0 ? 0 : BlockArena<Entry>.capacity(for: old)
        let newCapacity = new == 0 ? 0 : BlockArena<Entry>.capacity(for: new)
        if oldCapacity == newCapacity { return }
        let start = buckets[number].start
        var moved: UInt32 = 0
        if new > 0 {
            moved = entries.allocate(new)
            let base = entries.base
            (base + Int(moved)).update(from: base + Int(start), count: min(old, new))
        }
        buckets.base[number].start = moved
        if old > 0 { entries.release(start, count: old) }
    }
}
