import CloudModel
public import Foundation

extension CKShare {
    // What can change is guarded; CloudKit declares the class the same way.
    /// Somebody with whom something is shared.
    public final class Participant: NSObject, @unchecked Sendable {
        /// The user.
        public let userIdentity: CKUserIdentity
        /// The part that the user has.
        @CKGuarded public var role: ParticipantRole = .privateUser
        /// The state of the invitation.
        public let acceptanceStatus: ParticipantAcceptanceStatus
        /// The access of the user.
        @CKGuarded public var permission: ParticipantPermission = .readOnly
        /// The older name of `role`.
        public var type: ParticipantType {
            get { role }
            set { role = newValue }
        }
        /// A name of the participant: the user's record name, or a generated one while the user is unknown.
        public let participantID: ID

        init(
            userIdentity: CKUserIdentity, role: ParticipantRole = .privateUser,
            status: ParticipantAcceptanceStatus = .pending, permission: ParticipantPermission = .readOnly,
            id: ID? = nil
        ) {
            self.userIdentity = userIdentity
            acceptanceStatus = status
            participantID = id ?? userIdentity.userRecordID?.recordName ?? UUID().uuidString
            super.init()
            self.role = role
            self.permission = permission
        }

        convenience init(_ noun: Share.Participant, name: String) {
            let lookup = noun.emailAddress.map { CKUserIdentity.LookupInfo(emailAddress: $0) }
            self.init(
                userIdentity: CKUserIdentity(name: name, lookupInfo: lookup),
                role: ParticipantRole(noun.role),
                status: noun.accepted == nil ? .pending : .accepted,
                permission: ParticipantPermission(noun.permission))
        }

        /// A participant of its own, which is changed apart from this one.
        func copied() -> Participant {
            Participant(
                userIdentity: userIdentity, role: role, status: acceptanceStatus, permission: permission,
                id: participantID)
        }

        func isSamePerson(as other: Participant) -> Bool {
            if let mine = userIdentity.userRecordID, let theirs = other.userIdentity.userRecordID {
                return mine.isEqual(theirs)
            }
            return userIdentity.lookupInfo?.emailAddress == other.userIdentity.lookupInfo?.emailAddress
        }

        /// True for the same person, whatever the permission is.
        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? Participant else { return false }
            return self === other
                || userIdentity.userRecordID?.recordName == other.userIdentity.userRecordID?.recordName
                    && (userIdentity.userRecordID != nil || isSamePerson(as: other))
        }

        /// A hash of the person.
        public override var hash: Int {
            userIdentity.userRecordID?.hash ?? userIdentity.lookupInfo?.emailAddress.hashValue ?? 0
        }

        /// The participant as a request gives it.
        /// - Parameter caller: the name of the user who is `CKCurrentUserDefaultName`.
        func given(caller: String?) -> GivenShare.Participant? {
            let person: GivenShare.Participant.Person
            if let name = userIdentity.userRecordID?.recordName {
                guard let name = name == CKCurrentUserDefaultName ? caller : name else { return nil }
                person = .user(UserRecordName(trusted: name))
            } else if let address = userIdentity.lookupInfo?.emailAddress {
                person = .emailAddress(address)
            } else {
                return nil
            }
            return GivenShare.Participant(
                person: person, permission: Share.Permission(rawValue: Int32(permission.rawValue)), role: role.noun)
        }
    }

    /// A share that somebody was invited to, before or after accepting it.
    public final class Metadata: NSObject, Sendable {
        /// The share.
        public let share: CKShare
        /// The root record's ID; nil for a whole zone.
        public let hierarchicalRootRecordID: CKRecord.ID?
        /// The root record, where the caller may read it.
        public let rootRecord: CKRecord?
        /// The state of the caller's invitation.
        public let participantStatus: ParticipantAcceptanceStatus
        /// The caller's access.
        public let participantPermission: ParticipantPermission
        /// The caller's part.
        public let participantRole: ParticipantRole
        /// The container.
        public let containerIdentifier: String
        let shortGUID: String

        init(_ resolved: ResolvedShare, guid: String, container: String, reader: RecordReader) {
            let resolved = resolved.completed(for: reader.user)
            let share = CKRecord.received(resolved.share, from: reader) as? CKShare
            self.share = share ?? CKShare(recordZoneID: reader.zoneID(resolved.share.zone))
            let zone = reader.zoneID(resolved.share.zone)
            hierarchicalRootRecordID = resolved.rootName.map { CKRecord.ID($0, in: zone) }
            rootRecord = (try? resolved.root?.record()).map { CKRecord.received($0, from: reader) }
            participantStatus = resolved.status == "ACCEPTED" ? .accepted : .pending
            participantPermission =
                Share.Permission(name: resolved.permission).map { ParticipantPermission($0) } ?? .unknown
            participantRole =
                resolved.type == "OWNER"
                ? .owner
                : Share.Participant.Role.allCases.first { "\($0)" == resolved.type }.map { ParticipantRole($0) }
                    ?? .unknown
            containerIdentifier = container
            shortGUID = guid
        }

        /// The older name of `hierarchicalRootRecordID`; of a whole zone, the share's own ID.
        public var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }

        /// The older name of `participantRole`.
        public var participantType: ParticipantType { participantRole }

        /// The identity of the share's owner.
        public var ownerIdentity: CKUserIdentity { share.owner.userIdentity }
    }
}
