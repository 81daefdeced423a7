import CloudModel
import Matching
import RecordStore

/// Says by which indexes the records that satisfy a predicate can be found.
struct IndexPlanner {
    let indexes: TypeIndexes
    /// The limits of the store.
    let capabilities: StoreCapabilities

    /// Conditions of which each finds all records that satisfy the predicate, and others.
    func conditions(for predicate: Predicate) -> [IndexCondition] {
        guard case .all(let parts) = predicate else { return condition(for: predicate).map { [$0] } ?? [] }
        return parts.flatMap { conditions(for: $0) }
    }

    /// The range of keys that comparisons with a field leave, as far as they all have to hold.
    func range(of index: IndexID, for predicate: Predicate) -> IndexKeyRange {
        for case .keys(index, equal: let keys, within: let ranges) in conditions(for: predicate)
        where keys.isEmpty && ranges.count == 1 {
            return ranges[0]
        }
        return IndexKeyRange(lower: nil, upper: nil)
    }

    private func condition(for predicate: Predicate) -> IndexCondition? {
        let found: IndexCondition?
        switch predicate {
        case .comparison(let comparison): found = condition(for: comparison)
        case .any(let parts):
            let conditions = parts.map { self.conditions(for: $0).first }
            found = conditions.contains(nil) ? nil : .any(conditions.compactMap { $0 })
        case .all, .always, .not: found = nil
        }
        guard let found, found.parts <= capabilities.conditionPartsMax, found.keys <= capabilities.conditionKeysMax
        else { return nil }
        return found
    }

    private func condition(for comparison: Predicate.Comparison) -> IndexCondition? {
        switch comparison.field {
        case .searchableTexts: return words(comparison.relation)
        case .system(.recordName): return names(comparison.relation)
        case .system(let field):
            guard !(indexes.system[field] ?? []).isEmpty else { return nil }
            let index = IndexID.system(field, type: indexes.number)
            return keys(comparison.relation, equality: index, order: index, key: RecordIndexing.exactKey)
        case .field(let name):
            guard let field = indexes.fields[name] else { return nil }
            if let words = words(comparison.relation) { return field.indexes.contains(.searchable) ? words : nil }
            let hasEquality = field.indexes.contains(.queryable)
            let isText = field.type == .string
            let equality = IndexID.equality(field: field.number)
            let order: IndexID? =
                isText
                ? (field.indexes.contains(.sortable) ? .order(field: field.number) : nil)
                : (field.indexes.isDisjoint(with: [.queryable, .sortable]) ? nil : equality)
            return keys(
                comparison.relation, equality: hasEquality ? equality : nil, order: order,
                key: RecordIndexing.equalityKey)
        }
    }

    private func keys(
        _ relation: Predicate.Relation, equality: IndexID?, order: IndexID?, key: (FieldValue) -> IndexKey?
    ) -> IndexCondition? {
        func equal(_ values: [FieldValue], _ options: Predicate.StringOptions) -> IndexCondition? {
            let keys = values.compactMap(key)
            guard let equality, keys.count == values.count, !options.contains(.diacriticInsensitive) else { return nil }
            return .keys(equality, equal: Array(Set(keys)), within: [])
        }
        func range(lower: FieldValue?, upper: FieldValue?, isInclusive: Bool) -> IndexCondition? {
            guard let order else { return nil }
            func bound(_ value: FieldValue?) -> IndexKeyRange.Bound? {
                value.flatMap(RecordIndexing.exactKey).map {
                    // A text that was cut has the key of others that lie on the other side.
                    if case .text = $0 { .init($0, isInclusive: true) } else { .init($0, isInclusive: isInclusive) }
                }
            }
            let found = IndexKeyRange(lower: bound(lower), upper: bound(upper))
            return found.lower == nil && found.upper == nil ? nil : .keys(order, equal: [], within: [found])
        }
        func prefix(_ text: String, _ options: Predicate.StringOptions) -> IndexCondition? {
            guard let equality, !options.contains(.diacriticInsensitive), case .text(let cut)? = key(.string(text))
            else { return nil }
            // The keys of system fields are not folded.
            if equality.isOfSystemField, !options.isEmpty { return nil }
            return .keys(equality, equal: [], within: [IndexKeyRange(prefix: cut)])
        }
        switch relation {
        case .equals(let value, let options), .listContains(let value, let options): return equal([value], options)
        case .isIn(let values, let options), .listContainsAny(let values, let options): return equal(values, options)
        case .listContainsAll(let values, let options): return values.first.flatMap { equal([$0], options) }
        case .lessThan(let value): return range(lower: nil, upper: value, isInclusive: false)
        case .lessThanOrEquals(let value): return range(lower: nil, upper: value, isInclusive: true)
        case .greaterThan(let value): return range(lower: value, upper: nil, isInclusive: false)
        case .greaterThanOrEquals(let value): return range(lower: value, upper: nil, isInclusive: true)
        case .beginsWith(let text, let options), .listMemberBeginsWith(let text, let options):
            return prefix(text, options)
        case .near(let centre, let metres, _):
            guard let equality, centre.isValid else { return nil }
            return .keys(equality, equal: [], within: LocationCells.ranges(around: centre, metres: metres))
        default: return nil
        }
    }

    private func names(_ relation: Predicate.Relation) -> IndexCondition? {
        func names(_ values: [FieldValue]) -> IndexCondition {
            .names(
                values.compactMap { value in
                    if case .string(let text) = value { RecordName(trusted: text) } else { nil }
                })
        }
        switch relation {
        case .equals(let value, let options) where !options.contains(.diacriticInsensitive): return names([value])
        case .isIn(let values, let options) where !options.contains(.diacriticInsensitive): return names(values)
        default: return nil
        }
    }

    /// Words hold no ASCII but letters and digits, as the store wants them.
    private func words(_ relation: Predicate.Relation) -> IndexCondition? {
        switch relation {
        case .containsAllTokens(let texts): words(texts, areAllNeeded: true)
        case .containsAnyTokens(let texts): words(texts, areAllNeeded: false)
        default: nil
        }
    }

    private func words(_ texts: [String], areAllNeeded: Bool) -> IndexCondition {
        let sought = Words.sought(texts)
        return sought.isEmpty ? .any([]) : .words(sought, areAllNeeded: areAllNeeded)
    }
}
