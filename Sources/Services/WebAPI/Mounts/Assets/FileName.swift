import TextForms

/// The name that a browser saves a download under: `Content-Disposition` by RFC 6266.
enum FileName {
    /// Bytes of a name at most.
    private static let bytesMax = 255

    /// The value of the header for the name that a page asks for, or for none. A browser never shows what it downloads
    /// here: the contents are whatever a user sent.
    static func disposition(_ name: String?) -> String {
        guard let name, !name.isEmpty, name.utf8.count <= bytesMax else { return "attachment" }
        let plain = String(
            name.unicodeScalars.map { scalar -> Character in
                let isPlain = (0x20..<0x7f).contains(scalar.value) && !["\"", "\\", "/", "%"].contains(scalar)
                return isPlain ? Character(scalar) : "_"
            })
        return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(PercentEncoding.encode(name))"
    }
}
