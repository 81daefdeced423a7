package import CloudModel

/// One ordered set of index rows: the values of a field of one record type.
package struct IndexID: Hashable, Sendable {
    /// As the store writes it; positive for fields, negative for system fields.
    package let rawValue: Int64

    /// Values as equality takes them: strings folded, of lists each element.
    package static func equality(field number: Int64) -> IndexID { IndexID(rawValue: number * 2) }

    /// Strings as order takes them: their exact bytes.
    package static func order(field number: Int64) -> IndexID { IndexID(rawValue: number * 2 + 1) }

    /// The values of a system field in records of a type.
    package static func system(_ field: SystemField, type number: Int64) -> IndexID {
        IndexID(rawValue: -(number * 16 + Int64(field.rawValue)))
    }

    /// True if it is one of a system field.
    package var isOfSystemField: Bool { rawValue < 0 }

    private init(rawValue: Int64) { self.rawValue = rawValue }
}

/// One row of an index, but for the record it leads to.
package struct IndexEntry: Hashable, Sendable {
    /// The index that the row is in.
    package var index: IndexID
    /// The key of the row.
    package var key: IndexKey

    /// A key in an index.
    package init(_ index: IndexID, _ key: IndexKey) {
        self.index = index
        self.key = key
    }
}

/// Everything by which a record can be found but its name.
package struct RecordIndex: Hashable, Sendable {
    /// No two are equal.
    package var entries: [IndexEntry]
    /// The words of all searchable texts, in the form in which they are looked for: no spaces, no ASCII but letters and
    /// digits.
    package var words: [String]

    /// Gives a record's index rows and words.
    package init(entries: [IndexEntry] = [], words: [String] = []) {
        self.entries = entries
        self.words = words
    }
}
