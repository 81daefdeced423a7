#if canImport(Glibc)
    import Glibc
#endif

/// Memory for values without references, which grows by a quarter: arrays double, and with a million subscriptions half
/// of their capacity would be unused. Pointers into it are valid until it grows.
struct Arena<Element: BitwiseCopyable>: ~Copyable {
    private(set) var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private(set) var capacity: Int

    init() {
        capacity = 8
        base = Self.allocate(nil, 8)
    }

    deinit { free(base) }

    /// Bytes that the arena takes.
    var bytes: Int { capacity * MemoryLayout<Element>.stride }

    subscript(index: Int) -> Element {
        get { base[index] }
        nonmutating set { base[index] = newValue }
    }

    mutating func append(_ element: Element) {
        if count == capacity { grow(to: count + 1) }
        base[count] = element
        count += 1
    }

    /// Appends so many copies; returns the place of the first.
    mutating func append(_ element: Element, times: Int) -> Int {
        if count + times > capacity { grow(to: count + times) }
        (base + count).update(repeating: element, count: times)
        count += times
        return count - times
    }

    mutating func append(_ elements: UnsafeBufferPointer<Element>) {
        if count + elements.count > capacity { grow(to: count + elements.count) }
        if let source = elements.baseAddress { (base + count).update(from: source, count: elements.count) }
        count += elements.count
    }

    /// Forgets all elements and keeps the memory.
    mutating func removeAll() { count = 0 }

    /// Forgets all but the first elements.
    mutating func truncate(to count: Int) { self.count = min(count, self.count) }

    /// The elements from a place on; good until the arena grows.
    func from(_ start: Int) -> UnsafeBufferPointer<Element> {
        UnsafeBufferPointer(start: base + start, count: count - start)
    }

    func write(to writer: inout ImageWriter) {
        writer.write(count)
        writer.write(bytes: UnsafeRawBufferPointer(from(0)))
    }

    init(from reader: inout ImageReader) throws {
        self.init()
        let count = try reader.count(of: Element.self)
        if count > capacity {
            capacity = count
            base = Self.allocate(base, capacity)
        }
        try reader.read(
            into: UnsafeMutableRawBufferPointer(start: base, count: count * MemoryLayout<Element>.stride))
        self.count = count
    }

    private mutating func grow(to needed: Int) {
        capacity = max(needed, capacity + capacity / 4 + 8)
        base = Self.allocate(base, capacity)
    }

    private static func allocate(_ old: UnsafeMutablePointer<Element>?, _ capacity: Int) -> UnsafeMutablePointer<
        Element
    > {
        guard let memory = realloc(old, capacity * MemoryLayout<Element>.stride) else {
            fatalError("no memory for \(capacity) elements of the subscription index")
        }
        return memory.assumingMemoryBound(to: Element.self)
    }
}
