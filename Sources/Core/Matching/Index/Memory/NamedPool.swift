/// Values that many users share under one number: a value is known by its name, the number of its bytes in the table of
/// operands. A number is reused after all users have released it.
struct NamedPool<Element> {
    private struct Kept {
        var element: Element
        /// 0 for a value that is not shared.
        var name: UInt32
        var holders: Int
    }

    private var pool: Pool<Kept>
    private var numbers: [UInt32: UInt32] = [:]

    init() { pool = Pool() }

    /// - Parameter write: writes a value, given its name; 0 for none.
    func write(to writer: inout ImageWriter, _ write: (Element, UInt32) -> [UInt8]) {
        pool.write(to: &writer) { kept, writer in
            writer.write(kept.name)
            writer.write(kept.holders)
            writer.write(row: write(kept.element, kept.name))
        }
    }

    /// - Parameter read: makes a value of its bytes and its name.
    init(from reader: inout ImageReader, _ read: ([UInt8], UInt32) throws -> Element) throws {
        pool = try Pool(from: &reader) { reader in
            let (name, holders) = (try reader.read(UInt32.self), try reader.read(Int.self))
            return Kept(element: try read(try reader.row(), name), name: name, holders: holders)
        }
        for number in pool.numbers where pool[number].name != 0 { numbers[pool[number].name] = number }
    }

    var isEmpty: Bool { pool.isEmpty && numbers.isEmpty }

    subscript(number: UInt32) -> Element { pool[number].element }

    /// The number of the value that has a name, taken once more; nil when there is none yet.
    mutating func take(_ name: UInt32) -> UInt32? {
        guard name != 0, let number = numbers[name] else { return nil }
        pool[number].holders += 1
        return number
    }

    /// Keeps a value under its name, which is held with it; 0 for none.
    mutating func keep(_ element: Element, name: UInt32 = 0) -> UInt32 {
        let number = pool.keep(Kept(element: element, name: name, holders: 1))
        if name != 0 { numbers[name] = number }
        return number
    }

    /// Gives a number back. Returns the name to give back with it, when this was its last holder; otherwise 0.
    mutating func release(_ number: UInt32) -> UInt32 {
        pool[number].holders -= 1
        guard pool[number].holders == 0 else { return 0 }
        let name = pool[number].name
        if name != 0 { numbers[name] = nil }
        pool.release(number)
        return name
    }
}
