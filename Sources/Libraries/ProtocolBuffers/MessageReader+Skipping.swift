extension MessageReader {
    /// Passes over the field that was begun, which the reader's schema does not know.
    public mutating func skip() throws(MessageError) {
        switch type {
        case .varint: _ = try varint()
        case .fixed64: try skip(bytes: 8)
        case .fixed32: try skip(bytes: 4)
        case .lengthDelimited: offset += try length()
        case .groupStart: try skipGroup()
        case .groupEnd: throw error(.unbalancedGroup)
        }
    }

    private mutating func skip(bytes: Int) throws(MessageError) {
        guard end - offset >= bytes else { throw truncated(needing: bytes) }
        offset += bytes
    }

    /// Passes over a group. We write none, but other writers of a schema may.
    private mutating func skipGroup() throws(MessageError) {
        let group = number
        guard depthLeft > 0 else { throw error(.tooDeep) }
        depthLeft -= 1
        while let field = try nextField() {
            if type == .groupEnd {
                guard field == group else { throw error(.unbalancedGroup) }
                depthLeft += 1
                return
            }
            try skip()
        }
        throw error(.unbalancedGroup)
    }
}
