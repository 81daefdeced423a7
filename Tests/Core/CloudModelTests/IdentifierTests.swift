import CloudModel
import Testing

/// Names and their limits (docs/cloudkit.md#limits, docs/delivery.md).
@Suite struct IdentifierTests {
    /// A kind of name, so that one table serves all.
    enum Kind: CaseIterable {
        case record, zone, type, field, subscription, device, container, user

        func make(_ text: String) throws -> String {
            switch self {
            case .record: try RecordName(text).rawValue
            case .zone: try ZoneName(text).rawValue
            case .type: try RecordType(text).rawValue
            case .field: try FieldName(text).rawValue
            case .subscription: try SubscriptionID(text).rawValue
            case .device: try DeviceID(text).rawValue
            case .container: try ContainerIdentifier(text).rawValue
            case .user: try UserRecordName(text).rawValue
            }
        }
    }

    private static let long255 = String(repeating: "a", count: 255)
    private static let user = "_0123456789abcdef0123456789abcdef"

    @Test(arguments: [
        (Kind.record, ["a", "A b", "~", "a_", "a/b", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", long255]),
        (.zone, ["_defaultZone", "Zone 1", "a", long255]),
        (.type, ["A", "a1_", "Artwork", long255]),
        (.field, ["A", "a1_", "isComplete", long255]),
        (.subscription, ["_a", " ", "sub-1", "1", long255]),
        (.device, ["a", "-", "_", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", String(repeating: "z", count: 64)]),
        (.container, ["iCloud.com.example.Gallery", "a-b", "1", String(repeating: "c", count: 120)]),
        (.user, [user, "_" + String(repeating: "0", count: 32)]),
    ])
    func validTextsAreKept(kind: Kind, texts: [String]) throws {
        for text in texts { #expect(try kind.make(text) == text) }
    }

    @Test(arguments: [
        (Kind.record, ["_a", "_defaultZone", "ä", "a\u{0}", "a\n", "a\u{7f}", long255 + "a"]),
        (.zone, ["_other", "_defaultzone", "_defaultZone ", "ä", "a\u{0}", "\t", long255 + "a"]),
        (.type, ["1a", "_a", "a-b", "a b", "ä", "a.b", "a\u{0}", long255 + "a"]),
        (.field, ["1a", "_a", "___recordID", "a-b", "a b", "é", "a\u{0}", long255 + "a"]),
        (.subscription, ["ä", "a\u{0}", "a\u{1b}", long255 + "a"]),
        (.device, ["a.b", "a b", "ä", "a\u{0}", "a/b", String(repeating: "z", count: 65)]),
        (.container, ["a_b", "a/b", "a b", "ä", "a\u{0}", String(repeating: "c", count: 121)]),
        (
            .user,
            [
                "_", "0123456789abcdef0123456789abcdef", "_0123456789ABCDEF0123456789abcdef", user + "0",
                "_0123456789abcdef0123456789abcde", "_0123456789abcdef0123456789abcdeg", "_defaultOwner",
            ]
        ),
    ])
    func invalidTextsAreBadRequestsWithoutInternals(kind: Kind, texts: [String]) {
        for text in texts + [""] {
            let failure = #expect(throws: CloudError.self, "\(kind) '\(text)'") { try kind.make(text) }
            #expect(failure?.code == .badRequest)
            #expect(failure?.reason.isEmpty == false)
        }
    }

    /// The lengths are bytes of ASCII, so that a name of many-byte characters cannot slip through as short.
    @Test(arguments: Kind.allCases)
    func noNameTakesCombiningCharacters(kind: Kind) {
        let text = "a" + String(repeating: "\u{301}", count: 300)
        #expect(text.count == 1)
        #expect(throws: CloudError.self) { try kind.make(text) }
    }

    /// A name of a megabyte does not come back whole.
    @Test(arguments: Kind.allCases)
    func errorsShowTheBeginningOfALongText(kind: Kind) {
        for text in [String(repeating: "ä", count: 500_000), String(repeating: "z", count: 1 << 20)] {
            let error = #expect(throws: CloudError.self) { try kind.make(text) }
            #expect((error?.reason.utf8.count ?? .max) < 1000)
        }
    }

    @Test func namesAreOrderedByTheirBytes() throws {
        let names = try ["b", "a", "B", "ab", "a1", "Z", "~"].map { try RecordName($0) }
        #expect(names.sorted().map(\.rawValue) == ["B", "Z", "a", "a1", "ab", "b", "~"])
    }

    @Test(arguments: [("public", DatabaseScope.public, 1), ("private", .private, 2), ("shared", .shared, 3)])
    func databasesHaveTheirNativeNumbers(name: String, scope: DatabaseScope, number: Int32) {
        #expect(DatabaseScope(name) == scope)
        #expect(scope.rawValue == number && "\(scope)" == name)
    }

    @Test(arguments: ["Public", "", "PRIVATE", "all"])
    func otherDatabasesDoNotExist(name: String) { #expect(DatabaseScope(name) == nil) }

    @Test(arguments: SystemField.allCases)
    func systemFieldsAreReadByTheNameTheyAreWrittenWith(field: SystemField) {
        #expect(SystemField(name: field.description) == field)
    }

    /// docs/cloudkit.md#dictionaries spell the stored names.
    @Test(arguments: [
        ("___recordId", SystemField.recordName), ("___recordID", .recordName), ("___createTime", .createdTimestamp),
        ("___createdBy", .createdUserRecordName), ("___modTime", .modifiedTimestamp),
        ("___modifiedBy", .modifiedUserRecordName),
    ])
    func systemFieldsAreReadByTheirStoredNames(name: String, field: SystemField) {
        #expect(SystemField(name: name) == field)
    }
}
