import CloudModel
import Cryptography
import RecordStore
import Testing

@testable import RecordService

/// The rules of `records/modify` over values: no store, no clock.
@Suite struct RecordRulesTests {
    private static let owner = UserRecordName(trusted: "_owner")
    private static let guest = UserRecordName(trusted: "_guest")
    private static let zone = ZoneID(name: ZoneName(trusted: "z"), owner: owner)

    /// An operation, the facts that it meets, and the expected code; nil if it is allowed.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var operation: RecordOperation
        var code: CloudErrorCode?
        var database = DatabaseScope.private
        var user = RecordRulesTests.owner
        /// Rights of a guest on the whole zone.
        var rights: Share.Permission?
        var facts: @Sendable (inout RecordFacts) -> Void = { _ in }
    }

    private static func record(
        _ name: String, type: RecordType = RecordType(trusted: "T"), parent: String? = nil,
        by user: UserRecordName = owner
    ) -> RecordImage {
        let stamp = RecordStamp(timestamp: Timestamp(milliseconds: 1), user: user, device: nil)
        return RecordImage(
            Record(
                type: type, name: RecordName(trusted: name), zone: zone, changeTag: "1", created: stamp,
                modified: stamp, fields: RecordFields(), parent: parent.map { RecordName(trusted: $0) }))
    }

    private static func child(_ name: String, of parent: String, kind: RecordOperation.Kind = .create)
        -> RecordOperation
    {
        var operation = RecordOperation.on(name, kind)
        operation.parent = .some(RecordName(trusted: parent))
        return operation
    }

    private static func line(_ names: String..., endsMissing: Bool = false) -> RecordLine {
        RecordLine(names: names.map { RecordName(trusted: $0) }, endsMissing: endsMissing)
    }

    private static func share(_ participants: [GivenShare.Participant] = [], root: String? = nil) -> RecordOperation {
        var operation = RecordOperation.on(root == nil ? "cloudkit.zoneshare" : "s", .create)
        operation.recordType = .share
        operation.share = GivenShare(root: root.map { RecordName(trusted: $0) }, participants: participants)
        return operation
    }

    private static let parent = RecordName(trusted: "p")

    static let existence = [
        Case(testDescription: "a new record", operation: .on("r", .create)),
        Case(testDescription: "create over a record", operation: .on("r", .create), code: .exists) {
            $0.existing = record("r")
        },
        Case(testDescription: "update of none", operation: .on("r", .update, tag: "1"), code: .notFound),
        Case(testDescription: "update without a tag", operation: .on("r", .update), code: .badRequest) {
            $0.existing = record("r")
        },
        Case(testDescription: "update with an old tag", operation: .on("r", .update, tag: "0"), code: .conflict) {
            $0.existing = record("r")
        },
        Case(testDescription: "update with the tag", operation: .on("r", .update, tag: "1")) {
            $0.existing = record("r")
        },
        Case(testDescription: "forced update of none", operation: .on("r", .forceUpdate)),
        Case(testDescription: "another type", operation: .on("r", .forceUpdate, type: "U"), code: .badRequest) {
            $0.existing = record("r")
        },
        Case(testDescription: "no type", operation: .on("r", .create, type: nil), code: .badRequest),
        Case(testDescription: "deletion of none", operation: .on("r", .delete, tag: "1"), code: .notFound),
        Case(testDescription: "deletion without a name", operation: .on(nil, .forceDelete), code: .badRequest),
    ]

    static let references = [
        Case(
            testDescription: "into another zone",
            operation: .on("r", .create, ["f": reference("x", zone: ZoneID(name: .defaultZone, owner: owner))]),
            code: .badRequest),
        Case(
            testDescription: "validates what is not there",
            operation: .on("r", .create, ["f": reference("x", .validate)]), code: .validatingReferenceError),
        Case(testDescription: "validates what is there", operation: .on("r", .create, ["f": reference("x", .validate)]))
        {
            $0.lines[RecordName(trusted: "x")] = line("x")
        },
        Case(
            testDescription: "too many to one record", operation: .on("r", .create, ["f": reference("x", .deleteSelf)]),
            code: .quotaExceeded
        ) { $0.cascadingReferrers[RecordName(trusted: "x")] = Limits.deleteSelfReferencesMax },
    ]

    static let parents = [
        Case(
            testDescription: "a parent that is not there", operation: child("r", of: "p"),
            code: .validatingReferenceError),
        Case(testDescription: "a parent", operation: child("r", of: "p")) { $0.lines[parent] = line("p", "top") },
        Case(testDescription: "its own parent", operation: child("r", of: "r"), code: .badRequest),
        Case(testDescription: "a circle", operation: child("r", of: "p", kind: .forceUpdate), code: .badRequest) {
            $0.lines[parent] = line("p", "r")
        },
        Case(testDescription: "a line without its top", operation: child("r", of: "p"), code: .validatingReferenceError)
        {
            $0.lines[parent] = line("p", "gone", endsMissing: true)
        },
        Case(testDescription: "too deep with what is below", operation: child("r", of: "p"), code: .quotaExceeded) {
            $0.lines[parent] = line("p")
            $0.levelsBelow = Limits.parentDepthMax
        },
    ]

    static let guests = [
        Case(
            testDescription: "a guest who may write", operation: .on("r", .create), user: guest, rights: .readWrite),
        Case(
            testDescription: "a guest who reads", operation: .on("r", .forceUpdate), code: .accessDenied, user: guest,
            rights: .readOnly
        ) {
            $0.existing = record("r")
            $0.lines[$0.name] = line("r")
        },
        Case(
            testDescription: "a guest without a parent", operation: .on("r", .create), code: .accessDenied, user: guest,
            rights: .readOnly),
        Case(
            testDescription: "a guest who changes a share", operation: share(), code: .accessDenied, user: guest,
            rights: .readWrite),
        Case(
            testDescription: "public, without the right to write", operation: .on("r", .forceUpdate),
            code: .accessDenied, database: .public, user: guest
        ) { $0.existing = record("r") },
        Case(
            testDescription: "public, by the creator", operation: .on("r", .forceUpdate), database: .public, user: guest
        ) { $0.existing = record("r", by: guest) },
    ]

    static let shares = [
        Case(testDescription: "a share where none can be", operation: share(), code: .badRequest),
        Case(testDescription: "a share of the zone", operation: share()) {
            $0.share = ShareFacts(newGUID: "g", counts: (0, 0))
        },
        Case(testDescription: "a share of nothing", operation: share(root: "x"), code: .validatingReferenceError) {
            $0.share = ShareFacts(newGUID: "g", counts: (0, 0))
        },
        Case(testDescription: "too many shares in a zone", operation: share(), code: .quotaExceeded) {
            $0.share = ShareFacts(newGUID: "g", counts: (Limits.sharesPerZoneMax, 0))
        },
        Case(
            testDescription: "a participant twice",
            operation: share([
                .init(user: guest, permission: .readOnly), .init(user: guest, permission: .readWrite),
            ]), code: .badRequest
        ) { $0.share = ShareFacts(newGUID: "g", counts: (0, 0)) },
    ]

    static let quotas = [
        Case(testDescription: "no room for a record", operation: .on("r", .create), code: .quotaExceeded) {
            $0.usage.used[owner] = Usage([.privateRecords: 5])
            $0.usage.quotas[.privateRecords] = 5
        },
        Case(testDescription: "a full house takes updates", operation: .on("r", .forceUpdate)) {
            $0.existing = record("r")
            $0.usage.used[owner] = Usage([.privateRecords: 9])
            $0.usage.quotas[.privateRecords] = 5
        },
        Case(
            testDescription: "too large",
            operation: .on(
                "r", .create, ["f": .string(String(repeating: "x", count: Limits.recordBytesMax))]),
            code: .quotaExceeded),
        Case(testDescription: "too many types", operation: .on("r", .create), code: .quotaExceeded) {
            $0.schema = TypeSchema(RecordType(trusted: "T"), .development)
            $0.schema?.known[.types] = Limits.schemaTypesMax
        },
    ]

    @Test(arguments: existence + references + parents + guests + shares + quotas)
    func decides(_ example: Case) {
        #expect(code(example) == example.code)
    }

    private func code(_ example: Case) -> CloudErrorCode? {
        do throws(CloudError) {
            let (rules, facts) = Self.rules(example)
            guard case .save(let draft) = try rules.decide(example.operation) else { return nil }
            let save = try rules.finish(draft, at: CommitSequence(36))
            #expect(save.after.record.changeTag == "10" && save.after.record.name == facts.name)
            return nil
        } catch {
            return error.code
        }
    }

    private static func rules(_ example: Case) -> (RecordRules, RecordFacts) {
        let isPublic = example.database == .public
        var setting = ZoneSetting(
            database: example.database, zone: isPublic ? .publicDefault : zone, environment: .development,
            origin: Origin(user: example.user, device: nil, epoch: nil), time: Timestamp(milliseconds: 2),
            serviceTime: Timestamp(milliseconds: 2))
        if let rights = example.rights {
            setting.access = SharedAccess([
                AcceptedShare(
                    zone: zone, name: .zoneShare, root: nil, permission: rights, accepted: .zero, epoch: .zero)
            ])
        }
        var facts = RecordFacts(name: example.operation.recordName ?? RecordName(trusted: "made"))
        example.facts(&facts)
        let scope = ContainerEnvironment(container: ContainerIdentifier(trusted: "c"), environment: .development)
        let ledger = AssetLedger(
            storage: nil, scope: scope, database: example.database, user: example.user, time: setting.time)
        return (
            RecordRules(
                setting: setting, facts: facts, assets: ledger, seals: FieldSeals(.generate(), scope: scope)), facts
        )
    }

    /// Addresses of nobody become invitations, once for each; those who are there keep their acceptance.
    @Test func participantsOfAShare() throws {
        let addresses = ["New@example.com", "known@example.com"]
        let example = Case(
            testDescription: "",
            operation: Self.share(
                addresses.map { .init(person: .emailAddress($0), permission: .readOnly) }
                    + [.init(user: Self.owner, permission: .readWrite)])
        ) {
            $0.share = ShareFacts(
                newGUID: "g", counts: (0, 0), root: nil,
                addresses: [
                    EmailAddress(trusted: "new@example.com"): .new(UserRecordName(trusted: "_new")),
                    EmailAddress(trusted: "known@example.com"): .known(Self.guest),
                ])
        }
        let (rules, _) = Self.rules(example)
        guard case .save(let draft) = try rules.decide(example.operation) else {
            Issue.record("no save")
            return
        }
        let share = try #require(draft.record.shareDetails)
        #expect(share.participants.map(\.user.rawValue) == ["_new", "_guest"] && share.shortGUID == "g")
        #expect(share.participants.map(\.emailAddress) == addresses)
        #expect(
            draft.invitations
                == [
                    RecordDraft.Invitation(
                        name: UserRecordName(trusted: "_new"), address: EmailAddress(trusted: "new@example.com"))
                ])
    }

    /// A record that moves from one share into another is deleted for one audience and created for the other.
    @Test func aMoveIsADeletionForSomeAndACreationForOthers() {
        let users = ["a", "b", "c"].map { UserRecordName(trusted: $0) }
        let image = Self.record("r")
        let change = SharedChange(
            kind: .updated, before: image, after: image, readersBefore: [users[0], users[1]],
            readersAfter: [users[1], users[2]])
        #expect(change.audiences.map(\.kind) == [.deleted, .updated, .created])
        #expect(change.audiences.map(\.people) == [[users[0]], [users[1]], [users[2]]])
        #expect(change.audiences.map { $0.after == nil } == [true, false, false])
    }
}
