/// The keys of a service: several named ones for tokens, of which the current one seals and all open, and one for
/// identifiers that never changes.
package struct KeyRing: Sendable, Equatable {
    /// The name of the key that seals.
    package private(set) var currentName: String
    /// The key of opaque identifiers: with another one, those that were given out would mean nothing.
    package let identifierKey: SecretKey

    private(set) var keys: [String: SecretKey]

    init(keys: [String: SecretKey], currentName: String, identifierKey: SecretKey) {
        precondition(keys[currentName] != nil, "the current key is one of the ring")
        self.keys = keys
        self.currentName = currentName
        self.identifierKey = identifierKey
    }

    /// A ring with one new key for tokens and a new one for identifiers.
    package static func generate() -> KeyRing {
        let name = newName()
        return KeyRing(keys: [name: .random()], currentName: name, identifierKey: .random())
    }

    /// The names of all keys for tokens, sorted.
    package var names: [String] { keys.keys.sorted() }

    /// Adds a new key and makes it the current one; what the others sealed can still be opened.
    package mutating func rotate() {
        var name = Self.newName()
        while keys[name] != nil { name = Self.newName() }
        keys[name] = .random()
        currentName = name
    }

    /// Takes a key away, so that what it sealed can no longer be opened; false if it is the current one or there is
    /// none of that name.
    package mutating func remove(_ name: String) -> Bool {
        name != currentName && keys.removeValue(forKey: name) != nil
    }

    /// Whether a name is one: 1 to 32 letters, digits, dashes and underscores of ASCII.
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

    var current: SecretKey { keys[currentName]! }
}
