import TextForms

extension KeyRing {
    private static let heading = "key-ring 1"

    /// Reads a ring from what `serialized()` gave; empty lines and lines that begin with `#` are passed over.
    package init(parsing bytes: [UInt8]) throws(KeyRingError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed(line: 1, "is not UTF-8") }
        var keys: [String: SecretKey] = [:]
        var identifierKey: SecretKey?
        var formerKeys: [SecretKey] = []
        var current: String?
        var headingSeen = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(separator: " ").map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            guard headingSeen || line == Self.heading else {
                throw .malformed(line: index + 1, "does not begin with \"\(Self.heading)\"")
            }
            switch (first, words.count) {
            case ("key-ring", 2) where !headingSeen: headingSeen = true
            case ("key", 3) where KeyRing.isName(words[1]) && keys[words[1]] == nil:
                keys[words[1]] = try Self.key(words[2], line: index + 1)
            case ("current", 2) where current == nil: current = words[1]
            case ("identifier-key", 2) where identifierKey == nil:
                identifierKey = try Self.key(words[1], line: index + 1)
            case ("former-identifier-key", 2): formerKeys.append(try Self.key(words[1], line: index + 1))
            default: throw .malformed(line: index + 1, "is no line of a key ring, or one that came before")
            }
        }
        guard let identifierKey else { throw .malformed(line: 1, "has no identifier-key") }
        guard let current, keys[current] != nil else { throw .malformed(line: 1, "names none of its keys as current") }
        self.init(
            keys: keys, currentName: current, identifierKey: identifierKey, formerIdentifierKeys: formerKeys)
    }

    /// The ring as text, with all its secrets: one line a key.
    package func serialized() -> [UInt8] {
        let content = content
        var lines = [Self.heading, "current \(content.currentName)"]
        lines += content.keys.sorted { $0.key < $1.key }.map { "key \($0.key) \(Base64.url.encode($0.value.bytes))" }
        lines.append("identifier-key \(Base64.url.encode(content.identifierKeys[0].bytes))")
        lines += content.identifierKeys.dropFirst().map { "former-identifier-key \(Base64.url.encode($0.bytes))" }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    private static func key(_ text: String, line: Int) throws(KeyRingError) -> SecretKey {
        guard let bytes = Base64.url.decode(text), let key = SecretKey(bytes: bytes) else {
            throw .malformed(line: line, "has a key that is not 32 bytes in base64url")
        }
        return key
    }
}
