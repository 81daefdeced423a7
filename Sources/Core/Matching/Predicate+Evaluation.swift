package import CloudModel

extension Predicate {
    /// Returns true if a record satisfies the predicate: the plain walk over the tree, the reference for faster
    /// evaluations. Searches of all searchable texts look into the fields named by `searchable`; nil is every STRING
    /// and STRING_LIST.
    package func holds(for record: Record, searchable: Set<FieldName>? = nil) -> Bool {
        switch self {
        case .always: true
        case .all(let parts): parts.allSatisfy { $0.holds(for: record, searchable: searchable) }
        case .any(let parts): parts.contains { $0.holds(for: record, searchable: searchable) }
        case .not(let part): !part.holds(for: record, searchable: searchable)
        case .comparison(let comparison): comparison.holds(for: record, searchable: searchable)
        }
    }
}

extension Predicate.Comparison {
    func holds(for record: Record, searchable: Set<FieldName>?) -> Bool {
        if case .searchableTexts = field {
            return relation.findsWords(in: record.texts(searchable))
        }
        guard let value = record.value(of: field) else { return false }
        return holds(value, in: record)
    }

    private func holds(_ value: FieldValue, in record: Record) -> Bool {
        switch relation {
        case .exists: return true
        case .equals(let operand, let options):
            let equality = Equality(record: record, field: field, options: options)
            return equality.holds(equality.folded(value), equality.folded(operand))
        case .isIn(let operands, let options):
            let equality = Equality(record: record, field: field, options: options)
            return equality.contains(operands.map(equality.folded), equality.folded(value))
        case .lessThan(let operand): return ValueOrdering.compare(value, operand) == .less
        case .greaterThan(let operand): return ValueOrdering.compare(value, operand) == .greater
        case .lessThanOrEquals(let operand):
            return ValueOrdering.compare(value, operand).map { $0 != .greater } ?? false
        case .greaterThanOrEquals(let operand):
            return ValueOrdering.compare(value, operand).map { $0 != .less } ?? false
        case .listContains, .listContainsAny, .listContainsAll, .listMemberBeginsWith:
            guard case .list(let members, _) = value else { return false }
            return holds(members, in: record)
        case .near(let place, let metres, let isInclusive):
            guard case .location(let location) = value else { return false }
            let distance = location.distance(to: place)
            return isInclusive ? distance <= metres : distance < metres
        case .containsAllTokens, .containsAnyTokens: return relation.findsWords(in: value.texts)
        case .beginsWith, .endsWith, .containsText, .like:
            guard case .string(let text) = value else { return false }
            return holds(text)
        }
    }

    private func holds(_ members: [FieldValue], in record: Record) -> Bool {
        func found(_ operands: [FieldValue], _ options: Predicate.StringOptions) -> [Bool] {
            let equality = Equality(record: record, field: field, options: options)
            let folded = members.map(equality.folded)
            return operands.map { equality.contains(folded, equality.folded($0)) }
        }
        switch relation {
        case .listContains(let operand, let options): return found([operand], options) == [true]
        case .listContainsAny(let operands, let options): return found(operands, options).contains(true)
        case .listContainsAll(let operands, let options): return !found(operands, options).contains(false)
        case .listMemberBeginsWith(let prefix, let options):
            let folded = options.folded(prefix)
            return members.contains {
                guard case .string(let text) = $0 else { return false }
                return options.folded(text).utf8.starts(with: folded.utf8)
            }
        default: return false
        }
    }

    private func holds(_ text: String) -> Bool {
        switch relation {
        case .beginsWith(let prefix, let options): options.folded(text).utf8.starts(with: options.folded(prefix).utf8)
        case .endsWith(let suffix, let options):
            options.folded(text).utf8.reversed().starts(with: options.folded(suffix).utf8.reversed())
        case .containsText(let part, let options):
            TextSearch.contains(options.folded(text), options.folded(part))
        case .like(let pattern, let options):
            pattern.prepared(folded: options.folded).matches(options.folded(text))
        default: false
        }
    }
}

extension Predicate.Relation {
    /// Returns true if a search for words finds them in the texts together.
    fileprivate func findsWords(in texts: [String]) -> Bool {
        switch self {
        case .containsAllTokens(let search):
            let sought = Set(Words.sought(search).map { Array($0.utf8) })
            return !sought.isEmpty && sought.isSubset(of: texts.flatMap(Words.of).map { Array($0.utf8) })
        case .containsAnyTokens(let search):
            let sought = Set(Words.sought(search).map { Array($0.utf8) })
            return !sought.isEmpty && texts.contains { Words.of($0).contains { sought.contains(Array($0.utf8)) } }
        default: return false
        }
    }
}

extension Predicate.StringOptions {
    /// The text without all that the options ignore.
    func folded(_ text: String) -> String {
        TextFolding.folded(
            text, diacritics: contains(.diacriticInsensitive), case: contains(.caseInsensitive))
    }
}

/// Equality of predicates: references by the record that they name, a missing zone being that of the record at hand;
/// numbers by value; strings by the options, but those of system fields always exactly, as two records may differ in
/// case only. Strings are compared by their bytes: Swift's `==` takes canonically equivalent ones for equal.
private struct Equality {
    let record: Record
    let options: Predicate.StringOptions

    init(record: Record, field: FilterField, options: Predicate.StringOptions) {
        self.record = record
        self.options = if case .system = field { [] } else { options }
    }

    /// A string without all that the options ignore; each is folded once, however many it is compared with.
    func folded(_ value: FieldValue) -> FieldValue {
        guard case .string(let text) = value else { return value }
        return .string(options.folded(text))
    }

    /// Compares folded values.
    func holds(_ value: FieldValue, _ operand: FieldValue) -> Bool {
        switch (value, operand) {
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.reference(let a), .reference(let b)):
            a.recordName == b.recordName && (a.zone ?? record.zone) == (b.zone ?? record.zone)
        case (.location(let a), .location(let b)): a.latitude == b.latitude && a.longitude == b.longitude
        default: ValueOrdering.compare(value, operand) == .equal
        }
    }

    func contains(_ values: [FieldValue], _ operand: FieldValue) -> Bool { values.contains { holds($0, operand) } }
}

extension FieldValue {
    /// The texts that the value is or holds.
    package var texts: [String] {
        switch self {
        case .string(let text): [text]
        case .list(let members, of: .string): members.flatMap(\.texts)
        default: []
        }
    }
}

extension Record {
    /// The texts of the fields named; nil is all of them.
    fileprivate func texts(_ searchable: Set<FieldName>?) -> [String] {
        fields.entries.flatMap { searchable?.contains($0.name) ?? true ? $0.value.texts : [] }
    }

    /// The value of one of the record's own fields or of a system field; nil when the record lacks it.
    package func value(of field: FilterField) -> FieldValue? {
        switch field {
        case .field(let name): fields[name]
        case .system(.recordName): .string(name.rawValue)
        case .system(.createdTimestamp): .timestamp(created.timestamp)
        case .system(.createdUserRecordName): .string(created.user.rawValue)
        case .system(.modifiedTimestamp): .timestamp(modified.timestamp)
        case .system(.modifiedUserRecordName): .string(modified.user.rawValue)
        case .searchableTexts: nil
        }
    }
}
