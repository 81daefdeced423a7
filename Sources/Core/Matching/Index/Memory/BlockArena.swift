/// Blocks of some sizes within one arena; freed ones are used again. Offset 0 is no block.
struct BlockArena<Element: BitwiseCopyable>: ~Copyable {
    private(set) var arena = Arena<Element>()
    /// The first free block of each size. A free block begins with the offset of the next.
    private var free = Arena<UInt32>()

    init(filler: Element) {
        precondition(MemoryLayout<Element>.stride >= 4)
        _ = arena.append(filler, times: 1)
        _ = free.append(0, times: 64)
        self.filler = filler
    }

    private let filler: Element

    func write(to writer: inout ImageWriter) {
        arena.write(to: &writer)
        free.write(to: &writer)
    }

    init(from reader: inout ImageReader, filler: Element) throws {
        arena = try Arena(from: &reader)
        free = try Arena(from: &reader)
        self.filler = filler
    }

    var base: UnsafeMutablePointer<Element> { arena.base }
    var bytes: Int { arena.bytes }

    /// The size of the block that so many elements get: 1, 2, 3, 4, 6, 8, 12, 16 and so on.
    static func capacity(for count: Int) -> Int { count <= 4 ? max(count, 1) : size(sizeClass(count)) }

    mutating func allocate(_ count: Int) -> UInt32 {
        let sizeClass = Self.sizeClass(max(count, 1))
        let offset = free[sizeClass]
        if offset != 0 {
            free[sizeClass] = UnsafeRawPointer(arena.base + Int(offset)).loadUnaligned(as: UInt32.self)
            return offset
        }
        let capacity = Self.capacity(for: count)
        precondition(arena.count + capacity <= Int(UInt32.max), "the subscription index is full")
        return UInt32(arena.append(filler, times: capacity))
    }

    /// Gives back the block that was allocated for so many elements, or for as many as share its size.
    mutating func release(_ offset: UInt32, count: Int) {
        let sizeClass = Self.sizeClass(max(count, 1))
        UnsafeMutableRawPointer(arena.base + Int(offset)).storeBytes(of: free[sizeClass], as: UInt32.self)
        free[sizeClass] = offset
    }

    private static func sizeClass(_ count: Int) -> Int {
        if count <= 4 { return count - 1 }
        let power = Int.bitWidth - 1 - (count - 1).leadingZeroBitCount
        return 2 * power + (count <= 3 << (power - 1) ? 0 : 1)
    }

    private static func size(_ sizeClass: Int) -> Int {
        let power = sizeClass / 2
        return sizeClass % 2 == 0 ? 3 << (power - 1) : 2 << power
    }
}
