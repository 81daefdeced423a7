import TextForms

/// The keys of a service: several named ones for tokens, and those for identifiers and stored bytes; of each kind the
/// current one seals and all open.
///
/// A ring is a value; one that follows a file, and all its copies, are as the file was when it was last looked at.
package struct KeyRing: Sendable {
    /// The keys themselves.
    struct Content: Sendable, Equatable {
        /// The name of the key that seals.
        var currentName: String
        /// The keys of opaque identifiers and of stored bytes, the current one first.
        var identifierKeys: [SecretKey]
        var keys: [String: SecretKey]
    }

    private var own: Content
    /// The file that the ring follows; nil for a ring of fixed keys.
    let source: KeyRingSource?

    init(
        keys: [String: SecretKey], currentName: String, identifierKey: SecretKey, formerIdentifierKeys: [SecretKey] = []
    ) {
        precondition(keys[currentName] != nil, "the current key is one of the ring")
        own = Content(currentName: currentName, identifierKeys: [identifierKey] + formerIdentifierKeys, keys: keys)
        source = nil
    }

    init(following source: KeyRingSource) {
        own = source.content
        self.source = source
    }

    /// A ring as another is at this moment.
    init(_ content: Content) {
        own = content
        source = nil
    }

    /// The key that seals.
    var current: SecretKey { content.keys[content.currentName]! }

    /// The keys that the ring has now.
    var content: Content { source?.content ?? own }

    /// A ring with one new key for tokens and a new one for identifiers.
    package static func generate() -> KeyRing {
        let name = newName()
        return KeyRing(keys: [name: .random()], currentName: name, identifierKey: .random())
    }

    /// The name of the key that seals.
    package var currentName: String { content.currentName }

    /// The key of opaque identifiers and stored bytes: without it, those that were given out mean nothing.
    package var identifierKey: SecretKey { content.identifierKeys[0] }

    /// The current key for identifiers and the former ones, which are read until `removeFormerIdentifierKeys`.
    package var identifierKeys: [SecretKey] { content.identifierKeys }

    /// Makes a new key for identifiers and stored bytes the current one. For a ring without a file.
    package mutating func rotateIdentifierKey() { own.identifierKeys.insert(.random(), at: 0) }

    /// Removes all keys for identifiers and stored bytes but the current one. For a ring without a file.
    package mutating func removeFormerIdentifierKeys() { own.identifierKeys.removeSubrange(1...) }

    /// The names of all keys for tokens, sorted.
    package var names: [String] { content.keys.keys.sorted() }

    /// Adds a new key and makes it the current one; seals of the others can still be opened. For a ring without a file.
    package mutating func rotate() {
        var name = Self.newName()
        while own.keys[name] != nil { name = Self.newName() }
        own.keys[name] = .random()
        own.currentName = name
    }

    /// Removes a key, so that its seals can no longer be opened; false if it is the current one or does not exist. For
    /// a ring without a file.
    package mutating func remove(_ name: String) -> Bool {
        name != own.currentName && own.keys.removeValue(forKey: name) != nil
    }

    /// Returns true if a text can name a key: 1 to 32 letters, digits, dashes and underscores of ASCII.
    static func isName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func newName() -> String { Hexadecimal.encode(SecureRandom.bytes(count: 3)) }
}

extension KeyRing: Equatable {
    /// Returns true if both have the same keys now.
    package static func == (left: KeyRing, right: KeyRing) -> Bool { left.content == right.content }
}
