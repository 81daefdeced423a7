/// The layout of a field's bytes: the low three bits of its tag.
public enum WireType: UInt8, Sendable {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case groupStart = 3
    case groupEnd = 4
    case fixed32 = 5
}

extension WireType: CustomStringConvertible {
    /// The name that error messages use.
    public var description: String {
        switch self {
        case .varint: "a varint"
        case .fixed64: "8 bytes"
        case .lengthDelimited: "a length and its bytes"
        case .groupStart: "the start of a group"
        case .groupEnd: "the end of a group"
        case .fixed32: "4 bytes"
        }
    }
}
