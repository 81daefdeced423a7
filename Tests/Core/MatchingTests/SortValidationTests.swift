import CloudModel
import Matching
import Testing

/// What records can be ordered by.
@Suite struct SortValidationTests {
    private static let types: [FieldName: FieldType] = [
        FieldName(trusted: "n"): .int64, FieldName(trusted: "l"): .location, FieldName(trusted: "r"): .reference,
        FieldName(trusted: "tags"): .stringList,
    ]

    private func validate(_ field: FilterField, near: Location? = nil, typed: Bool = true) throws(CloudError) {
        try QueryValidator.validate(
            [Sort(field: field, isAscending: true, relativeLocation: near)], of: RecordType(trusted: "T"),
            types: typed ? Self.types : nil)
    }

    private static let place = Location(latitude: 1, longitude: 2)

    @Test func orderedFieldsAndDistancesAreTaken() throws {
        try validate(.field(FieldName(trusted: "n")))
        try validate(.field(FieldName(trusted: "l")), near: Self.place)
        try validate(.system(.createdTimestamp))
        try validate(.field(FieldName(trusted: "anything")), typed: false)
    }

    @Test(arguments: [("l", nil), ("r", nil), ("tags", nil), ("n", place), ("unknown", nil)] as [(String, Location?)])
    func unorderedTypesAreRefusedByName(field: String, near: Location?) {
        let failure = #expect(throws: CloudError.self) {
            try validate(.field(FieldName(trusted: field)), near: near)
        }
        #expect(failure?.code == .badRequest && failure?.reason.contains("'\(field)'") == true)
    }

    @Test func tooManyAreRefused() {
        let sort = Sort(field: .system(.recordName), isAscending: true)
        #expect(throws: CloudError.self) {
            try QueryValidator.validate(
                Array(repeating: sort, count: Limits.sortsMax + 1), of: RecordType(trusted: "T"), types: nil)
        }
    }
}
