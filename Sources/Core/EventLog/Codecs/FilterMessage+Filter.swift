package import CloudModel

extension FilterMessage {
    /// Stands in `system_field` for all searchable texts.
    private static let searchableTexts: Int32 = 100

    /// The filter as it is published.
    package init(_ filter: Filter) {
        self.init(comparator: filter.comparator.rawValue)
        switch filter.field {
        case .field(let name): field = name.rawValue
        case .system(let system): systemField = system.rawValue
        case .searchableTexts: systemField = Self.searchableTexts
        }
        switch filter.operand {
        case .value(let value): operands = [ValueMessage(value)]
        case .values(let values, let type):
            operands = values.map { ValueMessage($0) }
            operandType = type.rawValue
        }
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
        let comparator = try required(Comparator(rawValue: comparator), "a filter's comparator")
        return Filter(field: try filterField(), comparator: comparator, operand: operand)
    }

    private func filterField() throws(MalformedMessage) -> FilterField {
        if let field { return .field(FieldName(trusted: field)) }
        if systemField == Self.searchableTexts { return .searchableTexts }
        let system = systemField.flatMap { SystemField(rawValue: $0) }
        return .system(try required(system, "a filter's field"))
    }
}
