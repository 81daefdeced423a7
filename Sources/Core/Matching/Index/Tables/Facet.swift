/// One dimension of a shape: the part of an event that is looked up. Kind, parameter and slot in 32 bits; 0 is none.
struct Facet: Hashable, BitwiseCopyable {
    enum Kind: UInt8 {
        case equals = 1
        /// The interval of 2^parameter ordinals that a number lies in.
        case cell
        case member, begins, holds, token
        /// The cube of side 2^-parameter of the unit sphere's space that a place lies in.
        case near
        /// All thresholds under, or over, a number.
        case above, below
        /// A field that an update changed; every record that is made or deleted looks there, too.
        case changed
        case present
        /// Every record: subscriptions without a better path are evaluated one after the other.
        case every

        /// Returns true if its keys are thresholds, which are walked in their order.
        var isThreshold: Bool { self == .above || self == .below }
    }

    var word: UInt32

    init(word: UInt32) { self.word = word }

    init(_ kind: Kind, slot: Int = 0, parameter: Int = 0) {
        word = UInt32(kind.rawValue) << 24 | UInt32(parameter & 255) << 16 | UInt32(slot)
    }

    static let none = Facet(word: 0)

    var isNone: Bool { word == 0 }
    @inline(__always) var kind: Kind { Kind(rawValue: UInt8(word >> 24)) ?? .every }
    @inline(__always) var parameter: Int { Int(word >> 16 & 255) }
    @inline(__always) var slot: Int { Int(word & 0xFFFF) }

    /// Returns true if its keys are operands' numbers, which a bucket holds.
    var hasOperands: Bool { kind == .equals || kind == .member || kind == .token }
}
