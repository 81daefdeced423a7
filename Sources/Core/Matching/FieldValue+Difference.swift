package import CloudModel

extension FieldValue {
    /// Returns true if a field differs between two values, of which nil is its absence. Compares bytes, unlike Swift's
    /// equality, which takes composed and decomposed letters for equal, and NaN for unequal to itself.
    package static func differ(_ left: FieldValue?, _ right: FieldValue?) -> Bool {
        switch (left, right) {
        case (nil, nil): false
        case (let left?, let right?): !left.isIdentical(to: right)
        default: true
        }
    }

    private func isIdentical(to other: FieldValue) -> Bool {
        switch (self, other) {
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.list(let a, let typeA), .list(let b, let typeB)):
            typeA == typeB && a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
        case (.reference(let a), .reference(let b)):
            a == b && a.recordName.rawValue.utf8.elementsEqual(b.recordName.rawValue.utf8)
        default: self == other
        }
    }
}
