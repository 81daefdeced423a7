/// Values under numbers that are used again once their values are given back.
struct Pool<Element> {
    /// Nil under numbers that are free.
    private var elements: [Element?] = []
    private var free: [UInt32] = []

    var isEmpty: Bool { free.count == elements.count }

    subscript(number: UInt32) -> Element {
        get { elements[Int(number)]! }
        set { elements[Int(number)] = newValue }
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
