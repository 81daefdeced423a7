/// One test of a program: eight bytes. A program is a row of them; a wide one is followed by its 64-bit operand.
///
/// Bits 0–31 operand, 32–47 slot of the field, 48–53 words to jump over, 54 the outcome that jumps, 55 the last of the
/// program, 56–58 folding of texts, 59–63 the test. The word 0 is the program that accepts.
struct Instruction: BitwiseCopyable {
    /// The kind of test. All are false on a record that lacks the field.
    enum Test: UInt64 {
        case accept = 0
        case present, equals, isIn, memberEquals, memberOfAny, membersOfAll
        case less, lessOrEqual, greater, greaterOrEqual
        case lessWide, lessOrEqualWide, greaterWide, greaterOrEqualWide
        case lessDouble, lessOrEqualDouble, greaterDouble, greaterOrEqualDouble
        case textLess, textLessOrEqual, textGreater, textGreaterOrEqual
        case begins, ends, contains, tokensAll, tokensAny
        case like
        /// Asks the plain walk over a tree that is kept aside.
        case tree
        /// Jumps over as many words as the operand says.
        case jump

        /// An ordering comparison with a 32-bit integer in the operand, with one in a word of its own, with a double
        /// and with a text.
        static func narrow(_ relation: OrderRelation) -> Test { after(.less, relation) }
        static func wide(_ relation: OrderRelation) -> Test { after(.lessWide, relation) }
        static func double(_ relation: OrderRelation) -> Test { after(.lessDouble, relation) }
        static func text(_ relation: OrderRelation) -> Test { after(.textLess, relation) }

        private static func after(_ first: Test, _ relation: OrderRelation) -> Test {
            Test(rawValue: first.rawValue + relation.rawValue)!
        }
    }

    static let jumpAccept: UInt64 = 62
    static let jumpReject: UInt64 = 63
    /// The operand says how many words are jumped over.
    static let jumpFar: UInt64 = 61
    static let skipMax = 60

    var word: UInt64

    init(word: UInt64) { self.word = word }

    init(_ test: Test, slot: UInt16, variant: Variant = .exact, operand: UInt32 = 0) {
        word = UInt64(operand) | UInt64(slot) << 32 | UInt64(variant.rawValue) << 56 | test.rawValue << 59
    }

    /// The cases are numbered without gaps, so that their bits are the number; words are made by this type alone.
    @inline(__always) var test: Test { unsafeBitCast(UInt8(truncatingIfNeeded: word >> 59), to: Test.self) }
    @inline(__always) var operand: UInt32 { UInt32(truncatingIfNeeded: word) }
    @inline(__always) var slot: Int { Int(truncatingIfNeeded: word >> 32 & 0xFFFF) }
    @inline(__always) var variant: Int { Int(truncatingIfNeeded: word >> 56 & 7) }
    @inline(__always) var skip: UInt64 { word >> 48 & 63 }
    @inline(__always) var jumpsOn: Bool { word >> 54 & 1 == 1 }
    @inline(__always) var isLast: Bool { word >> 55 & 1 == 1 }
    @inline(__always) var isWide: Bool {
        let test = word >> 59
        return test >= Test.lessWide.rawValue && test <= Test.greaterOrEqualDouble.rawValue
    }

    /// Jumps over so many words when the test comes out so.
    mutating func jump(_ skip: UInt64, on outcome: Bool) {
        word = word & ~(127 << 48) | skip << 48 | (outcome ? 1 << 54 : 0)
    }

    /// Jumps over so many words whatever the event is.
    static func jump(over words: UInt32) -> Instruction {
        var instruction = Instruction(.jump, slot: 0, operand: words)
        instruction.jump(jumpFar, on: true)
        return instruction
    }

    /// The test alone, without its place in a program: equal ones have the same outcome on the same event.
    var atom: UInt64 { word & ~(0xFF << 48) }

    mutating func markLast() { word |= 1 << 55 }
}
