import CloudJSON
import CloudModel
import JSON
import TestSupport
import Testing

/// Written nouns are read back equal, through the bytes, for random nouns.
@Suite struct RoundTripTests {
    private static let rounds = 300

    /// Writes and reads nouns of one kind; a failure names the seed.
    private func check<Noun: Equatable>(
        _ make: (inout RandomNouns) -> Noun, written: (Noun) -> JSONValue, read: (JSONPath) throws -> Noun,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        print("CloudJSON round trips from seed \(TestSeeds.first)")
        for seed in TestSeeds.several(Self.rounds) {
            var nouns = RandomNouns(seed: seed)
            let noun = make(&nouns)
            let text = try written(noun).serialized()
            do {
                let again = try read(JSONPath(try JSONValue(parsing: text)))
                #expect(again == noun, "seed \(seed)", sourceLocation: sourceLocation)
                if again != noun { return }
            } catch {
                Issue.record("seed \(seed): \(error)", sourceLocation: sourceLocation)
                return
            }
        }
    }

    @Test(arguments: [false, true])
    func `values of every type are read back`(numbersAsStrings: Bool) throws {
        let writer = FieldJSON(numbersAsStrings: numbersAsStrings, receipts: true)
        try check {
            let type = $0.pick(FieldType.allCases)
            return GivenValue($0.value(type, withReceipts: true), isTypeExplicit: true)
        } written: {
            writer.given($0)
        } read: {
            let json = JSONPath($0.value, areNumbersStrings: numbersAsStrings)
            return try #require(try FieldJSON.readField(json))
        }
    }

    @Test func `a value whose type is inferred is read back as that`() throws {
        try check {
            GivenValue(
                $0.pick([
                    .string($0.text()), .int64($0.integer()), .reference($0.reference()), .location($0.location()),
                ]), isTypeExplicit: false)
        } written: {
            FieldJSON().given($0)
        } read: {
            try #require(try FieldJSON.readField($0))
        }
    }

    @Test func `references, zones and places are read back`() throws {
        try check({ $0.reference() }, written: ReferenceJSON.reference) { try ReferenceJSON.read($0, isFilter: false) }
        try check({ $0.recordName() }, written: ReferenceJSON.name, read: ReferenceJSON.readName)
        try check({ $0.location() }, written: FieldJSON.location, read: FieldJSON.readLocation)
        try check({ $0.zoneID() }, written: ZoneJSON.id, read: ZoneJSON.readID)
        try check({ $0.givenZone() }, written: ZoneJSON.given, read: ZoneJSON.readGiven)
        try check({ $0.zone() }, written: ZoneJSON.zone, read: ZoneJSON.readZone)
        try check {
            ZoneOperation(kind: $0.pick(ZoneOperation.Kind.allCases), zone: $0.givenZone())
        } written: {
            ZoneOperationJSON.operation($0)
        } read: {
            try ZoneOperationJSON.read($0)
        }
    }

    @Test func `records are read back as they were written`() throws {
        try check {
            var record = $0.record()
            record.modified.user = record.created.user
            return record
        } written: {
            RecordJSON(viewer: $0.created.user).json($0)
        } read: {
            try RecordJSON.read($0)
        }
    }

    @Test func `shares are read back by their owner`() throws {
        try check {
            var record = $0.record()
            record.type = .share
            record.zone.owner = $0.user()
            record.created.device = nil
            record.modified.device = nil
            record.shareDetails = $0.share()
            return record
        } written: {
            RecordJSON(viewer: $0.zone.owner).json($0)
        } read: {
            try RecordJSON.read($0)
        }
    }

    @Test func `results of operations are read back`() throws {
        try check {
            $0.pick([.deleted($0.recordName()), .failed($0.maybe { $0.recordName() }, $0.error())])
        } written: { (result: RecordResult) in
            switch result {
            case .record(let record): return RecordJSON().json(record)
            case .deleted(let name): return RecordJSON.deleted(name)
            case .failed(let name, let error):
                var json: JSONObject = [:]
                json["recordName"] = name.map { .string($0.rawValue) }
                ErrorJSON.add(error, to: &json)
                return .object(json)
            }
        } read: {
            try RecordJSON.readResult($0)
        }
    }

    @Test func `operations on records are read back`() throws {
        try check({ $0.operation() }, written: RecordOperationJSON.operation, read: RecordOperationJSON.read)
    }

    @Test func `queries and their order are read back`() throws {
        try check({ $0.query() }, written: { QueryJSON.given($0) }, read: Self.readQuery)
        try check({ $0.list(3) { $0.sort() } }, written: { QueryJSON.given(Self.all, sortedBy: $0) }) {
            try QueryJSON.readSorts($0)
        }
    }

    @Test func `notificationInfo is read back`() throws {
        try check({ $0.notificationInfo() }, written: NotificationInfoJSON.info, read: NotificationInfoJSON.read)
    }

    @Test func `drafts of subscriptions are read back`() throws {
        try check({ $0.draft() }, written: SubscriptionJSON.draft) {
            var draft = try SubscriptionJSON.read($0)
            draft.query?.predicate?.argumentsJSON = nil
            return draft
        }
    }

    @Test func `operations on subscriptions are read back`() throws {
        try check {
            let id = SubscriptionID(trusted: $0.word())
            var draft = $0.draft()
            draft.query?.predicate = nil
            var trial = SubscriptionTrial()
            trial.changesMax = $0.below(1000) + 1
            trial.isParseOnly = $0.flag()
            trial.findsNear = $0.flag()
            trial.subject = $0.maybe {
                .init(name: $0.recordName(), zone: $0.flag() ? .default : GivenZone(name: ZoneName(trusted: $0.word())))
            }
            return $0.pick([.create(draft), .update(draft), .test(draft, trial), .delete(id)])
        } written: {
            SubscriptionOperationJSON.operation($0) ?? .null
        } read: {
            try SubscriptionOperationJSON.read($0)
        }
    }

    @Test func `saved subscriptions are read back as drafts`() throws {
        try check {
            ComparedSubscription($0.subscription())
        } written: { saved in
            SubscriptionJSON.subscription(saved.subscription)
        } read: { json in
            ComparedSubscription(reading: try SubscriptionJSON.read(json))
        }
    }

    @Test func `notifications are read back`() throws {
        try check {
            $0.notification()
        } written: { notification in
            NotificationJSON(identifier: { _ in notification.id }, payload: { _, id, writer in writer.value(id) }).json(
                Notification(
                    subject: NotificationSubject(user: .defaultOwner, change: .zero), content: notification.content,
                    changed: notification.changed))
        } read: {
            try NotificationJSON.read($0)
        }
    }

    @Test func `users, devices and errors are read back`() throws {
        try check({ $0.profile() }, written: { .object(UserJSON.identity($0)) }, read: UserJSON.read)
        try check({ $0.error() }) {
            var json: JSONObject = [:]
            ErrorJSON.add($0, to: &json)
            return .object(json)
        } read: {
            try #require(ErrorJSON.read($0.value))
        }
        let user = UserRecordName(trusted: "_" + String(repeating: "a", count: 32))
        try check {
            var device = $0.device()
            device.user = user
            return device
        } written: {
            .object(DeviceJSON.device($0))
        } read: {
            try DeviceJSON.read($0, of: user)
        }
    }

    private static let all = GivenQuery(recordType: RecordType(trusted: "T"), filters: [])

    /// How the arguments were written is kept beside what they say; only the latter is compared.
    private static func readQuery(_ json: JSONPath) throws -> GivenQuery {
        var query = try QueryJSON.read(json)
        query.predicate?.argumentsJSON = nil
        return query
    }
}
