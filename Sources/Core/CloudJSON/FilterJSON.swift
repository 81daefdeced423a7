package import CloudModel
package import JSON

/// Filters of queries as JSON: the entries of `filterBy`.
package enum FilterJSON {
    /// Writes a filter with the type of its value.
    package static func filter(_ filter: Filter) -> JSONValue {
        let operand: GivenFilter.Operand =
            switch filter.operand {
            case .value(let value): .value(GivenValue(value, isTypeExplicit: true))
            case .values(let values, let type): .values(values, of: type)
            }
        return given(
            GivenFilter(
                field: filter.field, comparator: filter.comparator, operand: operand, distance: filter.distance))
    }

    /// Writes a filter as a request gives it.
    package static func given(_ filter: GivenFilter) -> JSONValue {
        var json: JSONObject = ["comparator": .string(filter.comparator.description)]
        add(filter.field, to: &json)
        switch filter.operand {
        case .value(let value) where filter.comparator.takesList:
            json["fieldValue"] = ["type": "LIST", "value": FieldJSON().value(value.value)]
        case .value(let value): json["fieldValue"] = FieldJSON().given(value)
        case .values(let values, let type):
            json["fieldValue"] = [
                "type": .string("\(type)_LIST"), "value": .array(values.map { FieldJSON().value($0) }),
            ]
        }
        if let distance = filter.distance {
            json["distance"] = Int64(exactly: distance).map { .integer($0) } ?? .double(distance)
        }
        return .object(json)
    }

    /// Adds the name of a field to a filter or a sort.
    static func add(_ field: FilterField, to json: inout JSONObject) {
        switch field {
        case .field(let name): json["fieldName"] = .string(name.rawValue)
        case .system(let field): json["systemFieldName"] = .string(field.description)
        case .searchableTexts: break
        }
    }

    /// Reads `filterBy`; empty when it is absent.
    static func readAll(_ query: JSONPath) throws(CloudError) -> [GivenFilter] {
        guard let list = query["filterBy"] else { return [] }
        // A lone filter stands for a list of one: Apple's JS sends it so.
        return list.value.object != nil ? [try read(list)] : try list.elements(read)
    }

    private static func read(_ json: JSONPath) throws(CloudError) -> GivenFilter {
        let name = try json.object().required("comparator")
        guard let comparator = Comparator(name: try name.string()) else {
            let known = Comparator.allCases.map(\.description).joined(separator: ", ")
            throw .badRequest("\(name.path) is '\(try name.string())'; known comparators are \(known)")
        }
        let field = comparator.isOfWords && namesNoField(json) ? FilterField.searchableTexts : try readField(json)
        return GivenFilter(
            field: field, comparator: comparator, operand: try operand(try json.required("fieldValue"), comparator),
            distance: try distance(json, comparator))
    }

    private static func namesNoField(_ json: JSONPath) -> Bool {
        json["fieldName"] == nil && json["systemFieldName"] == nil
    }

    /// Reads the field of a filter or of a sort.
    static func readField(_ json: JSONPath) throws(CloudError) -> FilterField {
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
        let spelt = try FieldJSON.comparedType(json)
        guard comparator.takesList else { return .value(try FieldJSON.readGiven(value, spelt, isFilter: true)) }
        if let type = json["type"], FieldJSON.namesOfAnyList.contains(try type.string()) {
            return .value(try FieldJSON.readGiven(value, nil, isFilter: true))
        }
        guard let type = json["type"], let element = elementType(of: try type.string()) else {
            throw .badRequest(
                "\(json.path): \(comparator) needs an explicit list type, such as STRING_LIST or INT64_LIST")
        }
        let values = try value.elements { item throws(CloudError) in
            try FieldJSON.read(item, as: element, isFilter: true)
        }
        return .values(values, of: element)
    }

    private static func elementType(of listType: String) -> FieldType? {
        guard listType.hasSuffix("_LIST") else { return nil }
        return FieldType(name: String(listType.dropLast(5)))
    }
}
