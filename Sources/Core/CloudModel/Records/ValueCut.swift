/// The mark of a value of which an answer has the beginning only: the size of the whole value.
package struct ValueCut: Hashable, Sendable {
    /// Bytes of the whole value (`FieldValue.contentBytes`).
    package var bytes: Int
    /// Elements of the whole list; nil for other values.
    package var elements: Int?

    package init(bytes: Int, elements: Int? = nil) {
        self.bytes = bytes
        self.elements = elements
    }
}

extension FieldValue {
    /// Bytes that an element of a list counts in addition to its content, so that many empty ones are not free.
    private static let elementBytes = 2

    /// Bytes of the content: of a text in UTF-8, of a list those of its elements with two more for each. A sealed value
    /// counts as its sealed bytes.
    package var contentBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .int64, .double, .timestamp: 8
        case .reference(let reference):
            reference.recordName.rawValue.utf8.count
                + (reference.zone.map { $0.name.rawValue.utf8.count + $0.owner.rawValue.utf8.count } ?? 0)
        case .bytes(let bytes): bytes.count
        case .location: 64
        case .asset(let asset): asset.fileChecksum.utf8.count + 8
        case .list(let elements, _): elements.reduce(0) { $0 + $1.contentBytes + Self.elementBytes }
        case .encrypted(.open(let value)), .encrypted(.exact(let value, seconds: _)): value.contentBytes
        case .encrypted(.sealed(let bytes, as: _)): bytes.count
        }
    }

    /// The beginning of the value with its mark; nil for a value that has no more than `bytesMax` bytes, and for one
    /// that has no beginning: a number, a time, a place, a reference, a file, a sealed value.
    ///
    /// Texts are cut before a character. A list has the elements that fit, and of the next one, if it is a text or
    /// bytes, its beginning.
    package func cut(to bytesMax: Int) -> (value: FieldValue, mark: ValueCut)? {
        switch self {
        case .string, .bytes:
            let bytes = contentBytes
            guard bytes > bytesMax else { return nil }
            return (beginning(bytesMax) ?? self, ValueCut(bytes: bytes))
        case .list(let elements, let type):
            let bytes = contentBytes
            guard bytes > bytesMax else { return nil }
            return (
                .list(Self.beginning(of: elements, bytesMax), of: type),
                ValueCut(bytes: bytes, elements: elements.count)
            )
        case .encrypted(.open(let value)):
            return value.cut(to: bytesMax).map { (.encrypted(.open($0.value)), $0.mark) }
        case .encrypted(.exact(let value, let seconds)):
            guard let cut = value.cut(to: bytesMax), case .list(let elements, _) = cut.value else { return nil }
            return (.encrypted(.exact(cut.value, seconds: Array(seconds.prefix(elements.count)))), cut.mark)
        default: return nil
        }
    }

    private static func beginning(of elements: [FieldValue], _ bytesMax: Int) -> [FieldValue] {
        var kept: [FieldValue] = []
        var left = bytesMax
        for element in elements {
            left -= elementBytes
            guard left >= 0 else { break }
            let bytes = element.contentBytes
            guard bytes <= left else {
                if let part = element.beginning(left), part.contentBytes > 0 { kept.append(part) }
                break
            }
            kept.append(element)
            left -= bytes
        }
        return kept
    }

    /// The beginning of a text or of bytes; nil for other values.
    private func beginning(_ bytesMax: Int) -> FieldValue? {
        switch self {
        case .string(let text): .string(text.beginning(bytesMax))
        case .bytes(let bytes): .bytes(Array(bytes.prefix(bytesMax)))
        default: nil
        }
    }
}

extension String {
    /// Scalars before the cut among which a character has to begin; a longer one, such as a letter with a thousand
    /// combining marks, is cut between two scalars, so that the work does not grow with it.
    private static let scalarsOfCharacter = 64

    /// The longest prefix of at most `bytesMax` bytes in UTF-8 that ends before a character.
    func beginning(_ bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        let scalars = unicodeScalars
        // The first index at or before the bytes at which a scalar begins.
        var end = utf8.index(startIndex, offsetBy: bytesMax)
        while end > startIndex, end.samePosition(in: scalars) == nil { end = utf8.index(before: end) }
        let first = scalars.index(end, offsetBy: -Self.scalarsOfCharacter, limitedBy: startIndex) ?? startIndex
        // With the next scalar, which says whether a character begins there.
        let window = String(scalars[first..<scalars.index(after: end)])
        guard let last = window.indices.last else { return String(scalars[..<end]) }
        let bytes = window.utf8.distance(from: window.startIndex, to: last)
        guard bytes > 0 || first == startIndex else { return String(scalars[..<end]) }
        return String(self[..<utf8.index(first, offsetBy: bytes)])
    }
}
