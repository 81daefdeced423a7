import CloudModel
import Testing

@testable import RecordService

/// Which fields `notificationInfo` may name (docs/cloudkit.md#notificationinfo).
@Suite struct NotificationInfoTests {
    private static let values: [(String, FieldValue)] = [
        ("s", .string("x")), ("n", .int64(1)), ("d", .double(1)), ("t", .timestamp(Timestamp(milliseconds: 1))),
        ("p", .location(Location(latitude: 1, longitude: 2))),
        ("r", .reference(Reference(recordName: RecordName(trusted: "q"), action: .none))), ("b", .bytes([1])),
        ("l", .stringList(["x"])),
    ]

    private func rig() async throws -> RecordServiceRig {
        let rig = try await RecordServiceRig()
        let fields = Dictionary(uniqueKeysWithValues: Self.values.map { ($0, Optional($1)) })
        _ = try await rig.apply(.on("record", .create, fields))
        return rig
    }

    private func error(_ info: NotificationInfo) async throws -> CloudError? {
        try await rig().apply(.create(.draft("sub", info: info))).error
    }

    @Test(
        arguments: [
            ("s", true, true), ("n", true, true), ("d", true, true), ("t", true, true), ("p", true, false),
            ("r", true, false), ("b", false, false), ("l", false, false), ("later", true, true),
        ])
    func fieldsHaveTypesThatCanBeCarriedOrShown(field: String, isCarried: Bool, isShown: Bool) async throws {
        let name = FieldName(trusted: field)
        let carried = try await error(NotificationInfo(additionalFields: [name]))
        #expect(carried?.code == (isCarried ? nil : .badRequest), "\(carried?.reason ?? "")")
        let text = AlertText(localizationKey: "K", localizationArgs: [name])
        for appearance in [Appearance(alert: text), Appearance(title: text), Appearance(subtitle: text)] {
            let shown = try await error(NotificationInfo(appearance: appearance))
            #expect(shown?.code == (isShown ? nil : .badRequest), "\(shown?.reason ?? "")")
            #expect(isShown || shown?.reason.contains("'\(field)'") == true)
        }
    }

    @Test func allOfItIsStoredAndMayChange() async throws {
        let rig = try await rig()
        let text = AlertText("x", localizationKey: "K", localizationArgs: [FieldName(trusted: "s")])
        let info = NotificationInfo(
            additionalFields: [FieldName(trusted: "p")], shouldBadge: true,
            appearance: Appearance(
                alert: text, title: text, subtitle: text, actionLocalizationKey: "a", launchImage: "l", soundName: "s",
                category: "c", isContentAvailable: true, isContentMutable: true, collapseID: "s"))
        #expect(try await rig.apply(.create(.draft("sub", info: info))).subscription?.notificationInfo == info)
        let listed = try await rig.service.listSubscriptions(in: .public, for: rig.alice)
        #expect(listed.map(\.notificationInfo) == [info])
        var changed = info
        changed.appearance.title.text = "y"
        #expect(try await rig.apply(.update(.draft("sub", info: changed))).subscription?.notificationInfo == changed)
    }

    /// docs/cloudkit.md#refused-subscriptions: production knows the fields that are named, or refuses.
    @Test func productionHasToKnowArguments() throws {
        let type = RecordType(trusted: "T")
        let types: [FieldName: FieldType] = [FieldName(trusted: "n"): .int64]
        func check(_ field: String, isProduction: Bool) throws(CloudError) {
            let text = AlertText(localizationKey: "K", localizationArgs: [FieldName(trusted: field)])
            try NotificationInfoRules.check(
                NotificationInfo(appearance: Appearance(title: text)), of: type, types: types,
                isProduction: isProduction)
        }
        try check("n", isProduction: true)
        try check("m", isProduction: false)
        #expect(throws: CloudError.self) { try check("m", isProduction: true) }
    }
}
