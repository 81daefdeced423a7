/// Maps byte strings to numbers from 1 on, equal ones to the same number, and counts their users. 0 is no number.
///
/// Comparing two operands is then one comparison of numbers, and exact: bytes are compared when a number is assigned.
/// Each table has its own hash seed, so that nobody can choose colliding names; results do not depend on it.
struct InternTable: ~Copyable {
    /// A name with its use count. Not private: the compiler cannot link the witness of a private type in another file
    /// of the module (6.3.1).
    struct Name: BitwiseCopyable {
        /// Offset in 40 bits, length in 24: one TiB of names of less than 16 MiB, four times a message.
        private var place: UInt64
        /// 0 in a free name, whose offset is the next free one.
        var references: UInt32
        var hash: UInt32

        init(offset: Int, count: Int, references: UInt32, hash: UInt32) {
            precondition(count < 1 << 24 && offset < 1 << 40, "a name of \(count) bytes is longer than any message")
            place = UInt64(offset) << 24 | UInt64(count)
            self.references = references
            self.hash = hash
        }

        var offset: Int {
            get { Int(place >> 24) }
            set { place = UInt64(newValue) << 24 | place & 0xFF_FFFF }
        }

        var count: Int { Int(place & 0xFF_FFFF) }
    }

    private var bytesArena = Arena<UInt8>()
    private var names = Arena<Name>()
    private var table = Arena<UInt32>()
    private var mask = 15
    private var live = 0
    private var firstFree: UInt32 = 0
    private var garbage = 0
    private var seed = UInt64.random(in: .min ... .max)

    init() {
        names.append(Name(offset: 0, count: 0, references: 0, hash: 0))
        _ = table.append(0, times: 16)
    }

    func write(to writer: inout ImageWriter) {
        bytesArena.write(to: &writer)
        names.write(to: &writer)
        table.write(to: &writer)
        writer.write(Counts(mask: mask, live: live, firstFree: firstFree, garbage: garbage, seed: seed))
    }

    init(from reader: inout ImageReader) throws {
        bytesArena = try Arena(from: &reader)
        names = try Arena(from: &reader)
        table = try Arena(from: &reader)
        let counts = try reader.read(Counts.self)
        mask = counts.mask
        live = counts.live
        firstFree = counts.firstFree
        garbage = counts.garbage
        seed = counts.seed
    }

    /// The numbers of an image besides its rows.
    private struct Counts: BitwiseCopyable {
        var mask: Int
        var live: Int
        var firstFree: UInt32
        var garbage: Int
        var seed: UInt64
    }

    /// Bytes that the table takes.
    var bytes: Int { bytesArena.bytes + names.bytes + table.bytes }

    /// Returns true if no number is in use.
    var isEmpty: Bool { live == 0 }

    /// The bytes of a number that is in use.
    func text(_ id: UInt32) -> UnsafeBufferPointer<UInt8> {
        let name = names[Int(id)]
        return UnsafeBufferPointer(start: bytesArena.base + name.offset, count: name.count)
    }

    /// The bytes of an operand, without the kind that precedes them.
    @inline(__always) func operand(_ id: UInt32) -> UnsafeBufferPointer<UInt8> {
        let name = names[Int(id)]
        return UnsafeBufferPointer(start: bytesArena.base + name.offset + 1, count: name.count - 1)
    }

    /// The times that a number was taken and not given back.
    func references(_ id: UInt32) -> Int { Int(names[Int(id)].references) }

    /// The number of these bytes; 0 when they have none.
    func find(_ text: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let hash = hash(text)
        var index = Int(hash) & mask
        while true {
            let id = table[index]
            if id == 0 || matches(id, hash, text) { return id }
            index = (index + 1) & mask
        }
    }

    /// The number of these bytes, taken once more. They must not be of this table's own memory.
    mutating func intern(_ text: UnsafeBufferPointer<UInt8>) -> UInt32 {
        if live * 2 > mask { rehash() }
        let hash = hash(text)
        var index = Int(hash) & mask
        while table[index] != 0 {
            if matches(table[index], hash, text) {
                retain(table[index])
                return table[index]
            }
            index = (index + 1) & mask
        }
        let name = Name(
            offset: bytesArena.count, count: text.count, references: 1, hash: hash)
        bytesArena.append(text)
        var id = firstFree
        if id == 0 {
            id = UInt32(names.count)
            names.append(name)
        } else {
            firstFree = UInt32(names[Int(id)].offset)
            names[Int(id)] = name
        }
        table[index] = id
        live += 1
        return id
    }

    mutating func intern(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBufferPointer { intern($0) } }

    /// Takes a number once more.
    func retain(_ id: UInt32) {
        assert(names[Int(id)].references > 0, "a number that nobody holds is taken again")
        names.base[Int(id)].references += 1
    }

    /// Gives a number back; with its last use its name goes.
    mutating func release(_ id: UInt32) {
        guard id != 0 else { return }
        names.base[Int(id)].references -= 1
        guard names[Int(id)].references == 0 else { return }
        var index = Int(names[Int(id)].hash) & mask
        while table[index] != id { index = (index + 1) & mask }
        closeGap(index)
        live -= 1
        garbage += names[Int(id)].count
        names.base[Int(id)].offset = Int(firstFree)
        firstFree = id
        if garbage > 1 << 16, garbage > bytesArena.count / 2 { compact() }
    }

    private func matches(_ id: UInt32, _ hash: UInt32, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let name = names[Int(id)]
        guard name.hash == hash, name.count == text.count else { return false }
        return UnsafePointer(bytesArena.base + name.offset).begins(with: text)
    }

    private func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt32 {
        UInt32(truncatingIfNeeded: ByteHash.hash(text, seed: seed))
    }

    /// Moves the rest of the freed slot's run forward, so that no lookup ends too early.
    private func closeGap(_ freed: Int) {
        var hole = freed
        var index = (hole + 1) & mask
        while table[index] != 0 {
            let home = Int(names[Int(table[index])].hash) & mask
            if (index - home) & mask >= (index - hole) & mask {
                table[hole] = table[index]
                hole = index
            }
            index = (index + 1) & mask
        }
        table[hole] = 0
    }

    private mutating func rehash() {
        let size = (mask + 1) * 2
        table = Arena<UInt32>()
        _ = table.append(0, times: size)
        mask = size - 1
        for id in 1..<names.count where names[id].references > 0 {
            var index = Int(names[id].hash) & mask
            while table[index] != 0 { index = (index + 1) & mask }
            table[index] = UInt32(id)
        }
    }

    private mutating func compact() {
        var kept = Arena<UInt8>()
        for id in 1..<names.count where names[id].references > 0 {
            let text = text(UInt32(id))
            names.base[id].offset = kept.count
            kept.append(text)
        }
        bytesArena = kept
        garbage = 0
    }
}
