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
    @CKGuarded private var details: Share? = nil
    /// The owner, if the service has returned the share.
    @CKGuarded private var ownerName: String? = nil
    /// The record name of the user to whom the service returned the share.
    @CKGuarded private var caller: String? = nil
    @CKGuarded private var address: String? = nil
    private let rootID: CKRecord.ID?

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

    /// A share from an archive: its participants are fetched again.
    public required init?(coder: NSCoder) {
        rootID = nil
        super.init(coder: coder)
    }

    // MARK: Participants

    /// The owner.
    public var owner: Participant {
        Participant(
            userIdentity: CKUserIdentity(name: ownerName ?? CKCurrentUserDefaultName), role: .owner,
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
    public var shortGUID: String? { details?.shortGUID }

    /// The link by which the share is accepted, a page of the service's; nil before it is saved.
    public var url: URL? {
        guard let details, let address else { return nil }
        return URL(string: "\(address)/\(details.shortGUID)")
    }

    /// The short GUID of a link.
    static func shortGUID(of url: URL) -> String {
        url.lastPathComponent
    }

    // MARK: Service

    /// The share as a request gives it.
    var given: GivenShare {
        GivenShare(
            root: details == nil ? rootID.map { RecordName(trusted: $0.recordName) } : nil,
            publicPermission: Share.Permission(rawValue: Int32(publicPermission.rawValue)) ?? Share.Permission.none,
            participants: people.compactMap { $0.given(caller: caller) })
    }

    override func didAdopt(_ record: Record, from reader: RecordReader) {
        guard let share = record.shareDetails else { return }
        details = share
        address = reader.shares
        caller = reader.user
        ownerName = reader.userName(record.zone.owner)
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
