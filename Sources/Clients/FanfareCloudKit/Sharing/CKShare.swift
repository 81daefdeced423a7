import CloudModel
public import Foundation
import Synchronization

/// The name of the record that shares a whole zone.
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"

// What can change is guarded, as in the class above it.
/// A record that shares another one with all below it, or a whole zone.
public final class CKShare: CKRecord, @unchecked Sendable {
    /// The access of a participant.
    public enum ParticipantPermission: Int, Sendable {
        /// Not known.
        case unknown = 0
        /// None.
        case none = 1
        /// Reading.
        case readOnly = 2
        /// Reading and writing.
        case readWrite = 3
    }

    /// The state of an invitation.
    public enum ParticipantAcceptanceStatus: Int, Sendable {
        /// Not known.
        case unknown = 0
        /// Invited.
        case pending = 1
        /// Accepted.
        case accepted = 2
        /// Taken out.
        case removed = 3
    }

    /// The part of a participant.
    public enum ParticipantRole: Int, Sendable {
        /// Not known.
        case unknown = 0
        /// The user whose records they are.
        case owner = 1
        /// Invited, and changes the participants as the owner does.
        case administrator = 2
        /// Invited by name or address.
        case privateUser = 3
        /// Came by the link.
        case publicUser = 4
    }

    /// The access of everybody who has the link.
    @CKGuarded public var publicPermission = ParticipantPermission.none
    @CKGuarded private var people: [Participant] = []
    /// The values that the service returned with the share.
    @CKGuarded private var answered = Answered()
    private let rootID: CKRecord.ID?

    /// The values that the service returns with a share; all are nil before the first save.
    struct Answered: Sendable, Codable {
        var shortGUID: String?
        var owner: String?
        /// The record name of the user to whom the service returned the share.
        var caller: String?
        /// The link without the short GUID.
        var address: String?
    }

    /// A share of a record and all below it; save both in one operation.
    public convenience init(rootRecord: CKRecord) {
        self.init(
            rootRecord: rootRecord,
            shareID: CKRecord.ID(recordName: "Share-\(UUID().uuidString)", zoneID: rootRecord.recordID.zoneID))
    }

    /// A share of a record, under a name. The record refers to it from then on.
    public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        rootID = rootRecord.recordID
        super.init(recordType: SystemType.share, recordID: shareID, state: State())
        rootRecord.state.withLock { $0.newShare = shareID.recordName }
    }

    /// A share of a whole zone.
    public init(recordZoneID: CKRecordZone.ID) {
        rootID = nil
        super.init(
            recordType: SystemType.share,
            recordID: CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID), state: State())
    }

    init(received record: Record, recordID: CKRecord.ID) {
        rootID = record.shareDetails?.root.map { CKRecord.ID($0, in: recordID.zoneID) }
        super.init(recordType: SystemType.share, recordID: recordID, state: State())
    }

    /// A share from an archive, whole or of its system fields: both have its permission, participants and link.
    public required init?(coder: NSCoder) {
        let archived = Archive(from: coder)
        rootID = archived?.root?.id
        super.init(coder: coder)
        guard let archived else { return }
        publicPermission = ParticipantPermission(rawValue: archived.publicPermission) ?? .unknown
        people = archived.people.map(\.participant)
        answered = archived.answered
    }

    private init(copying share: CKShare) {
        rootID = share.rootID
        super.init(recordType: share.recordType, recordID: share.recordID, state: share.state.withLock { $0 })
        publicPermission = share.publicPermission
        people = share.people.map { $0.copied() }
        answered = share.answered
    }

    /// A copy with the same participants and unsaved changes.
    public override func copy(with zone: NSZone? = nil) -> Any { CKShare(copying: self) }

    override func encodeOwnProperties(with coder: NSCoder) {
        Archive(
            publicPermission: publicPermission.rawValue, people: people.map { Archive.Person($0) }, answered: answered,
            root: rootID.map { CKRecord.Archive.Identifier($0) }
        ).encode(with: coder)
    }

    // MARK: Participants

    /// The owner.
    public var owner: Participant {
        Participant(
            userIdentity: CKUserIdentity(name: answered.owner ?? CKCurrentUserDefaultName), role: .owner,
            status: .accepted, permission: .readWrite)
    }

    /// Everybody, the owner first.
    public var participants: [Participant] { [owner] + people }

    /// The user who asks, where the share is known to be shared with them: the owner, or one of the others.
    public var currentUserParticipant: Participant? {
        guard recordID.zoneID.ownerName != CKCurrentUserDefaultName else { return owner }
        return people.first { $0.userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName }
    }

    /// Invites somebody, or changes what they may do.
    public func addParticipant(_ participant: Participant) {
        people = people.filter { !$0.isSamePerson(as: participant) } + [participant]
    }

    /// Takes somebody out.
    public func removeParticipant(_ participant: Participant) {
        people = people.filter { !$0.isSamePerson(as: participant) }
    }

    /// The end of the link by which the share is accepted; nil before it is saved. Not in CloudKit.
    public var shortGUID: String? { answered.shortGUID }

    /// The link by which the share is accepted, a page of the service's; nil before it is saved.
    public var url: URL? {
        guard let guid = answered.shortGUID, let address = answered.address else { return nil }
        return URL(string: "\(address)/\(guid)")
    }

    /// The short GUID of a link.
    static func shortGUID(of url: URL) -> String {
        url.lastPathComponent
    }

    // MARK: Service

    /// The share as a request gives it.
    var given: GivenShare {
        GivenShare(
            root: answered.shortGUID == nil ? rootID.map { RecordName(trusted: $0.recordName) } : nil,
            publicPermission: Share.Permission(rawValue: Int32(publicPermission.rawValue)) ?? Share.Permission.none,
            participants: people.compactMap { $0.given(caller: answered.caller) })
    }

    override func didAdopt(_ record: Record, from reader: RecordReader) {
        guard let share = record.shareDetails else { return }
        answered = Answered(
            shortGUID: share.shortGUID, owner: reader.userName(record.zone.owner), caller: reader.user,
            address: reader.shares)
        publicPermission = ParticipantPermission(share.publicPermission)
        people = share.participants.map { Participant($0, name: reader.userName($0.user)) }
    }
}

extension CKShare {
    /// Names of fields of shares.
    public enum SystemFieldKey {
        /// The title, which the page of the share shows.
        public static let title: CKRecord.FieldKey = "cloudkit.title"
        /// The bytes of a picture.
        public static let thumbnailImageData: CKRecord.FieldKey = "cloudkit.thumbnailImageData"
        /// The type of the shared content.
        public static let shareType: CKRecord.FieldKey = "cloudkit.type"
    }
}

extension CKShare.ParticipantRole {
    init(_ noun: Share.Participant.Role) {
        self =
            switch noun {
            case .user: .privateUser
            case .administrator: .administrator
            case .publicUser: .publicUser
            }
    }

    /// The part as a request gives it; nil for one that the service knows by itself.
    var noun: Share.Participant.Role? {
        switch self {
        case .administrator: .administrator
        case .privateUser: .user
        case .publicUser: .publicUser
        case .owner, .unknown: nil
        }
    }
}

extension CKShare.ParticipantPermission {
    init(_ noun: Share.Permission) { self = Self(rawValue: Int(noun.rawValue)) ?? .unknown }
}
