/// Messages of a server, in the bytes of version 3 of the protocol.
enum ServerBytes {
    /// A message: its kind, its length, its body.
    static func message(_ kind: Character, _ body: [UInt8] = []) -> [UInt8] {
        [kind.asciiValue!] + integer(Int32(body.count + 4)) + body
    }

    static func integer(_ value: Int32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    static func short(_ value: Int16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
    static func text(_ value: String) -> [UInt8] { Array(value.utf8) + [0] }

    static let ready = message("Z", [0x49])
    /// The beginning of a session: credentials are not asked for.
    static let greeting: [[UInt8]] = [
        message("R", integer(0)), message("S", text("server_version") + text("15.1")),
        message("S", text("client_encoding") + text("UTF8")), message("K", integer(1) + integer(2)), ready,
    ]

    /// A column of a type in binary form, in the description of rows.
    static func column(_ name: String, type: Int32, size: Int16 = -1, format: Int16 = 1) -> [UInt8] {
        text(name) + integer(0) + short(0) + integer(type) + short(size) + integer(-1) + short(format)
    }

    static func description(_ columns: [[UInt8]]) -> [UInt8] {
        message("T", short(Int16(columns.count)) + columns.flatMap { $0 })
    }

    static func row(_ values: [[UInt8]?]) -> [UInt8] {
        message(
            "D", short(Int16(values.count)) + values.flatMap { $0.map { integer(Int32($0.count)) + $0 } ?? integer(-1) }
        )
    }

    static func error(_ code: String, severity: String = "ERROR", _ words: String = "failed") -> [UInt8] {
        message(
            "E",
            [("S", severity), ("V", severity), ("C", code), ("M", words)].flatMap { Array($0.0.utf8) + text($0.1) } + [
                0
            ])
    }

    /// The answer to one statement without a preparation: two rows of an `int8` and a text.
    static let answer: [[UInt8]] = [
        message("1"), message("2"), description([column("id", type: 20, size: 8), column("name", type: 25)]),
        row([[0, 0, 0, 0, 0, 0, 0, 7], Array("a".utf8)]), row([[0, 0, 0, 0, 0, 0, 0, 8], nil]),
        message("C", text("SELECT 2")), ready,
    ]
}

extension FakeServer.Peer {
    /// Begins a session. Returns false if the client has left.
    func greet() -> Bool { message(isFirst: true) != nil && write(ServerBytes.greeting.flatMap { $0 }) }

    /// Reads the client's messages up to a synchronization or a text by the simple protocol. Returns false if it has
    /// left.
    func readRequest() -> Bool {
        while let (kind, _) = message() {
            if kind == Character("S").asciiValue || kind == Character("Q").asciiValue { return true }
        }
        return false
    }
}
