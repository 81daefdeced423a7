import TextForms

/// The keys of a service: several named ones for tokens, of which the current one seals and all open, and one for
/// identifiers that never changes.
///
/// A ring is a value; one that follows a file, and all its copies, are as the file was when it was last looked at.
package struct KeyRing: Sendable {
    /// The keys themselves.
    struct Content: Sendable, Equatable {
        /// The name of the key that seals.
        var currentName: String
        /// The key of opaque identifiers.
        let identifierKey: SecretKey
        var keys: [String: SecretKey]
    }

    private var own: Content
    /// The file that the ring follows; nil for a ring of fixed keys.
    let source: KeyRingSource?

    init(keys: [String: SecretKey], currentName: String, identifierKey: SecretKey) {
        precondition(keys[currentName] != nil, "the current key is one of the ring")
        own = Content(currentName: currentName, identifierKey: identifierKey, keys: keys)
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

    /// The key of opaque identifiers: with another one, those that were given out would mean nothing.
    package var identifierKey: SecretKey { own.identifierKey }

    /// The names of all keys for tokens, sorted.
    package var names: [String] { content.keys.keys.sorted() }

    /// Adds a new key and makes it the current one; what the others sealed can still be opened. Of a ring that stands
    /// alone.
    package mutating func rotate() {
        var name = Self.newName()
        while own.keys[name] != nil { name = Self.newName() }
        own.keys[name] = .random()
        own.currentName = name
    }

    /// Takes a key away, so that what it sealed can no longer be opened; false if it is the current one or there is
    /// none of that name. Of a ring that stands alone.
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
