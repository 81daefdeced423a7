import ProtocolBuffers
import TestSupport
import Testing

@Suite struct ProtocOracleTests {
    /// Forty messages to a call, as a process costs more than all of them.
    @Test(arguments: UInt64(1)...6)
    func `our bytes are those of protoc, and its bytes give our messages`(seed: UInt64) throws {
        var random = RandomEverything(seed: seed)
        let corpus = Corpus(items: (0..<40).map { _ in random.message() })
        var text = TextFormat()
        for item in corpus.items { text.field("items") { $0.fields(of: item) } }
        let theirs = try Protoc.encode(text.text, as: "Corpus")
        #expect(corpus.encoded() == theirs, "seed \(seed)")
        #expect(try Corpus(decoding: theirs) == corpus, "seed \(seed)")
    }

    @Test(arguments: UInt64(1)...6)
    func `protoc reads our bytes, and what it read gives them again`(seed: UInt64) throws {
        var random = RandomEverything(seed: seed)
        let corpus = Corpus(items: (0..<40).map { _ in random.message() })
        let text = try #require(try Protoc.decode(corpus.encoded(), as: "Corpus"))
        #expect(try Protoc.encode(text, as: "Corpus") == corpus.encoded(), "seed \(seed)")
    }

    /// Damaged messages: we refuse what protoc refuses. The two differ in three ways that are meant: it passes over a
    /// known field of the wrong wire type and strings that are not UTF-8, and drops bits above the 64th.
    @Test(arguments: UInt64(1)...120)
    func `damaged bytes are refused by both or by neither`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var messages = RandomEverything(seed: seed)
        var bytes = messages.message(depth: 1).encoded() + [8, 1]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
            case 1: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
            default: bytes.removeSubrange(place..<min(place + 3, bytes.count - 1))
            }
        }
        let theirs = try Protoc.decode(bytes, as: "Everything")
        do throws(MessageError) {
            _ = try Everything(decoding: bytes)
            #expect(theirs != nil, "seed \(seed): accepted by us alone: \(bytes)")
        } catch {
            switch error.reason {
            case .unexpectedWireType, .invalidUTF8, .varintTooLong: break
            default: #expect(theirs == nil, "seed \(seed): accepted by protoc alone, \(error): \(bytes)")
            }
        }
    }
}
