/// The members of a JSON object, in the order of their insertion.
///
/// Keys are compared by their bytes, as in RFC 8259; Swift's `==` takes "é" in one scalar and in two for equal. Two
/// objects are equal if they have equal members, in any order.
package struct JSONObject: Sendable {
    /// A key and its value.
    package typealias Element = (key: String, value: JSONValue)

    /// From this many members on, keys are looked up by hash; below, going through them is faster.
    private static let indexedFrom = 12

    private var members: [Element] = []
    private var places: [KeyBytes: Int]?

    /// An object without members.
    package init() {}

    /// The value of a key; setting nil removes the member, which costs going through all.
    package subscript(key: String) -> JSONValue? {
        get { place(of: key).map { members[$0].value } }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): members[place].value = value
            case (nil, let value?): append(key, value)
            case (let place?, nil):
                members.remove(at: place)
                if places != nil { index() }
            case (nil, nil): break
            }
        }
    }

    /// Adds a member, or does nothing and gives false if there is one of that key.
    mutating func insert(_ key: String, _ value: JSONValue) -> Bool {
        guard place(of: key) == nil else { return false }
        append(key, value)
        return true
    }

    private mutating func append(_ key: String, _ value: JSONValue) {
        if members.isEmpty { members.reserveCapacity(4) }
        members.append((key, value))
        if places != nil {
            places?[KeyBytes(text: key)] = members.count - 1
        } else if members.count == Self.indexedFrom {
            index()
        }
    }

    private func place(of key: String) -> Int? {
        if let places { return places[KeyBytes(text: key)] }
        return members.firstIndex { KeyBytes(text: $0.key) == KeyBytes(text: key) }
    }

    private mutating func index() {
        places = [:]
        for (place, member) in members.enumerated() { places?[KeyBytes(text: member.key)] = place }
    }

    private struct KeyBytes: Sendable, Hashable {
        var text: String

        /// Swift's comparison first: it is fast, and keys that differ in it have other bytes. Bytes are compared
        /// in memory, which is faster than through the string.
        static func == (left: KeyBytes, right: KeyBytes) -> Bool {
            guard left.text == right.text else { return false }
            let (left, right) = (left.text.utf8, right.text.utf8)
            let isSame = left.withContiguousStorageIfAvailable { left in
                right.withContiguousStorageIfAvailable { right in
                    left.count == right.count && left.elementsEqual(right)
                }
            }
            return (isSame ?? nil) ?? left.elementsEqual(right)
        }

        func hash(into hasher: inout Hasher) {
            var copy = text
            copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}

extension JSONObject: RandomAccessCollection {
    /// The position of the first member.
    package var startIndex: Int { 0 }
    /// One past the last member.
    package var endIndex: Int { members.count }
    /// The member at a place in the order of insertion.
    package subscript(position: Int) -> Element { members[position] }
}

extension JSONObject: Equatable {
    /// Returns true if both have the same keys with equal values.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The object with those members; of equal keys the last one counts.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (key, value) in elements { self[key] = value }
    }
}
