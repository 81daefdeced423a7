import CloudModel
import Matching
import Testing

@Suite struct FilterValidatorTests {
    private func filter(_ comparator: Comparator, _ operand: Filter.Operand) -> Filter {
        Filter(field: .field(FieldName(trusted: "f")), comparator: comparator, operand: operand)
    }

    private func validate(_ filters: [Filter]) throws(CloudError) {
        try FilterValidator.validate(Query(recordType: RecordType(trusted: "T"), filters: filters))
    }

    @Test(arguments: [
        (Comparator.equals, FieldValue.string("x")), (.equals, .int64(1)), (.equals, Fixtures.reference("r")),
        (.notEquals, .double(1)), (.lessThan, .string("x")), (.greaterThan, Fixtures.time(1)),
        (.greaterThanOrEquals, .double(1)), (.lessThanOrEquals, .int64(1)), (.beginsWith, .string("")),
        (.listContains, .string("x")),
    ])
    func evaluableFiltersAreValid(comparator: Comparator, value: FieldValue) throws {
        try validate([filter(comparator, .value(value))])
    }

    @Test(arguments: [
        (Comparator.equals, FieldValue.stringList(["x"])), (.lessThan, Fixtures.reference("r")),
        (.greaterThanOrEquals, .stringList([])), (.beginsWith, .int64(1)), (.beginsWith, Fixtures.reference("r")),
        (.listContains, .stringList(["x"])), (.in, .string("x")), (.in, .stringList(["x"])),
    ])
    func otherFiltersAreBadRequestsThatNameTheField(comparator: Comparator, value: FieldValue) {
        let failure = #expect(throws: CloudError.self) { try validate([filter(comparator, .value(value))]) }
        #expect(failure?.code == .badRequest)
        #expect(failure?.reason.contains("'f'") == true)
    }

    private static let ofLists: Set<Comparator> = [
        .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll,
    ]

    @Test(arguments: ofLists)
    func theseTakeAListAndNotTooLongAOne(comparator: Comparator) throws {
        let values = (0..<1001).map { FieldValue.int64($0) }
        try validate([filter(comparator, .values(Array(values.prefix(1000)), of: .int64))])
        #expect(throws: CloudError.self) { try validate([filter(comparator, .values(values, of: .int64))]) }
        #expect(throws: CloudError.self) { try validate([filter(comparator, .value(.int64(1)))]) }
        #expect(throws: CloudError.self) { try validate([filter(comparator, .values([.bytes([])], of: .bytes))]) }
    }

    /// Whatever it is compared with; CloudKit says it in these words.
    @Test(arguments: [FieldType.bytes, .asset, FieldType.bytes.listType!])
    func unindexedTypesAreNotQueryable(type: FieldType) {
        for value in [FieldValue.string("x"), .bytes([1])] {
            let failure = #expect(throws: CloudError.self) {
                try FilterValidator.validate(filter(.equals, .value(value)), fieldType: type)
            }
            #expect(failure?.reason.hasPrefix("Field 'f' is not marked queryable: it is \(type)") == true)
        }
    }

    @Test func allOthersTakeASingleValue() {
        for comparator in Comparator.allCases where !Self.ofLists.contains(comparator) {
            #expect(throws: CloudError.self) { try validate([filter(comparator, .values([.int64(1)], of: .int64))]) }
        }
    }

    @Test func nearNeedsAPlaceAndADistance() throws {
        func near(_ value: FieldValue, _ distance: Double?) throws(CloudError) {
            try validate([
                Filter(
                    field: .field(FieldName(trusted: "f")), comparator: .near, operand: .value(value),
                    distance: distance)
            ])
        }
        let place = FieldValue.location(Location(latitude: 1, longitude: 2))
        try near(place, 0)
        #expect(throws: CloudError.self) { try near(place, nil) }
        #expect(throws: CloudError.self) { try near(place, -1) }
        #expect(throws: CloudError.self) { try near(place, .nan) }
        #expect(throws: CloudError.self) { try near(.string("x"), 5) }
    }

    @Test func aQueryHasAtMostAHundredFilters() throws {
        let one = filter(.equals, .value(.int64(1)))
        try validate(Array(repeating: one, count: 100))
        #expect(throws: CloudError.self) { try validate(Array(repeating: one, count: 101)) }
    }

    /// docs/choices.md, 13: a value of another type than the field's is refused.
    @Test(arguments: [
        (Comparator.equals, FieldValue.string("x"), FieldType.string, true), (.equals, .int64(1), .string, false),
        (.equals, .int64(1), .double, false), (.equals, .int64(1), .timestamp, false),
        (.greaterThan, .double(1), .int64, false), (.listContains, .string("x"), .stringList, true),
        (.listContains, .string("x"), .string, false), (.listContains, .int64(1), .stringList, false),
        (.equals, .string("x"), .stringList, false), (.beginsWith, .string("x"), .stringList, false),
        (.notListContains, .string("x"), .stringList, true), (.notListContains, .string("x"), .string, false),
        (.listMemberBeginsWith, .string("x"), .stringList, true), (.listMemberBeginsWith, .string("x"), .string, false),
        (.containsAnyTokens, .string("x"), .string, true), (.containsAllTokens, .string("x"), .stringList, true),
        (.containsAllTokens, .string("x"), .int64, false),
        (.near, .location(Location(latitude: 1, longitude: 2)), .location, true),
        (.near, .location(Location(latitude: 1, longitude: 2)), .int64, false),
        (.equals, Fixtures.reference("x"), .reference, true), (.equals, .string("x"), .reference, false),
    ])
    func valuesHaveTheTypeOfTheField(comparator: Comparator, value: FieldValue, type: FieldType, isAllowed: Bool) {
        let result = Result { () throws(CloudError) in
            try FilterValidator.validate(filter(comparator, .value(value)), fieldType: type)
        }
        switch result {
        case .success: #expect(isAllowed)
        case .failure(let error):
            #expect(!isAllowed)
            #expect(error.code == .badRequest && error.reason.contains("\(type)"))
        }
    }
}
