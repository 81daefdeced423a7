import CloudModel

extension ComparisonMessage {
    private enum Relation: Int32 {
        case exists = 1, equals, lessThan, lessThanOrEquals, greaterThan, greaterThanOrEquals, isIn, beginsWith,
            endsWith, containsText, like, listContains, listContainsAny, listContainsAll, listMemberBeginsWith, near,
            nearOrAsFar, containsAllTokens, containsAnyTokens
    }

    init(_ comparison: Predicate.Comparison) {
        self.init()
        (field, systemField) = comparison.field.numbers
        switch comparison.relation {
        case .exists: set(.exists, [])
        case .equals(let value, let options): set(.equals, [value], options)
        case .lessThan(let value): set(.lessThan, [value])
        case .lessThanOrEquals(let value): set(.lessThanOrEquals, [value])
        case .greaterThan(let value): set(.greaterThan, [value])
        case .greaterThanOrEquals(let value): set(.greaterThanOrEquals, [value])
        case .isIn(let values, let options): set(.isIn, values, options)
        case .beginsWith(let text, let options): set(.beginsWith, [.string(text)], options)
        case .endsWith(let text, let options): set(.endsWith, [.string(text)], options)
        case .containsText(let text, let options): set(.containsText, [.string(text)], options)
        case .like(let pattern, let options): set(.like, [.string(pattern.text)], options)
        case .listContains(let value, let options): set(.listContains, [value], options)
        case .listContainsAny(let values, let options): set(.listContainsAny, values, options)
        case .listContainsAll(let values, let options): set(.listContainsAll, values, options)
        case .listMemberBeginsWith(let text, let options): set(.listMemberBeginsWith, [.string(text)], options)
        case .near(let place, let metres, let isInclusive):
            set(isInclusive ? .nearOrAsFar : .near, [.location(place)])
            self.metres = metres
        case .containsAllTokens(let texts): set(.containsAllTokens, texts.map { .string($0) })
        case .containsAnyTokens(let texts): set(.containsAnyTokens, texts.map { .string($0) })
        }
    }

    private mutating func set(
        _ relation: Relation, _ operands: [FieldValue], _ options: Predicate.StringOptions = []
    ) {
        self.relation = relation.rawValue
        self.operands = operands.map { ValueMessage($0) }
        self.options = options.rawValue
    }

    func comparison() throws(MalformedMessage) -> Predicate.Comparison {
        var values: [FieldValue] = []
        for operand in operands { values.append(try operand.value()) }
        let relation = try required(Relation(rawValue: relation), "a comparison's relation")
        return Predicate.Comparison(
            field: try FilterField(name: field, system: systemField), relation: try decoded(relation, values))
    }

    private func decoded(_ relation: Relation, _ values: [FieldValue]) throws(MalformedMessage) -> Predicate.Relation {
        let options = Predicate.StringOptions(rawValue: options)
        switch relation {
        case .exists: return .exists
        case .isIn: return .isIn(values, options)
        case .listContainsAny: return .listContainsAny(values, options)
        case .listContainsAll: return .listContainsAll(values, options)
        case .containsAllTokens: return .containsAllTokens(try texts(values))
        case .containsAnyTokens: return .containsAnyTokens(try texts(values))
        case .equals: return .equals(try single(values), options)
        case .lessThan: return .lessThan(try single(values))
        case .lessThanOrEquals: return .lessThanOrEquals(try single(values))
        case .greaterThan: return .greaterThan(try single(values))
        case .greaterThanOrEquals: return .greaterThanOrEquals(try single(values))
        case .listContains: return .listContains(try single(values), options)
        case .beginsWith: return .beginsWith(try text(values), options)
        case .endsWith: return .endsWith(try text(values), options)
        case .containsText: return .containsText(try text(values), options)
        case .like: return .like(TextPattern(try text(values)), options)
        case .listMemberBeginsWith: return .listMemberBeginsWith(try text(values), options)
        case .near, .nearOrAsFar:
            guard case .location(let place)? = values.first else {
                throw MalformedMessage("the place of a distance is missing")
            }
            return .near(
                place, metres: try required(metres, "the radius of a distance"), isInclusive: relation == .nearOrAsFar)
        }
    }

    private func single(_ values: [FieldValue]) throws(MalformedMessage) -> FieldValue {
        try required(values.first, "a comparison's value")
    }

    private func text(_ values: [FieldValue]) throws(MalformedMessage) -> String {
        guard case .string(let text)? = values.first else { throw MalformedMessage("a comparison's text is missing") }
        return text
    }

    private func texts(_ values: [FieldValue]) throws(MalformedMessage) -> [String] {
        var texts: [String] = []
        for value in values { texts.append(try text([value])) }
        return texts
    }
}
