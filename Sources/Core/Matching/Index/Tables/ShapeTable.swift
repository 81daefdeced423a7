/// The shapes of all tenancies.
struct ShapeTable: ~Copyable {
    /// The shapes of one tenancy, one after the other.
    struct Chain: BitwiseCopyable {
        /// 0 for none.
        var first: UInt32 = 0
        var count: UInt32 = 0
    }

    private struct Key: Hashable {
        var tenancy: UInt32
        var facets: Facets
    }

    /// The shapes of a tenancy that look at one slot first.
    private struct SlotKey: Hashable {
        /// Used instead of a slot for the shapes that every event looks into.
        static let ofAll = UInt32(UInt16.max) + 1

        var tenancy: UInt32
        var slot: UInt32

        init(_ tenancy: UInt32, slot: UInt32) {
            self.tenancy = tenancy
            self.slot = slot
        }

        init(_ tenancy: UInt32, _ facet: Facet) {
            self.tenancy = tenancy
            slot = facet.kind == .every || facet.kind == .changed ? Self.ofAll : UInt32(facet.slot)
        }
    }

    /// A tenancy with more shapes is asked by the event's fields, instead of shape by shape.
    private static let walkedMax: UInt32 = 128

    private var shapes = Arena<Shape>()
    private var free: [UInt32] = []
    private var numbers: [Key: UInt32] = [:]
    private var bySlot: [SlotKey: [UInt32]] = [:]
    /// By tenancies' numbers.
    private var chains = Arena<Chain>()
    /// The thresholds in use of shapes of the kinds above and below, ascending.
    private var thresholds: [UInt32: [UInt32]] = [:]

    /// An empty table; number 0 is no shape.
    init() { shapes.append(Shape(tenancy: 0, facets: Facets(first: .none), next: 0)) }

    func write(to writer: inout ImageWriter) {
        shapes.write(to: &writer)
        chains.write(to: &writer)
        writer.write(row: free)
        writer.write(rows: thresholds)
    }

    init(from reader: inout ImageReader) throws {
        shapes = try Arena(from: &reader)
        chains = try Arena(from: &reader)
        free = try reader.row()
        thresholds = try reader.rows()
        let freed = Set(free)
        for number in 1..<UInt32(shapes.count) where !freed.contains(number) {
            let shape = self[number]
            numbers[Key(tenancy: shape.tenancy, facets: shape.facets)] = number
            bySlot[SlotKey(shape.tenancy, shape.facets.first), default: []].append(number)
        }
    }

    /// Returns true if there is no shape.
    var isEmpty: Bool { numbers.isEmpty && bySlot.isEmpty && thresholds.isEmpty }
    /// Bytes of the shapes, without the tables that find them.
    var bytes: Int { shapes.bytes + chains.bytes }

    // MARK: Asking

    @inline(__always) subscript(number: UInt32) -> Shape { shapes.base[Int(number)] }

    /// The shape of some facets in a tenancy, if it has one.
    func number(of facets: Facets, in tenancy: UInt32) -> UInt32? { numbers[Key(tenancy: tenancy, facets: facets)] }

    /// The shapes of a tenancy, to be walked by `Shape.next`.
    @inline(__always) func chain(of tenancy: UInt32) -> Chain {
        tenancy < chains.count ? chains.base[Int(tenancy)] : Chain()
    }

    /// Returns true if a tenancy's shapes are so many that an event asks only for those that look at its fields.
    @inline(__always) func isAskedByFields(_ chain: Chain) -> Bool { chain.count > Self.walkedMax }

    /// The shapes of a tenancy that every event looks into, whatever fields it has.
    func shapesOfAll(_ tenancy: UInt32) -> [UInt32] { bySlot[SlotKey(tenancy, slot: SlotKey.ofAll)] ?? [] }

    /// The shapes of a tenancy that look at a slot first.
    func shapes(_ tenancy: UInt32, slot: UInt32) -> [UInt32] { bySlot[SlotKey(tenancy, slot: slot)] ?? [] }

    /// The thresholds in use of a shape of the kinds above and below, ascending.
    func thresholds(of shape: UInt32) -> [UInt32]? { thresholds[shape] }

    // MARK: Changing

    /// The shape of some facets in a tenancy, made when there is none.
    mutating func make(_ facets: Facets, in tenancy: UInt32) -> (number: UInt32, isNew: Bool) {
        let key = Key(tenancy: tenancy, facets: facets)
        if let known = numbers[key] { return (known, false) }
        while chains.count <= tenancy { chains.append(Chain()) }
        let next = chains[Int(tenancy)].first
        let number = store(Shape(tenancy: tenancy, facets: facets, next: next))
        if next != 0 { shapes.base[Int(next)].previous = number }
        chains.base[Int(tenancy)].first = number
        chains.base[Int(tenancy)].count += 1
        numbers[key] = number
        bySlot[SlotKey(tenancy, facets.first), default: []].append(number)
        return (number, true)
    }

    private mutating func store(_ shape: Shape) -> UInt32 {
        if let number = free.popLast() {
            shapes[Int(number)] = shape
            return number
        }
        shapes.append(shape)
        return UInt32(shapes.count - 1)
    }

    /// Counts a bucket that was made, by the first of its keys.
    mutating func addBucket(_ key: UInt32, to number: UInt32) {
        shapes.base[Int(number)].buckets += 1
        guard self[number].facets.first.kind.isThreshold else { return }
        let place = place(of: key, in: number)
        thresholds[number, default: []].insert(key, at: place)
    }

    /// Counts a bucket that was removed, and removes the shape with its last. Returns true if it did.
    mutating func removeBucket(_ key: UInt32, from number: UInt32) -> Bool {
        if self[number].facets.first.kind.isThreshold {
            let place = place(of: key, in: number)
            thresholds[number]?.remove(at: place)
        }
        shapes.base[Int(number)].buckets -= 1
        if self[number].buckets > 0 { return false }
        remove(number)
        return true
    }

    /// The place of a threshold among those of a shape.
    private func place(of threshold: UInt32, in number: UInt32) -> Int {
        let row = thresholds[number] ?? []
        var low = 0
        var high = row.count
        while low < high {
            let middle = (low + high) / 2
            if row[middle] < threshold { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func remove(_ number: UInt32) {
        let shape = self[number]
        let chain = chains.base + Int(shape.tenancy)
        if chain.pointee.first == number {
            chain.pointee.first = shape.next
        } else {
            shapes.base[Int(shape.previous)].next = shape.next
        }
        if shape.next != 0 { shapes.base[Int(shape.next)].previous = shape.previous }
        chain.pointee.count -= 1
        numbers[Key(tenancy: shape.tenancy, facets: shape.facets)] = nil
        thresholds[number] = nil
        let slot = SlotKey(shape.tenancy, shape.facets.first)
        if let place = bySlot[slot]?.firstIndex(of: number) { bySlot[slot]!.remove(at: place) }
        if bySlot[slot]?.isEmpty == true { bySlot[slot] = nil }
        free.append(number)
    }
}
