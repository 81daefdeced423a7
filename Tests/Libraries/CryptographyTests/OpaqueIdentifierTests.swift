import Cryptography
import Testing

@Suite struct OpaqueIdentifierTests {
    private static let key = SecretKey.random()
    private static let alice = Array("alice".utf8)

    @Test(arguments: [0, 1, 42, UInt64(UInt32.max), .max] as [UInt64])
    func `a number is found again in its context, and has one identifier`(number: UInt64) throws {
        let identifier = OpaqueIdentifier(number, context: Self.alice, key: Self.key)
        #expect(identifier == OpaqueIdentifier(number, context: Self.alice, key: Self.key))
        let read = try #require(OpaqueIdentifier(identifier.description))
        #expect(read == identifier)
        #expect(read.number(context: Self.alice, key: Self.key) == number)
    }

    @Test func `it looks like a UUID in lower case`() {
        let text = OpaqueIdentifier(7, context: Self.alice, key: Self.key).description
        #expect(text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/) != nil)
    }

    @Test(arguments: ["", "alicf", "alic", "alice2", "Alice", "bob"])
    func `in another context it is nobody's`(context: String) {
        let identifier = OpaqueIdentifier(7, context: Self.alice, key: Self.key)
        #expect(identifier.number(context: Array(context.utf8), key: Self.key) == nil)
        #expect(identifier != OpaqueIdentifier(7, context: Array(context.utf8), key: Self.key))
    }

    @Test func `with another key it is nobody's`() {
        let identifier = OpaqueIdentifier(7, context: Self.alice, key: Self.key)
        #expect(identifier.number(context: Self.alice, key: .random()) == nil)
    }

    @Test func `with any digit changed it is nobody's, and in no other form is it read`() throws {
        let text = Array(OpaqueIdentifier(7, context: Self.alice, key: Self.key).description.utf8)
        for index in text.indices where text[index] != UInt8(ascii: "-") {
            for digit in "0123456789abcdef".utf8 where digit != text[index] {
                var changed = text
                changed[index] = digit
                let identifier = try #require(OpaqueIdentifier(String(decoding: changed, as: UTF8.self)))
                #expect(identifier.number(context: Self.alice, key: Self.key) == nil)
            }
        }
        let whole = String(decoding: text, as: UTF8.self)
        for other in [
            "", whole + "0", String(whole.dropLast()), whole.filter { $0 != "-" }, "{\(whole)}",
            "A" + whole.dropFirst(), whole.replacing("-", with: "_"), " " + whole.dropLast(), "é" + whole.dropFirst(2),
        ] {
            #expect(OpaqueIdentifier(other) == nil, "\(other)")
        }
    }

    @Test func `neighbours have nothing in common`() {
        let identifiers = (0..<2_000).map { OpaqueIdentifier($0, context: Self.alice, key: Self.key).description }
        #expect(Set(identifiers.map { $0.prefix(8) }).count > 1_990)
        #expect(Set(identifiers.map { $0.suffix(8) }).count > 1_990)
    }
}
