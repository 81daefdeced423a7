/// The ways in which subscriptions look at a slot, for which an event has to prepare the slot's value.
struct SlotUse: OptionSet, BitwiseCopyable {
    let rawValue: UInt16

    /// Numbers of the value, in any variant: the bits of `number(in:)`.
    static let anyNumber = SlotUse(rawValue: 1 << UInt16(Variant.count) - 1)
    /// The words of the texts.
    static let words = SlotUse(rawValue: 1 << 8)
    /// The field's presence.
    static let field = SlotUse(rawValue: 1 << 9)

    /// Numbers of the value in one variant.
    static func number(in variant: Variant) -> SlotUse { SlotUse(rawValue: 1 << UInt16(variant.rawValue)) }

    /// Returns true if the value's numbers are asked for in a variant, given by its raw value.
    @inline(__always) func hasNumber(_ variant: Int) -> Bool { rawValue >> UInt16(variant) & 1 == 1 }
    /// Returns true if the value's numbers are asked for at all.
    @inline(__always) var hasNumbers: Bool { rawValue & Self.anyNumber.rawValue != 0 }
}
