/// Texts within addresses and forms (RFC 3986).
package enum PercentEncoding {
    /// The text with everything escaped but letters and digits of ASCII, `-`, `.`, `_` and `~`.
    package static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += Array("%".utf8) + Hexadecimal.encode([byte]).uppercased().utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Names and values as a query or a form has them.
    package static func form(_ items: KeyValuePairs<String, String>) -> String {
        items.map { "\(encode($0.key))=\(encode($0.value))" }.joined(separator: "&")
    }
}
