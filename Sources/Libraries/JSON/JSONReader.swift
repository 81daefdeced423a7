/// Reads one JSON text from memory that outlives it.
struct JSONReader {
    let text: UnsafeRawBufferPointer
    /// The same memory; an address also where the buffer is empty and has none.
    let start: UnsafeRawPointer
    let end: Int
    var position = 0
    private var depth = 0
    private var values = 0

    init(_ text: UnsafeRawBufferPointer) {
        self.text = text
        start = text.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        end = text.count
    }

    mutating func wholeText() throws(JSONError) -> JSONValue {
        if text.starts(with: [0xef, 0xbb, 0xbf]) { throw error("the text begins with a byte order mark") }
        skipSpace()
        let value = try value()
        skipSpace()
        guard position == end else { throw error("there is more after the value") }
        return value
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        guard values < JSONValue.valuesMax else { throw error("more than \(JSONValue.valuesMax) values") }
        values += 1
        switch next {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return try nested { reader throws(JSONError) in .object(try reader.members()) }
        case UInt8(ascii: "["): return try nested { reader throws(JSONError) in .array(try reader.elements()) }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw unexpected("a value")
        }
    }

    private mutating func nested(
        _ content: (inout JSONReader) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        guard depth < JSONValue.depthMax else { throw error("more than \(JSONValue.depthMax) levels") }
        depth += 1
        position += 1
        skipSpace()
        let value = try content(&self)
        depth -= 1
        return value
    }

    private mutating func elements() throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try value())
            skipSpace()
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { throw unexpected("a comma or a closing bracket") }
            skipSpace()
        }
    }

    private mutating func members() throws(JSONError) -> JSONObject {
        var members = JSONObject()
        if take(UInt8(ascii: "}")) { return members }
        while true {
            guard next == UInt8(ascii: "\"") else { throw unexpected("a key") }
            let keyPosition = position
            let key = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw unexpected("a colon") }
            skipSpace()
            guard members.insert(key, try value()) else {
                throw error("the object has the key \"\(key)\" twice", at: keyPosition)
            }
            skipSpace()
            if take(UInt8(ascii: "}")) { return members }
            guard take(UInt8(ascii: ",")) else { throw unexpected("a comma or a closing brace") }
            skipSpace()
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let rest = UnsafeRawBufferPointer(rebasing: text[position...])
        guard rest.starts(with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)) else {
            throw unexpected("\(word)")
        }
        position += word.utf8CodeUnitCount
        return value
    }

    /// The byte that is to be read, or 0, which no token has, at the end.
    var next: UInt8 { position < end ? byte(at: position) : 0 }

    func byte(at position: Int) -> UInt8 { start.load(fromByteOffset: position, as: UInt8.self) }

    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < end {
            switch byte(at: position) {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    func error(_ message: String, at position: Int? = nil) -> JSONError {
        JSONError(message, at: position ?? self.position, of: text)
    }

    func unexpected(_ expected: String) -> JSONError {
        guard position < end else { return error("the text ends where \(expected) is expected") }
        let byte = byte(at: position)
        let found = (0x21..<0x7f).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "byte \(byte)"
        return error("\(found) where \(expected) is expected")
    }
}
