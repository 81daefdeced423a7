import CloudModel
import Matching
import RecordStore

/// Turns the values of records into index keys: the one place that says how a value is found.
struct RecordIndexing {
    let indexes: TypeIndexes

    /// Texts and their different words: cutting a long text takes longer than all else that a save does.
    struct CutTexts: Sendable {
        var texts: [String]
        var words: [String]

        init(_ texts: [String]) {
            self.init(texts, words: Words.unique(of: texts))
        }

        init(_ texts: [String], words: [String]) {
            self.texts = texts
            self.words = words
        }
    }

    /// Everything that a record is found by.
    /// - Parameter cut: texts of the record whose words are known already.
    func index(of record: Record, cut: CutTexts? = nil) -> RecordIndex {
        var entries: [IndexEntry] = []
        var texts: [String] = []
        for entry in record.fields.entries {
            guard let field = indexes.fields[entry.name], !field.indexes.isEmpty else { continue }
            append(entry.value, field, to: &entries)
            if field.indexes.contains(.searchable) { texts += entry.value.texts }
        }
        for field in SystemField.allCases where !(indexes.system[field] ?? []).isEmpty {
            guard field != .recordName, let value = record.value(of: .system(field)) else { continue }
            guard let key = Self.exactKey(value) else { continue }
            entries.append(IndexEntry(.system(field, type: indexes.number), key))
        }
        let known = cut.flatMap { $0.texts == texts ? $0 : nil }
        return RecordIndex(entries: entries, words: (known ?? CutTexts(texts)).words)
    }

    /// The rows and words by which a record is found, or somewhat more: a field that is not known yet gets all indexes.
    /// Words of a few texts are not looked for but estimated, as there cannot be too many.
    /// - Parameters:
    ///   - stored: the record as it is, with the words that the store has of it, where those are known.
    ///   - cuts: texts of fields that were cut before.
    func size(
        of record: Record, stored: (record: Record, words: [String])? = nil, cuts: [FieldName: CutTexts] = [:]
    ) -> (rows: Int, words: Int, cut: CutTexts?) {
        var rows = 0
        for entry in record.fields.entries where !isUnindexed(entry.name) {
            if case .list(let elements, _) = entry.value { rows += elements.count } else { rows += 2 }
        }
        let texts = searchedTexts(of: record)
        // A word has a character at least, and one beside it.
        let bytes = texts.reduce(0) { $0 + $1.utf8.count }
        guard rows + bytes / 2 > Limits.indexRowsMax else { return (rows, bytes / 8, nil) }
        let known = stored.flatMap { hasSameTexts($0.record, record) ? CutTexts(texts, words: $0.words) : nil }
        let cut = known ?? CutTexts(texts, words: words(of: record, cuts))
        return (rows, cut.words.count, cut)
    }

    private func words(of record: Record, _ cuts: [FieldName: CutTexts]) -> [String] {
        guard !cuts.isEmpty else { return Words.unique(of: searchedTexts(of: record)) }
        var lists: [[String]] = []
        var others: [String] = []
        for entry in record.fields.entries where isSearched(entry.name) {
            let texts = entry.value.texts
            if let cut = cuts[entry.name], cut.texts == texts { lists.append(cut.words) } else { others += texts }
        }
        return Words.united(others.isEmpty ? lists : lists + [Words.unique(of: others)])
    }

    /// Returns true if searches look through the same texts of two records.
    func hasSameTexts(_ record: Record, _ other: Record) -> Bool {
        searchedTexts(of: record) == searchedTexts(of: other)
    }

    private func isUnindexed(_ name: FieldName) -> Bool { indexes.fields[name]?.indexes.isEmpty ?? false }

    /// The texts that searches look through; a field that is not known yet may be one of them.
    private func searchedTexts(of record: Record) -> [String] {
        record.fields.entries.flatMap { entry in
            isSearched(entry.name) ? entry.value.texts : []
        }
    }

    private func isSearched(_ name: FieldName) -> Bool {
        indexes.fields[name]?.indexes.contains(.searchable) ?? true
    }

    private func append(_ value: FieldValue, _ field: TypeIndexes.Field, to entries: inout [IndexEntry]) {
        let hasEquality = field.indexes.contains(.queryable)
        // The rows of numbers serve both.
        if hasEquality || (field.indexes.contains(.sortable) && field.type != .string) {
            let index = IndexID.equality(field: field.number)
            if case .list(let elements, _) = value {
                for key in Set(elements.compactMap(Self.equalityKey)) { entries.append(IndexEntry(index, key)) }
            } else if let key = Self.equalityKey(value) {
                entries.append(IndexEntry(index, key))
            }
        }
        if field.indexes.contains(.sortable), case .string(let text) = value {
            entries.append(IndexEntry(.order(field: field.number), .text(cutting: text)))
        }
    }

    /// A key as equality compares a field's values: equal values have equal keys, and some that differ have, too.
    static func equalityKey(_ value: FieldValue) -> IndexKey? {
        switch value {
        // Enough of the text to cut it: a long one is not folded to its end for the sake of its beginning.
        case .string(let text): .text(cutting: CaseFolding.folded(text, bytesMax: IndexKey.textBytesMax + 1))
        case .reference(let reference): .text(reference.recordName.rawValue)
        case .location(let location): location.isValid ? LocationCells.key(of: location) : nil
        default: exactKey(value)
        }
    }

    /// A key in the order of values: an earlier value never has a greater key.
    static func exactKey(_ value: FieldValue) -> IndexKey? {
        switch value {
        case .string(let text): .text(cutting: text)
        case .int64(let number): .integer(number)
        case .timestamp(let time): .integer(time.milliseconds)
        case .double(let number): number.isFinite ? .real(number) : nil
        default: nil
        }
    }
}
