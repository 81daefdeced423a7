package import CloudModel

extension FilterField {
    /// The value of `system_field` for all searchable texts.
    private static let searchableTextsNumber: Int32 = 100

    /// `field` and `system_field` of a message, one of them nil.
    var numbers: (name: String?, system: Int32?) {
        switch self {
        case .field(let name): (name.rawValue, nil)
        case .system(let system): (nil, system.rawValue)
        case .searchableTexts: (nil, Self.searchableTextsNumber)
        }
    }

    /// Reads `field` and `system_field` of a message.
    init(name: String?, system: Int32?) throws(MalformedMessage) {
        if let name {
            self = .field(FieldName(trusted: name))
        } else if system == Self.searchableTextsNumber {
            self = .searchableTexts
        } else {
            self = .system(
                try required(system.flatMap { SystemField(rawValue: $0) }, "the field of a filter or predicate"))
        }
    }
}

extension FilterMessage {
    /// The filter as it is published.
    package init(_ filter: Filter) {
        self.init(comparator: filter.comparator.rawValue)
        (field, systemField) = filter.field.numbers
        switch filter.operand {
        case .value(let value): operands = [ValueMessage(value)]
        case .values(let values, let type):
            operands = values.map { ValueMessage($0) }
            operandType = type.rawValue
        }
        distance = filter.distance
    }

    /// The filter.
    package func filter() throws(MalformedMessage) -> Filter {
        var values: [FieldValue] = []
        for operand in operands { values.append(try operand.value()) }
        let operand: Filter.Operand
        if let operandType {
            operand = .values(values, of: try required(FieldType(rawValue: operandType), "a filter's operand type"))
        } else {
            operand = .value(try required(values.first, "a filter's operand"))
        }
        return Filter(
            field: try FilterField(name: field, system: systemField),
            comparator: try required(Comparator(rawValue: comparator), "a filter's comparator"), operand: operand,
            distance: distance)
    }
}
