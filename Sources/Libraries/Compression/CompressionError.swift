/// The reason why bytes are no compressed content, or not one that is wanted.
package enum CompressionError: Error, Equatable {
    /// The bytes are not in the format, or were changed: zlib's reason, and how many bytes it had read.
    case corrupt(reason: String, byteOffset: Int)
    /// The bytes end before the content does.
    case truncated(byteOffset: Int)
    /// The content has more bytes than allowed.
    case tooLarge(maximumBytes: Int)
}

extension CompressionError: CustomStringConvertible {
    /// One sentence.
    package var description: String {
        switch self {
        case .corrupt(let reason, let byteOffset):
            "the compressed bytes are corrupt before byte \(byteOffset): \(reason)"
        case .truncated(let byteOffset): "the compressed bytes end at byte \(byteOffset), before their content does"
        case .tooLarge(let maximumBytes): "the content has more than the \(maximumBytes) bytes that are allowed"
        }
    }
}
