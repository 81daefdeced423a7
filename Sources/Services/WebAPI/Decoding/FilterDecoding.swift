import CloudModel
import JSON

/// Reads `filterBy` of a query.
enum FilterDecoding {
    /// The filters; empty when there are none.
    static func filters(_ query: JSONPath) throws(CloudError) -> [GivenFilter] {
        guard let list = query["filterBy"] else { return [] }
        // A lone filter stands for a list of one: Apple's JS sends it so.
        let elements = list.value.object != nil ? [list] : try list.elements()
        var filters: [GivenFilter] = []
        for element in elements { filters.append(try filter(element)) }
        return filters
    }

    private static func filter(_ json: JSONPath) throws(CloudError) -> GivenFilter {
        let name = try json.object().required("comparator")
        guard let comparator = Comparator(name: try name.string()) else {
            let known = Comparator.allCases.map(\.description).joined(separator: ", ")
            throw .badRequest("\(name.path) is '\(try name.string())'; known comparators are \(known)")
        }
        let field = comparator.isOfWords && namesNoField(json) ? FilterField.searchableTexts : try field(json)
        return GivenFilter(
            field: field, comparator: comparator, operand: try operand(try json.required("fieldValue"), comparator),
            distance: try distance(json, comparator))
    }

    private static func namesNoField(_ json: JSONPath) -> Bool {
        json["fieldName"] == nil && json["systemFieldName"] == nil
    }

    /// The field of a filter or of a sort.
    static func field(_ json: JSONPath) throws(CloudError) -> FilterField {
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

    /// The radius of NEAR, which needs one; for every other comparator it means nothing and is refused.
    private static func distance(_ json: JSONPath, _ comparator: Comparator) throws(CloudError) -> Double? {
        guard comparator == .near else {
            guard let distance = json["distance"] else { return nil }
            throw .badRequest("\(distance.path) goes with NEAR only, not with \(comparator)")
        }
        let distance = try json.required("distance")
        guard let metres = distance.value.number, metres >= 0 else { throw distance.wrong("metres, 0 or more") }
        return metres
    }

    private static func operand(_ json: JSONPath, _ comparator: Comparator) throws(CloudError) -> GivenFilter.Operand {
        let value = try json.object().required("value")
        guard comparator.takesList else {
            return .value(try FieldDecoding.given(value, try FieldDecoding.explicitType(json), isFilter: true))
        }
        guard let type = json["type"], let element = elementType(of: try type.string()) else {
            throw .badRequest(
                "\(json.path): \(comparator) needs an explicit list type, such as STRING_LIST or INT64_LIST")
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
