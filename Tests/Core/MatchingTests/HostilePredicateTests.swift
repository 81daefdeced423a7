import CloudMessages
import CloudModel
import Matching
import ProtocolBuffers
import TestSupport
import Testing

/// Predicate strings of the longest kind, made to go deep, on the smallest stack: all are taken or refused, none ends
/// the process.
@Suite struct HostilePredicateTests {
    /// Openings that are repeated.
    private static let openings = [
        "{", "(", "NOT ", "!", "NOT (", "!(", "((", "a IN {", "a IN {{", "distanceToLocation:fromLocation:(",
        "tokenize(", "tokenize:using:(", "ANY ", "ALL ", "NONE ", "ANY tokenize(", "SELF ", "SELF CONTAINS ", "#",
        "%@ ", "{%@,", "{tokenize(", "distanceToLocation:fromLocation:({", "tokenize({", "CAST(", "CAST(CAST(", "now(",
        "a == ", "NOT a IN {", "(a == 1 AND ", "(a == 1 OR ", "{1,{", "a BETWEEN {", "a IN {tokenize('x',", "[", ".",
        "a == 1 AND ", "a == 1 OR ", "a == 1 AND NOT (", "\\", "'", "-", "--", "$", "@", "a CONTAINS[cd", "{-",
        "ALL {", "{ALL {", "(ANY {", "!{!", "{(", "({", "{now,", "{now(", "{self,",
    ]

    private static func taken(_ text: String, typed: Bool) -> CloudErrorCode? {
        let arguments: [GivenPredicate.Argument] = [
            .value(GivenValue(.stringList(["a"]), isTypeExplicit: false)), .null,
            .value(GivenValue(.list([.int64(1)], of: .int64), isTypeExplicit: true)),
            .value(GivenValue(.location(Location(latitude: 1, longitude: 2)), isTypeExplicit: true)),
        ]
        let places = min(text.utf8.count { $0 == UInt8(ascii: "%") }, Limits.predicateArgumentsMax)
        let given = GivenQuery(
            recordType: RecordType(trusted: "T"), filters: [],
            predicate: GivenPredicate(
                text: text, arguments: (0..<places).map { arguments[$0 % arguments.count] }))
        do throws(CloudError) {
            let query = try QueryValidator.query(
                given, types: typed ? [FieldName(trusted: "a"): .int64] : nil, time: Timestamp(milliseconds: 1))
            _ = query.predicate.holds(for: Fixtures.record(["a": .int64(1)]))
            _ = query.predicate.cost
            return nil
        } catch {
            return error.code
        }
    }

    @Test func noShapeOfALongPredicateEndsTheProcess() {
        for first in Self.openings {
            for second in ["", "NOT ("] {
                let piece = first + second
                for ending in ["", "}"] {
                    let count =
                        (Limits.predicateCharactersMax - ending.unicodeScalars.count) / piece.unicodeScalars.count
                    for start in ["", "a IN "] {
                        let room =
                            (count * piece.unicodeScalars.count - start.unicodeScalars.count)
                            / piece.unicodeScalars.count
                        let text = start + String(repeating: piece, count: room) + ending
                        let code = SmallStack.run { Self.taken(text, typed: false) }
                        #expect(code == .badRequest, "\(text.prefix(40))… is taken")
                    }
                }
            }
        }
    }

    @Test func mixturesOfAllShapesAreRefusedToo() {
        var random = SeededGenerator(seed: 11)
        for number in 0..<40 {
            var text = ["", "a IN ", "a == ", "ANY "].randomElement(using: &random)!
            let alphabet = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                Self.openings.randomElement(using: &random)!
            }
            while true {
                let next = alphabet.randomElement(using: &random)!
                guard text.unicodeScalars.count + next.unicodeScalars.count <= Limits.predicateCharactersMax else {
                    break
                }
                text += next
            }
            let (written, isTyped) = (text, number % 2 == 0)
            #expect(SmallStack.run { Self.taken(written, typed: isTyped) } != .internalError, "\(text.prefix(60))")
        }
    }

    /// As deep as may be written: read, stored, read again, evaluated, filed and taken apart on the smallest stack.
    @Test(arguments: [
        (String(repeating: "NOT ", count: 16), ""),
        (String(repeating: "(", count: 16), String(repeating: ")", count: 16)),
        (String(repeating: "NOT (", count: 8), String(repeating: ")", count: 8)),
        (String(repeating: "(a == 2 OR ", count: 8), String(repeating: ")", count: 8)),
    ])
    func theDeepestPredicateGoesThroughEverything(opening: String, closing: String) throws {
        let isSame = SmallStack.run {
            do {
                let query = try QueryValidator.query(
                    GivenQuery(
                        recordType: RecordType(trusted: "T"), filters: [],
                        predicate: GivenPredicate(text: "\(opening)a == 1\(closing)", arguments: [])), types: nil,
                    time: nil)
                let bytes = WrittenPredicateMessage(query.written!).encoded()
                let again = try WrittenPredicateMessage(decoding: bytes).written().tree
                let record = Fixtures.record(["a": .int64(1)])
                return again == query.predicate && again.holds(for: record) == query.predicate.holds(for: record)
            } catch {
                return false
            }
        }
        #expect(isSame)
    }

    /// Nested arrays as arguments, and deeply nested messages, end where the readers say.
    @Test func deepMessagesAreRefused() {
        let isRefused = SmallStack.run {
            var message = PredicateMessage(.always)
            for _ in 0..<10_000 where message.encoded().count < 200_000 {
                message = PredicateMessage(kind: 4, parts: [message])
                if message.encoded().count > 90 { break }
            }
            var bytes = message.encoded()
            // A length of its own at each level, as far as four MiB go.
            for _ in 0..<2000 {
                bytes = [8, 4, 18] + Self.varint(bytes.count) + bytes
            }
            return (try? PredicateMessage(decoding: bytes)) == nil
        }
        #expect(isRefused)
    }

    private static func varint(_ number: Int) -> [UInt8] {
        var (rest, bytes) = (number, [UInt8]())
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
