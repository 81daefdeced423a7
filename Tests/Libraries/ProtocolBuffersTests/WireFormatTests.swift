import ProtocolBuffers
import Testing

/// Bytes as the encoding guide of Protocol Buffers has them, or as protoc 3.21 wrote them.
@Suite struct WireFormatTests {
    @Test(
        arguments: [
            (Everything(int32Value: 150), [0x08, 0x96, 0x01]),
            (Everything(int32Value: -1), [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
            (Everything(sint32Value: -2), [0x28, 0x03]),
            (Everything(sint64Value: .min), [0x30, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
            (Everything(fixed64Value: 1), [0x39, 1, 0, 0, 0, 0, 0, 0, 0]),
            (Everything(doubleValue: 1), [0x49, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]),
            (Everything(boolValue: true), [0x50, 0x01]),
            (Everything(stringValue: "testing"), [0x5a, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]),
            (Everything(weather: .belowZero), [0x68, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
            (Everything(point: .init(x: -1)), [0x7a, 0x02, 0x08, 0x01]),
            (Everything(int32s: [3, 270, 86_942]), [0xc2, 0x01, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]),
            (Everything(strings: ["a", ""]), [0x92, 0x02, 0x01, 0x61, 0x92, 0x02, 0x00]),
            (Everything(counts: ["b": 0, "a": 1]), [0xb2, 2, 5, 10, 1, 97, 16, 1, 0xb2, 2, 5, 10, 1, 98, 16, 0]),
            (Everything(content: .flag(false)), [0xa8, 0x03, 0x00]),
            (Everything(deepest: .init(nothing: .init())), [0xfa, 0x03, 0x02, 0x12, 0x00]),
        ] as [(Everything, [UInt8])])
    func `recorded bytes are written and read`(message: Everything, bytes: [UInt8]) throws {
        #expect(message.encoded() == bytes)
        #expect(try Everything(decoding: bytes) == message)
    }

    @Test(
        arguments: [
            // A field that nobody knows, in each wire type, before and after one that is known.
            [0x88, 0x06, 0x2a, 0x08, 1], [0x8d, 0x06, 1, 2, 3, 4, 0x08, 1],
            [0x89, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, 0x08, 1],
            [0x08, 1, 0x8a, 0x06, 2, 0xff, 0xff], [0x83, 0x06, 0x08, 7, 0x8b, 0x06, 0x8c, 0x06, 0x84, 0x06, 0x08, 1],
            // A tag and a value longer than they need be, a value wider than 32 bits, and the last of two.
            [0x88, 0x00, 0x81, 0x00], [0x08, 0x81, 0x80, 0x80, 0x80, 0x10], [0x08, 9, 0x08, 1],
        ] as [[UInt8]])
    func `one value is read in many forms`(bytes: [UInt8]) throws {
        #expect(try Everything(decoding: bytes) == Everything(int32Value: 1))
    }

    @Test func `lists are read packed, unpacked and mixed`() throws {
        let bytes: [UInt8] = [0xc0, 1, 1, 0xc2, 1, 2, 2, 3, 0xc0, 1, 4, 0xc2, 1, 0]
        #expect(try Everything(decoding: bytes) == Everything(int32s: [1, 2, 3, 4]))
        let fixed: [UInt8] = [0xf1, 1, 5, 0, 0, 0, 0, 0, 0, 0]
        #expect(try Everything(decoding: fixed) == Everything(fixed64s: [5]))
    }

    @Test func `a message in two parts is one, in an optional field and in a oneof`() throws {
        let halves: [UInt8] = [0x7a, 2, 0x08, 2, 0x7a, 2, 0x10, 4]
        #expect(try Everything(decoding: halves).point == .init(x: 1, y: 2))
        let chosen: [UInt8] = [0xc2, 3, 2, 0x08, 2, 0xc2, 3, 2, 0x10, 4]
        #expect(try Everything(decoding: chosen).content == .location(.init(x: 1, y: 2)))
    }

    @Test func `the last member of a oneof counts`() throws {
        #expect(try Everything(decoding: [0x90, 3, 5, 0x9a, 3, 1, 97]).content == .text("a"))
    }

    @Test func `entries of a map without key or value have the defaults, and the last of two counts`() throws {
        #expect(try Everything(decoding: [0xb2, 2, 0]).counts == ["": 0])
        #expect(try Everything(decoding: [0xd2, 2, 3, 10, 1, 97]).places == ["a": .init()])
        #expect(try Everything(decoding: [0xb2, 2, 2, 16, 1, 0xb2, 2, 4, 16, 2, 24, 9]).counts == ["": 2])
    }

    @Test func `a number without a name is kept`() throws {
        let message = try Everything(decoding: [0x68, 0x2a])
        #expect(message.weather == .unrecognized(42))
        #expect(message.encoded() == [0x68, 0x2a])
        #expect(Everything.Weather(rawValue: 1) == .clear)
    }

    @Test func `a message is decoded from memory that is not an array`() throws {
        let bytes = [UInt8](Everything(int32Value: 5).encoded())
        let message = try bytes.withUnsafeBytes { try Everything(decoding: $0) }
        #expect(message.int32Value == 5)
        #expect(try Everything(decoding: UnsafeRawBufferPointer(start: nil, count: 0)) == Everything())
    }
}
