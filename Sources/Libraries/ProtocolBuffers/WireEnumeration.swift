/// A Protocol Buffers enumeration, open as proto3's are: a number without a name is kept and written again.
public protocol WireEnumeration: Sendable, Hashable {
    /// The case with that number, or the one that holds numbers without a name.
    init(rawValue: Int32)

    /// The number on the wire.
    var rawValue: Int32 { get }
}
