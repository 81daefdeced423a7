import CloudModel
import Testing

@Suite struct ErrorTests {
    /// The table of docs/cloudkit.md#errors, and CHANGE_TOKEN_EXPIRED of docs/http-api.md.
    @Test(arguments: [
        ("ACCESS_DENIED", 403), ("AUTHENTICATION_FAILED", 401), ("AUTHENTICATION_REQUIRED", 421), ("BAD_REQUEST", 400),
        ("CONFLICT", 409), ("EXISTS", 409), ("INTERNAL_ERROR", 500), ("NOT_FOUND", 404), ("QUOTA_EXCEEDED", 413),
        ("THROTTLED", 429), ("TRY_AGAIN_LATER", 503), ("VALIDATING_REFERENCE_ERROR", 412), ("ZONE_NOT_FOUND", 404),
        ("CHANGE_TOKEN_EXPIRED", 410),
    ])
    func codesHaveTheirStatus(name: String, status: Int) {
        #expect(CloudErrorCode(rawValue: name)?.httpStatus == status)
    }

    /// The figures of docs/cloudkit.md#limits and docs/delivery.md.
    @Test func limitsAreThoseOfTheContract() {
        #expect(Limits.operationsMax == 200)
        #expect(Limits.recordBytesMax == 1_048_576)
        #expect(Limits.nameCharactersMax == 255)
        #expect(Limits.containerCharactersMax == 120)
        #expect(Limits.deviceCharactersMax == 64)
        #expect(Limits.additionalFieldsMax == 3)
        #expect(Limits.subscriptionsDefaultMax == 1000)
        #expect(Limits.notificationsPageMax == 200)
        #expect(Limits.markReadMax == 200)
        #expect(Limits.waitSecondsMax == 60)
        #expect(Limits.requestBodyBytesDefaultMax == 33_554_432)
        #expect(Limits.messageBytesMax == 4_194_304)
        #expect(Limits.userStateBytesMax == 1_048_576)
    }

    /// `<container>.<environment>.journal.<user>` and `feed.<device>.<epoch>` have to fit Kafka's 249 characters.
    @Test func theLongestTopicNamesFitKafka() {
        let prefix = Limits.containerCharactersMax + ".development.".utf8.count
        #expect(prefix + "journal.".utf8.count + 33 <= 249)
        #expect(prefix + "feed.".utf8.count + Limits.deviceCharactersMax + 1 + "\(Int64.max)".utf8.count <= 249)
    }
}
