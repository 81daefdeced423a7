import CloudModel

/// Makes the typed tree of a predicate string: it looks fields up in the schema, gives values the types of their
/// fields, and refuses values that cannot be compared.
struct PredicateTyping {
    let schema: KnownFields
    let failure: PredicateFailure
    let language: PredicateLanguage

    func predicate(_ tree: GivenTree) throws(CloudError) -> Predicate {
        switch tree {
        case .always: return .always
        case .all(let parts): return .all(try predicates(parts))
        case .any(let parts): return .any(try predicates(parts))
        case .not(let part): return .not(try predicate(part))
        case .comparison(let comparison): return try predicate(comparison)
        }
    }

    private func predicates(_ parts: [GivenTree]) throws(CloudError) -> [Predicate] {
        var predicates: [Predicate] = []
        for part in parts { predicates.append(try predicate(part)) }
        return predicates
    }

    private func predicate(_ comparison: GivenComparison) throws(CloudError) -> Predicate {
        do {
            let known = try schema.type(of: comparison.field)
            return try TypedField(field: comparison.field, type: known, options: comparison.options, language: language)
                .predicate(comparison.test)
        } catch {
            throw failure.error(error.reason, at: comparison.offset)
        }
    }
}

/// A field with its type, nil where the record type is unknown.
private struct TypedField {
    let field: FilterField
    let type: FieldType?
    let options: Predicate.StringOptions
    let language: PredicateLanguage

    /// Options of an equality, which ignores case anyway (docs/choices.md, 23).
    private var equality: Predicate.StringOptions { options.union(.caseInsensitive) }

    func predicate(_ test: GivenComparison.Test) throws(CloudError) -> Predicate {
        if let type, type.isEncrypted {
            throw .badRequest("the field '\(field)' is \(type): nothing can be asked of an encrypted field")
        }
        switch test {
        case .exists: return leaf(.exists)
        case .equals(let value): return leaf(.equals(try single(value), equality))
        case .order(let order, let value): return leaf(try relation(order, value))
        case .isIn(let values): return leaf(.isIn(try all(values, of: type), equality))
        case .contains(let value): return try contains(value)
        case .listContains(let value): return leaf(.listContains(try member(value), equality))
        case .listContainsAny(let values): return leaf(.listContainsAny(try all(values, of: try members()), equality))
        case .listContainsAll(let values): return leaf(.listContainsAll(try all(values, of: try members()), equality))
        case .near(let place, let metres, let isInclusive):
            try require([.location], "a distance is measured to a LOCATION")
            return leaf(.near(place, metres: metres, isInclusive: isInclusive))
        case .allWords(let words):
            try require([.string, .stringList], "words are looked for in STRING and STRING_LIST")
            return leaf(.containsAllTokens([words]))
        case .anyWords(let words):
            try require([.string, .stringList], "words are looked for in STRING and STRING_LIST")
            return leaf(.containsAnyTokens([words]))
        case .beginsWith, .endsWith, .like, .listMemberBeginsWith: return try leaf(text(test))
        }
    }

    private func text(_ test: GivenComparison.Test) throws(CloudError) -> Predicate.Relation {
        switch test {
        case .listMemberBeginsWith(let prefix):
            try require([.stringList], "ANY … BEGINSWITH looks into STRING_LIST")
            return .listMemberBeginsWith(prefix, options)
        case .beginsWith(let prefix):
            try require([.string], "BEGINSWITH looks at a STRING; for a list write ANY before the field")
            return .beginsWith(prefix, options)
        case .endsWith(let suffix):
            try require([.string], "ENDSWITH looks at a STRING")
            return .endsWith(suffix, options)
        case .like(let pattern):
            try require([.string], "LIKE looks at a STRING")
            return .like(TextPattern(pattern), options)
        default: return .exists
        }
    }

    private func leaf(_ relation: Predicate.Relation) -> Predicate {
        .comparison(Predicate.Comparison(field: field, relation: relation))
    }

    private func relation(_ order: GivenComparison.Order, _ given: GivenValue) throws(CloudError) -> Predicate.Relation
    {
        let value = try single(given)
        guard value.type.traits.isOrdered else {
            throw .badRequest("'\(field)' cannot be ordered: \(value.type) has no order")
        }
        switch order {
        case .less: return .lessThan(value)
        case .lessOrEqual: return .lessThanOrEquals(value)
        case .greater: return .greaterThan(value)
        case .greaterOrEqual: return .greaterThanOrEquals(value)
        }
    }

    /// `CONTAINS`: membership of a list, or a part of a text. Of an unknown field it is whichever its value allows.
    private func contains(_ given: GivenValue) throws(CloudError) -> Predicate {
        guard case .string(let part) = given.value, type?.elementType == nil else {
            return leaf(.listContains(try member(given), equality))
        }
        let substring = leaf(.containsText(part, options))
        if let type {
            guard type == .string else {
                throw .badRequest("the field '\(field)' is \(type): CONTAINS looks into a list or a STRING")
            }
            guard language == .fanfare else {
                throw .badRequest("CloudKit does not support CONTAINS on a STRING, as '\(field)' is")
            }
            return substring
        }
        let membership = leaf(.listContains(try member(given), equality))
        return language == .fanfare ? .any([membership, substring]) : membership
    }

    // MARK: Types

    private func require(_ types: [FieldType], _ rule: String) throws(CloudError) {
        guard let type, !types.contains(type) else { return }
        throw .badRequest("the field '\(field)' is \(type): \(rule)")
    }

    /// The type of the list's members; nil where the field is unknown.
    private func members() throws(CloudError) -> FieldType? {
        guard let type else { return nil }
        guard let element = type.elementType else {
            throw .badRequest("the field '\(field)' is \(type): only a list has members")
        }
        return element
    }

    private func member(_ given: GivenValue) throws(CloudError) -> FieldValue {
        try typed(given, try members())
    }

    private func single(_ given: GivenValue) throws(CloudError) -> FieldValue {
        if let type, type.elementType != nil {
            throw .badRequest("the field '\(field)' is \(type): a list is looked into with CONTAINS or ANY")
        }
        return try typed(given, type)
    }

    private func all(_ given: [GivenValue], of type: FieldType?) throws(CloudError) -> [FieldValue] {
        if let type, type.elementType != nil {
            throw .badRequest("the field '\(field)' is \(type): write ANY before it")
        }
        var values: [FieldValue] = []
        for value in given { values.append(try typed(value, type)) }
        return values
    }

    private func typed(_ given: GivenValue, _ type: FieldType?) throws(CloudError) -> FieldValue {
        var given = given
        if case .system = field { given = given.named }
        guard given.value.type.elementType == nil else {
            throw .badRequest("'\(field)' is compared with a single value, not with a \(given.value.type)")
        }
        guard given.value.type.traits.isComparable, type?.traits.isComparable ?? true else {
            throw .badRequest("'\(field)': \(type ?? given.value.type) cannot be compared")
        }
        guard let type else { return given.value }
        guard let value = given.converted(to: type) else {
            throw .badRequest(
                "the field '\(field)' is \(self.type ?? type): it is compared with \(type), not \(given.value.type)")
        }
        return value
    }
}
