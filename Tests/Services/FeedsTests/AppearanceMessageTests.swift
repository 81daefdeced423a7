import CloudMessages
import CloudModel
import ProtocolBuffers
import Testing

/// What notifications show, as it is stored and published.
@Suite struct AppearanceMessageTests {
    static let full = Appearance<FieldName>(
        alert: AlertText("a", localizationKey: "A", localizationArgs: [FieldName(trusted: "f")]),
        title: AlertText("t", localizationKey: "T", localizationArgs: [FieldName(trusted: "g")]),
        subtitle: AlertText("s", localizationKey: "S", localizationArgs: [FieldName(trusted: "h")]),
        actionLocalizationKey: "action", launchImage: "launch", soundName: "sound", category: "category",
        isContentAvailable: true, isContentMutable: true, collapseID: "collapse")

    private static let parts: [NotificationInfo] = [
        NotificationInfo(), NotificationInfo(alertBody: ""), NotificationInfo(alertBody: "a", shouldBadge: true),
        NotificationInfo(additionalFields: [FieldName(trusted: "b"), FieldName(trusted: "a")], appearance: full),
        NotificationInfo(appearance: Appearance(title: AlertText(""))),
        NotificationInfo(appearance: Appearance(subtitle: AlertText(localizationKey: ""))),
        NotificationInfo(appearance: Appearance(isContentAvailable: true)),
        NotificationInfo(appearance: Appearance(isContentMutable: true)),
        NotificationInfo(appearance: Appearance(collapseID: "")),
    ]

    @Test(arguments: parts)
    func informationComesBackAsItWas(info: NotificationInfo) throws {
        let message = try NotificationInfoMessage(decoding: NotificationInfoMessage(info).encoded())
        #expect(message.notificationInfo == info)
    }

    /// What shows no more than the text of the alert has the bytes that it had before there was more.
    @Test func theTextAloneIsAsSmallAsEver() {
        let message = NotificationInfoMessage(NotificationInfo(alertBody: "a", shouldBadge: true))
        #expect(message.appearance == nil && message.encoded() == [0x0a, 1, 0x61, 0x18, 1])
    }
}
