import CloudMessages
import CloudModel
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// Versions in little memory are the versions that were put in.
@Suite struct VersionStoreTests {
    private static func version(
        _ user: String, _ id: String, at sequence: Int64, _ condition: Subscription.Condition, _ info: NotificationInfo,
        backfill: Backfill? = nil
    ) -> SubscriptionVersion {
        let key = SubscriptionKey(
            user: UserRecordName(trusted: user), database: .private, id: SubscriptionID(trusted: id))
        let saved = SavedSubscription(
            subscription: Subscription(key: key, condition: condition, notificationInfo: info, backfill: backfill),
            created: CommitSequence(sequence - 1), saved: CommitSequence(sequence))
        return SubscriptionVersion(
            key: key, sequence: CommitSequence(sequence), created: CommitSequence(sequence - 1), store: 7, saved: saved,
            offset: sequence * 3)
    }

    private static let query = Subscription.Condition(
        query: Query(recordType: RecordType(trusted: "T"), filters: []), zone: nil, firesOn: [.create, .update],
        firesOnce: true)

    private static let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.c"), environment: .development))

    private static func entry(_ version: SubscriptionVersion) -> [UInt8] {
        layout.subscriptionKey(version.key, version.sequence)
    }

    private func place(_ found: Int?) throws -> Int { try #require(found) }

    @Test("a version comes out as it went in, its info shared or not")
    func wholeVersions() throws {
        var store = VersionStore()
        let shared = NotificationInfo(alertBody: "e\u{301}", additionalFields: [FieldName(trusted: "f")])
        let given = [
            Self.version("_a", "s", at: 10, Self.query, shared),
            Self.version("_a", "s", at: 20, .zone(ZoneName(trusted: "z"), recordType: nil), shared),
            Self.version(
                "_b", "a longer name than fifteen", at: 11, .database(), NotificationInfo(alertBody: "\u{e9}")),
            Self.version(
                "_b", "past", at: 12, Self.query, shared, backfill: Backfill(from: Timestamp(milliseconds: 5))),
        ]
        var places: [Int] = []
        for version in given { places.append(store.insert(PreparedVersion(version, entry: Self.entry(version))) ?? -1) }
        for (version, place) in zip(given, places) {
            let packed = try #require(store[place])
            let found = store.content(packed)
            #expect(found.key == version.key && found.sequence == version.sequence && found.created == version.created)
            #expect(found.store == version.store && found.offset == version.offset && found.saved == version.saved)
            #expect(store.fired(packed) == FiredSubscription(version.saved!))
            // Composed and decomposed letters are equal to Swift.
            let body = try #require(found.saved?.subscription.notificationInfo.alertBody)
            #expect(
                body.unicodeScalars.elementsEqual(
                    version.saved!.subscription.notificationInfo.alertBody!.unicodeScalars))
            #expect(store.place(ofEntry: Self.entry(version)) == place)
            let again = store.insert(PreparedVersion(version, entry: Self.entry(version)))
            #expect(again == nil, "it is there already")
        }
        #expect(store.latest(given[0].key) == places[1] && store.count == 4)
        for (version, place) in zip(given, places) { store.remove(place, entry: Self.entry(version)) }
        #expect(store.count == 0 && store.latest(given[0].key) == nil)
    }

    @Test("a key that names no version is known by its bytes")
    func otherKeys() throws {
        var store = VersionStore()
        let version = Self.version("_a", "s", at: 10, Self.query, NotificationInfo())
        let one = try place(store.insert(PreparedVersion(version, entry: [1])))
        let two = try place(store.insert(PreparedVersion(version, entry: Self.entry(version))))
        let again = store.insert(PreparedVersion(version, entry: [1]))
        #expect(again == nil)
        #expect(store.place(ofEntry: [1]) == one && store.place(ofEntry: Self.entry(version)) == two)
        store.remove(one, entry: [1])
        #expect(store.place(ofEntry: [1]) == nil && store.place(ofEntry: Self.entry(version)) == two)
    }
}
