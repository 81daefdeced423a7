import PostgreSQL
import TestSupport
import Testing

extension OnRealPostgreSQL {
    @Suite("Values") struct ValueTests {
        /// The server's own text form of a value, as the oracle; of NULL none.
        static func text(_ value: PostgreSQLValue) -> String? {
            let hex = { (bytes: [UInt8]) in
                "\\x" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            }
            // As an element of an array's literal.
            let quoted = { (text: String) in
                "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
            }
            switch value {
            case .null: return nil
            case .bool(let value): return value ? "true" : "false"
            case .int2(let value): return "\(value)"
            case .int4(let value): return "\(value)"
            case .int8(let value): return "\(value)"
            case .float8(let value):
                return value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-" : "") + "Infinity" : "\(value)"
            case .text(let value): return value
            case .bytea(let value): return hex(value)
            case .int8Array(let values): return "{" + values.map { "\($0)" }.joined(separator: ",") + "}"
            case .textArray(let values): return "{" + values.map(quoted).joined(separator: ",") + "}"
            case .byteaArray(let values): return "{" + values.map { quoted(hex($0)) }.joined(separator: ",") + "}"
            }
        }

        /// The types, with their names in SQL.
        static let types = [
            "bool", "int2", "int4", "int8", "float8", "text", "bytea", "int8[]", "text[]", "bytea[]",
        ]

        static func random(_ type: String, _ random: inout SeededGenerator) -> PostgreSQLValue {
            let texts = ["", "a", "näme", "'\"\\{}, NULL", "\u{1F600}\u{FFFF}\u{10FFFF}", "e\u{301}", "\u{7f}\t\n"]
            let bytes = { (random: inout SeededGenerator) in
                (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            let count = Int.random(in: 0...4, using: &random)
            let edge = Bool.random(using: &random)
            switch type {
            case "bool": return .bool(edge)
            case "int2":
                return .int2(
                    edge
                        ? [.min, .max, 0, -1].randomElement(using: &random)!
                        : .random(in: .min ... .max, using: &random))
            case "int4":
                return .int4(
                    edge
                        ? [.min, .max, 0, -1].randomElement(using: &random)!
                        : .random(in: .min ... .max, using: &random))
            case "int8":
                return .int8(
                    edge
                        ? [.min, .max, 0, -1].randomElement(using: &random)!
                        : .random(in: .min ... .max, using: &random))
            case "float8":
                let edges = [0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1]
                return .float8(edge ? edges.randomElement(using: &random)! : .random(in: -1e9...1e9, using: &random))
            case "text": return .text((0..<count).map { _ in texts.randomElement(using: &random)! }.joined())
            case "bytea": return .bytea(bytes(&random))
            case "int8[]": return .int8Array((0..<count).map { _ in .random(in: .min ... .max, using: &random) })
            case "text[]": return .textArray((0..<count).map { _ in texts.randomElement(using: &random)! })
            default: return .byteaArray((0..<count).map { _ in bytes(&random) })
            }
        }

        static func read(_ type: String, _ row: PostgreSQLRow, _ column: Int) throws -> PostgreSQLValue {
            switch type {
            case "bool": .bool(try row.bool(column))
            case "int2": .int2(try #require(Int16(exactly: try row.integer(column))))
            case "int4": .int4(try #require(Int32(exactly: try row.integer(column))))
            case "int8": .int8(try row.integer(column))
            case "float8": .float8(try row.real(column))
            case "text": .text(try row.text(column))
            case "bytea": .bytea(try row.bytes(column))
            case "int8[]": .int8Array(try row.integers(column))
            case "text[]": .textArray(try row.texts(column))
            default: .byteaArray(try row.blobs(column))
            }
        }

        @Test("the server reads a binary value as the one of the same text, and sends it back", arguments: types)
        func roundTrip(type: String) throws {
            let connection = try TestSchema().connect()
            for seed in TestSeeds.several(40) {
                var generator = SeededGenerator(seed: seed)
                let value = Self.random(type, &generator)
                let text = try #require(Self.text(value))
                let rows = try connection.query(
                    "SELECT $1::\(type), $1::\(type) IS NOT DISTINCT FROM $2::text::\(type), $2::text::\(type)", value,
                    .text(text))
                #expect(try rows[0].bool(1), "seed \(seed): \(value)")
                #expect(try Self.read(type, rows[0], 0) == value, "seed \(seed)")
                #expect(try Self.read(type, rows[0], 2) == value, "seed \(seed): the server's own")
            }
        }

        @Test("NULL is none of the values, of each type", arguments: types)
        func null(type: String) throws {
            let row = try TestSchema().connect().query("SELECT $1::\(type)", .null)[0]
            #expect(try row.isNull(0))
            #expect(try failure { _ = try Self.read(type, row, 0) }.kind == .unexpectedValue)
            #expect(try row.optionalInteger(0) == nil && row.optionalText(0) == nil && row.optionalBytes(0) == nil)
        }

        @Test("a value of another type is not read", arguments: types)
        func others(type: String) throws {
            var generator = SeededGenerator(seed: 1)
            let row = try TestSchema().connect().query("SELECT $1::\(type)", Self.random(type, &generator))[0]
            let isInteger = { ["int2", "int4", "int8"].contains($0) }
            for other in Self.types where other != type && !(isInteger(type) && isInteger(other)) {
                #expect(try failure { _ = try Self.read(other, row, 0) }.kind == .unexpectedValue, "as \(other)")
            }
            for column in [-1, 1, .max] { #expect(try failure { _ = try row.isNull(column) }.kind == .unexpectedValue) }
        }

        @Test("integers without a sign, names and other arrays are read")
        func otherTypes() throws {
            let row = try TestSchema().connect().query(
                """
                SELECT 4294967295::oid, '9223372036854775807'::xid8, 'a'::name, 'b'::varchar, 1.5::float4,
                    '{1,-2}'::int4[], '{3}'::int2[], '18446744073709551615'::xid8, '{1,NULL}'::int8[],
                    '{{1},{2}}'::int8[], 'c', 1.5::numeric
                """)[0]
            #expect(try row.integer(0) == 4_294_967_295 && row.integer(1) == .max)
            #expect(try row.text(2) == "a" && row.text(3) == "b" && row.real(4) == 1.5 && row.text(10) == "c")
            #expect(try row.integers(5) == [1, -2] && row.integers(6) == [3])
            for column in [7, 11] { #expect(try failure { _ = try row.integer(column) }.kind == .unexpectedValue) }
            for column in [8, 9] { #expect(try failure { _ = try row.integers(column) }.kind == .unexpectedValue) }
        }

        @Test("rows outlive their connection")
        func lifetime() throws {
            var connection: PostgreSQLConnection? = try TestSchema().connect()
            let rows = try #require(try connection?.query("SELECT generate_series(1, 1000), repeat('a', 100)::bytea"))
            connection = nil
            #expect(try rows.map { try $0.integer(0) } == (1...1000).map { $0 })
            #expect(try rows[999].withBytes(1) { $0.count } == 100)
        }
    }
}
