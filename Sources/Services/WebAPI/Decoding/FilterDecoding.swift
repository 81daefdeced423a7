import CloudModel
import JSON

/// Reads `query`: a record type and `filterBy`.
enum FilterDecoding {
    static func query(_ json: JSONPath) throws(CloudError) -> (type: RecordType, filters: [GivenFilter]) {
        let type: RecordType = try json.object().required("recordType").identifier()
        var filters: [GivenFilter] = []
        if let list = json["filterBy"] {
            // A lone filter stands for a list of one: Apple's JS sends it so.
            let elements = list.value.object != nil ? [list] : try list.elements()
            for element in elements { filters.append(try filter(element)) }
        }
        return (type, filters)
    }

    private static func filter(_ json: JSONPath) throws(CloudError) -> GivenFilter {
        let name = try json.object().required("comparator")
        guard let comparator = Comparator(name: try name.string()) else {
            let known = Comparator.allCases.map(\.description).joined(separator: ", ")
            throw .badRequest("\(name.path) is '\(try name.string())'; known comparators are \(known)")
        }
        return GivenFilter(
            field: try field(json), comparator: comparator,
            operand: try operand(try json.required("fieldValue"), comparator))
    }

    private static func field(_ json: JSONPath) throws(CloudError) -> FilterField {
        if let name = json["systemFieldName"] { return .system(try systemField(name)) }
        let name = try json.required("fieldName")
        if try name.string().hasPrefix("___") { return .system(try systemField(name)) }
        return .field(try name.identifier())
    }

    private static func systemField(_ name: JSONPath) throws(CloudError) -> SystemField {
        guard let field = SystemField(name: try name.string()) else {
            let known = SystemField.allCases.map(\.description).joined(separator: ", ")
            throw .badRequest("\(name.path) is '\(try name.string())'; known system fields are \(known)")
        }
        return field
    }

    private static func operand(_ json: JSONPath, _ comparator: Comparator) throws(CloudError) -> GivenFilter.Operand {
        let value = try json.object().required("value")
        guard comparator == .in else {
            return .value(try FieldDecoding.given(value, try FieldDecoding.explicitType(json), isFilter: true))
        }
        guard let type = json["type"], let element = elementType(of: try type.string()) else {
            throw .badRequest("\(json.path): IN needs an explicit list type, such as STRING_LIST or INT64_LIST")
        }
        var values: [FieldValue] = []
        for item in try value.elements() { values.append(try FieldDecoding.read(item, as: element, isFilter: true)) }
        return .values(values, of: element)
    }

    private static func elementType(of listType: String) -> FieldType? {
        guard listType.hasSuffix("_LIST") else { return nil }
        return FieldType(name: String(listType.dropLast(5)))
    }
}
