/// The `map<string, …>` of a message: values by key; keys are compared by their bytes.
///
/// A dictionary of strings would take canonically equivalent keys ("é" in one scalar or in two) for one and lose an
/// entry. Iterating over a map gives its entries in the order of the keys' bytes, which costs a sort.
public struct MessageMap<Value: Sendable & Equatable>: Sendable, Equatable {
    private var values: [ByteKey: Value] = [:]

    /// A map without entries.
    public init() {}

    /// The number of entries.
    public var count: Int { values.count }

    /// True if there is no entry.
    public var isEmpty: Bool { values.isEmpty }

    /// The value of a key; setting nil removes it.
    public subscript(key: String) -> Value? {
        get { values[ByteKey(text: key)] }
        set { values[ByteKey(text: key)] = newValue }
    }

    private struct ByteKey: Sendable, Hashable {
        var text: String

        static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) {
            var copy = text
            copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}

extension MessageMap: Sequence {
    /// The entries in the order of their keys' bytes.
    public func makeIterator() -> some IteratorProtocol<(key: String, value: Value)> {
        values
            .map { (key: $0.key.text, value: $0.value) }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .makeIterator()
    }
}

extension MessageMap: ExpressibleByDictionaryLiteral {
    /// The map with those entries; of equal keys the last one counts.
    public init(dictionaryLiteral elements: (String, Value)...) {
        for (key, value) in elements { self[key] = value }
    }
}
