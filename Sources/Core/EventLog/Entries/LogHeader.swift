/// A header of an entry: for people and tools that look at topics; the services read none.
package struct LogHeader: Hashable, Sendable {
    /// The name; several headers of an entry may share it.
    package var name: String
    /// The value.
    package var value: [UInt8]

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = Array(value.utf8)
    }

    package init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}
