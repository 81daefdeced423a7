import ProtocolBuffers
import TestSupport
import Testing

@Suite struct HostileInputTests {
    /// Any prefix may happen to be a message; none may trap, and an error lies within it.
    @Test(arguments: UInt64(1)...10)
    func `every prefix of a message is read or refused`(seed: UInt64) {
        var random = RandomEverything(seed: seed)
        let bytes = random.message(depth: 2).encoded()
        for count in 0..<bytes.count {
            do throws(MessageError) {
                _ = try Everything(decoding: Array(bytes[..<count]))
            } catch {
                #expect((0...count).contains(error.byteOffset), "seed \(seed), \(count) bytes: \(error)")
            }
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `garbage never traps`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            // Small numbers more often, as they are tags and lengths that lead further in.
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                UInt8.random(in: 0...(Bool.random(using: &random) ? 255 : 20), using: &random)
            }
            if let message = try? Everything(decoding: bytes) {
                let again = try? Everything(decoding: message.encoded())
                #expect(again?.encoded() == message.encoded(), "seed \(seed): \(bytes)")
            }
        }
    }

    @Test func `messages nest 32 deep and no deeper`() throws {
        #expect(try Predicate(decoding: nested(32)).encoded() == nested(32))
        #expect(throws: MessageError.self) { try Predicate(decoding: nested(33)) }
        do throws(MessageError) {
            _ = try Predicate(decoding: nested(20_000))
            Issue.record("accepted")
        } catch {
            #expect(error.reason == .tooDeep)
            #expect(error.path == Array(repeating: 3, count: 32))
        }
    }

    @Test func `groups nest as deep as messages, in a field nobody knows`() throws {
        func groups(_ count: Int) -> [UInt8] {
            Array(repeating: 0x83, count: count).flatMap { [$0, 0x06] }
                + Array(repeating: [0x84, 0x06], count: count).joined()
        }
        #expect(try Empty(decoding: groups(31)) == Empty())
        #expect(reason(Empty.self, groups(32)) == .tooDeep)
        #expect(reason(Empty.self, groups(10_000)) == .tooDeep)
    }

    @Test func `an entry of a map is a level of its own`() throws {
        func named(_ count: Int) -> [UInt8] {
            (0..<count).reduce(Everything()) { inner, _ in Everything(named: ["": inner]) }.encoded()
        }
        #expect(try Everything(decoding: named(15)).encoded() == named(15))
        #expect(reason(Everything.self, named(16)) == .tooDeep)
    }

    @Test func `a message over the caller's size is refused unread`() throws {
        let bytes = Everything(stringValue: "12345678").encoded()
        #expect(try Everything(decoding: bytes, maximumBytes: 10).stringValue == "12345678")
        #expect(reason(Everything.self, bytes, maximumBytes: 9) == .tooLarge(bytes: 10, maximum: 9))
        #expect(
            reason(Empty.self, Array(repeating: 0, count: MessageReader.bytesMax + 1))
                == .tooLarge(bytes: 4_194_305, maximum: 4_194_304))
    }

    @Test(
        arguments: [
            ([0x08], .truncated(bytesNeeded: 1, bytesLeft: 0), 1, [1]),
            ([0x08, 0x80], .truncated(bytesNeeded: 2, bytesLeft: 1), 1, [1]),
            ([0x5a, 5, 65], .truncated(bytesNeeded: 5, bytesLeft: 1), 2, [11]),
            (
                [0x5a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
                .truncated(bytesNeeded: .max, bytesLeft: 0), 11, [11]
            ),
            ([0x49, 1, 2, 3], .truncated(bytesNeeded: 8, bytesLeft: 3), 1, [9]),
            ([0x00], .invalidTag(0), 1, []),
            ([0x07], .invalidTag(7), 1, []),
            ([0x0e], .invalidTag(14), 1, []),
            ([0x80, 0x80, 0x80, 0x80, 0x80, 1], .invalidTag(1 << 35), 6, []),
            ([0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], .varintTooLong, 1, [1]),
            ([0x0d, 0, 0, 0, 0], .unexpectedWireType(.fixed32, expected: .varint), 1, [1]),
            ([0x58, 1], .unexpectedWireType(.varint, expected: .lengthDelimited), 1, [11]),
            ([0x5a, 2, 0xc0, 0x80], .invalidUTF8, 2, [11]),
            ([0x5a, 3, 0xed, 0xa0, 0x80], .invalidUTF8, 2, [11]),
            ([0x0c], .unexpectedWireType(.groupEnd, expected: .varint), 1, [1]),
            ([0x84, 0x06], .unbalancedGroup, 2, [96]),
            ([0x83, 0x06, 0x8c, 0x06], .unbalancedGroup, 4, [97]),
            ([0x83, 0x06], .unbalancedGroup, 2, [96]),
            ([0x7a, 2, 0x08, 0x80], .truncated(bytesNeeded: 2, bytesLeft: 1), 3, [15, 1]),
            ([0xc2, 1, 3, 1, 2, 0x80], .truncated(bytesNeeded: 2, bytesLeft: 1), 5, [24]),
            ([0xb2, 2, 3, 0x10, 0x80, 0x80], .truncated(bytesNeeded: 3, bytesLeft: 2), 4, [38, 2]),
        ] as [([UInt8], MessageError.Reason, Int, [Int])])
    func `an error names the fault, the byte and the field`(
        bytes: [UInt8], reason: MessageError.Reason, byteOffset: Int, path: [Int]
    ) {
        do throws(MessageError) {
            _ = try Everything(decoding: bytes)
            Issue.record("accepted")
        } catch {
            #expect(error.reason == reason)
            #expect(error.byteOffset == byteOffset)
            #expect(error.path == path)
            #expect(error.message == "Everything")
        }
    }

    @Test func `an error reads as a sentence`() {
        let error = #expect(throws: MessageError.self) { try Everything(decoding: [0x7a, 2, 0x08, 0x80]) }
        #expect(error?.description == "cannot read Everything: byte 3, field 15.1: 2 bytes are needed and 1 are left")
    }

    private func nested(_ depth: Int) -> [UInt8] {
        (1..<depth).reduce(into: []) { inner, _ in
            var writer = MessageWriter()
            writer.write(inner, field: 3)
            inner = writer.bytes
        }
    }

    private func reason<Message: WireMessage>(
        _: Message.Type, _ bytes: [UInt8], maximumBytes: Int = MessageReader.bytesMax
    ) -> MessageError.Reason? {
        do throws(MessageError) {
            _ = try Message(decoding: bytes, maximumBytes: maximumBytes)
            return nil
        } catch {
            return error.reason
        }
    }
}
