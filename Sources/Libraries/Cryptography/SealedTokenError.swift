/// The reason why a text is no token that a ring sealed for a purpose.
package enum SealedTokenError: Error, Equatable {
    /// The text is no token at all: other characters, or too short.
    case malformed
    /// A token of a version that this program does not know.
    case unknownVersion(UInt8)
    /// A token under a key that the ring does not have: removed, or of another service.
    case unknownKey(String)
    /// A token whose code is not that of its content: changed, made up, or sealed for another purpose.
    case forged
}

extension SealedTokenError: CustomStringConvertible {
    /// One sentence.
    package var description: String {
        switch self {
        case .malformed: "the text is no token"
        case .unknownVersion(let version): "the token has version \(version), which is not known here"
        case .unknownKey(let name): "the token was sealed with the key \"\(name)\", which is not in the key ring"
        case .forged: "the token was changed, made up or sealed for another purpose"
        }
    }
}
