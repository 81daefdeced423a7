import TestSupport
import Testing

@testable import PostgreSQL

@Suite("Binary fields") struct BinaryFieldTests {
    static func bytes(_ value: PostgreSQLValue) -> [UInt8] {
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        return bytes
    }

    static func elements(_ bytes: [UInt8], type: UInt32? = nil) throws -> [Int64] {
        var found: [Int64] = []
        try bytes.withUnsafeBytes { bytes in
            try BinaryField(bytes: bytes, type: type).elements { field throws(UnexpectedValue) in
                found.append(try field.integer())
            }
        }
        return found
    }

    @Test("an array is as the server's documents have it")
    func array() throws {
        let expected: [UInt8] =
            [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0, 1]
            + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8, 255, 255, 255, 255, 255, 255, 255, 254]
        #expect(Self.bytes(.int8Array([1, -2])) == expected)
        #expect(try Self.elements(expected, type: 1016) == [1, -2])
        #expect(Self.bytes(.textArray([])) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25])
    }

    @Test("arrays that are cut, too long, of other types or of counts without elements are refused")
    func refused() {
        let whole = Self.bytes(.int8Array([1, 2, 3]))
        for count in 0..<whole.count {
            #expect(throws: UnexpectedValue.self, "\(count) bytes") { try Self.elements(Array(whole.prefix(count))) }
        }
        #expect(throws: UnexpectedValue.self) { try Self.elements(whole + [0]) }
        #expect(throws: UnexpectedValue.self) { try Self.elements(whole, type: 1009) }
        let changes: [(Int, [UInt8])] = [
            (0, [0, 0, 0, 2]), (0, [255, 255, 255, 255]), (8, [0, 0, 0, 99]), (12, [0x7f, 255, 255, 255]),
            (12, [255, 255, 255, 255]), (12, [0, 0, 0, 2]), (20, [0x7f, 255, 255, 255]), (20, [255, 255, 255, 254]),
        ]
        for (place, change) in changes {
            var bytes = whole
            bytes.replaceSubrange(place..<place + 4, with: change)
            #expect(throws: UnexpectedValue.self, "\(place)") { try Self.elements(bytes) }
        }
    }

    @Test("codes of errors have their kinds")
    func kinds() {
        let kinds: [(String, String?, PostgreSQLError.Kind)] = [
            ("40001", nil, .serializationFailure), ("40P01", nil, .deadlock), ("0A000", nil, .other),
            ("0A000", "RevalidateCachedQuery", .stalePlan), ("23505", nil, .uniqueViolation),
            ("23503", nil, .constraintViolation), ("53100", nil, .outOfResources), ("53300", nil, .outOfResources),
            ("08006", nil, .connectionLost), ("57P01", nil, .connectionLost), ("57P03", nil, .notAccepting),
            ("25P03", nil, .connectionLost), ("28000", nil, .refusedCredentials), ("", nil, .other), ("4", nil, .other),
        ]
        for (code, function, kind) in kinds { #expect(PostgreSQLError.kind(of: code, function: function) == kind) }
    }

    @Test("a name is prepared once, and again under another name when its plan is stale")
    func names() throws {
        var names = PreparedNames()
        let statement = PostgreSQLStatement("a", "SELECT 1")
        let uses = { (names: inout PreparedNames) in names.use(statement).map { "\($0.name) \($0.isNew)" } }
        #expect(uses(&names) == "a true" && uses(&names) == "a false")
        names.forget("a")
        #expect(uses(&names) == "a true")
        names.renew("a")
        #expect(uses(&names) == "a/1 true" && uses(&names) == "a/1 false")
        #expect(names.use(PostgreSQLStatement("a", "SELECT 2")) == nil)
    }
}
