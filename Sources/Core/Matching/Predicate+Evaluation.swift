package import CloudModel

extension Predicate {
    /// Whether a record satisfies the predicate: the plain walk over the tree that everything faster is held against.
    package func holds(for record: Record) -> Bool {
        switch self {
        case .always: true
        case .all(let parts): parts.allSatisfy { $0.holds(for: record) }
        case .any(let parts): parts.contains { $0.holds(for: record) }
        case .not(let part): !part.holds(for: record)
        case .comparison(let comparison): comparison.holds(for: record)
        }
    }
}

extension Predicate.Comparison {
    func holds(for record: Record) -> Bool {
        guard let value = record.value(of: field) else { return false }
        switch relation {
        case .exists: return true
        case .equals(let operand, _): return isEqual(value, operand, record)
        case .lessThan(let operand): return ValueOrdering.compare(value, operand) == .less
        case .greaterThan(let operand): return ValueOrdering.compare(value, operand) == .greater
        case .lessThanOrEquals(let operand):
            return ValueOrdering.compare(value, operand).map { $0 != .greater } ?? false
        case .greaterThanOrEquals(let operand):
            return ValueOrdering.compare(value, operand).map { $0 != .less } ?? false
        case .isIn(let operands, _): return operands.contains { isEqual(value, $0, record) }
        case .beginsWith(let prefix, _):
            guard case .string(let text) = value else { return false }
            return text.utf8.starts(with: prefix.utf8)
        case .listContains(let operand, _):
            guard case .list(let members, _) = value else { return false }
            return members.contains { isEqual($0, operand, record) }
        default: return false
        }
    }

    /// Equality as filters mean it: strings without regard to case (but the system's names exactly), references by the
    /// record they name, numbers by value.
    private func isEqual(_ value: FieldValue, _ operand: FieldValue, _ record: Record) -> Bool {
        switch (value, operand) {
        case (.string(let a), .string(let b)):
            if case .system = field { return a.utf8.elementsEqual(b.utf8) }
            return CaseFolding.areEqual(a, b)
        case (.reference(let a), .reference(let b)):
            return a.recordName == b.recordName && (a.zone ?? record.zone) == (b.zone ?? record.zone)
        default: return ValueOrdering.compare(value, operand) == .equal
        }
    }
}

extension Record {
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
