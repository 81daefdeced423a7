/// The reason why bytes are not the message they were read as, and the place.
public struct MessageError: Error, Equatable {
    /// Defects of messages.
    public enum Reason: Sendable, Equatable {
        /// A value or a length that ends after the message that holds it.
        case truncated(bytesNeeded: Int, bytesLeft: Int)
        /// A varint of more than 64 bits.
        case varintTooLong
        /// A tag with field number 0, an unknown wire type or more than 32 bits.
        case invalidTag(UInt64)
        /// A known field in another form than its type has: the writer's schema differs from the reader's.
        case unexpectedWireType(WireType, expected: WireType)
        /// A string that is not UTF-8.
        case invalidUTF8
        /// The end of a group that did not begin, or a group that does not end.
        case unbalancedGroup
        /// Messages inside one another, more than `MessageReader.depthMax`.
        case tooDeep
        /// More bytes than the caller allows.
        case tooLarge(bytes: Int, maximum: Int)
    }

    /// The defect.
    public let reason: Reason
    /// The beginning of the value that is wrong, counted from the first byte of the outermost message.
    public let byteOffset: Int
    /// The numbers of the fields around the place, outermost first; empty when no field had begun.
    public private(set) var path: [Int]
    /// The type of the outermost message; empty when a reader was used without one.
    public private(set) var message: String

    init(_ reason: Reason, byteOffset: Int, path: [Int] = [], message: String = "") {
        self.reason = reason
        self.byteOffset = byteOffset
        self.path = path
        self.message = message
    }

    /// The same error, seen from the message whose field `number` holds the place.
    @usableFromInline
    func inside(field number: Int) -> MessageError {
        var error = self
        error.path.insert(number, at: 0)
        return error
    }

    func inside(message name: String) -> MessageError {
        var error = self
        error.message = name
        return error
    }
}

extension MessageError: CustomStringConvertible {
    /// One sentence that names the message, the field and the byte.
    public var description: String {
        let field = path.isEmpty ? "" : ", field \(path.map(String.init).joined(separator: "."))"
        return "cannot read \(message.isEmpty ? "a message" : message): byte \(byteOffset)\(field): \(reason)"
    }
}

extension MessageError.Reason: CustomStringConvertible {
    /// The defect in words.
    public var description: String {
        switch self {
        case .truncated(let needed, let left): "\(needed) bytes are needed and \(left) are left"
        case .varintTooLong: "a varint is longer than 64 bits"
        case .invalidTag(let tag): "\(tag) is no tag"
        case .unexpectedWireType(let found, let expected): "found \(found), the field's type is \(expected)"
        case .invalidUTF8: "the string is not UTF-8"
        case .unbalancedGroup: "a group does not begin or does not end"
        case .tooDeep: "messages are nested more than \(MessageReader.depthMax) deep"
        case .tooLarge(let bytes, let maximum): "the message has \(bytes) bytes and \(maximum) are allowed"
        }
    }
}
