/// Values under numbers that are used again once their values are given back.
struct Pool<Element> {
    /// Nil under numbers that are free.
    private var elements: [Element?] = []
    private var free: [UInt32] = []

    init() {}

    var isEmpty: Bool { free.count == elements.count }

    /// The numbers in use, ascending.
    var numbers: some Sequence<UInt32> { elements.indices.lazy.filter { elements[$0] != nil }.map { UInt32($0) } }

    subscript(number: UInt32) -> Element {
        get { elements[Int(number)]! }
        set { elements[Int(number)] = newValue }
    }

    func write(to writer: inout ImageWriter, _ write: (Element, inout ImageWriter) -> Void) {
        writer.write(elements.count)
        for element in elements {
            writer.write(element != nil)
            if let element { write(element, &writer) }
        }
        writer.write(row: free)
    }

    init(from reader: inout ImageReader, _ read: (inout ImageReader) throws -> Element) throws {
        for _ in 0..<(try reader.count(of: UInt8.self)) {
            elements.append(try reader.read(UInt8.self) == 0 ? nil : try read(&reader))
        }
        free = try reader.row()
    }

    /// Keeps a value; returns its number.
    mutating func keep(_ element: Element) -> UInt32 {
        if let number = free.popLast() {
            elements[Int(number)] = element
            return number
        }
        elements.append(element)
        return UInt32(elements.count - 1)
    }

    /// Gives a number back, with its value.
    mutating func release(_ number: UInt32) {
        elements[Int(number)] = nil
        free.append(number)
    }
}
