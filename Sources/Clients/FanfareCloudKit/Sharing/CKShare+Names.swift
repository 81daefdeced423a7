extension CKShare {
    /// The older name of a participant's role.
    public typealias ParticipantType = ParticipantRole
}

extension CKShare.Participant {
    /// A name of a participant.
    public typealias ID = String
    /// The access of a participant.
    public typealias Permission = CKShare.ParticipantPermission
    /// The state of an invitation.
    public typealias AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
    /// The part of a participant.
    public typealias Role = CKShare.ParticipantRole
}

/// The older name of a share's metadata.
public typealias CKShareMetadata = CKShare.Metadata
/// The older name of a share's participant.
public typealias CKShareParticipant = CKShare.Participant
/// The older name of a participant's access.
public typealias CKShareParticipantPermission = CKShare.ParticipantPermission
/// The older name of an invitation's state.
public typealias CKShareParticipantAcceptanceStatus = CKShare.ParticipantAcceptanceStatus
/// The older name of a participant's part.
public typealias CKShareParticipantRole = CKShare.ParticipantRole
/// The older name of a participant's part.
public typealias CKShareParticipantType = CKShare.ParticipantRole
/// The older name of a way to look a user up.
public typealias CKUserIdentityLookupInfo = CKUserIdentity.LookupInfo

/// The older name of `CKShare.SystemFieldKey.title`.
public let CKShareTitleKey = CKShare.SystemFieldKey.title
/// The older name of `CKShare.SystemFieldKey.thumbnailImageData`.
public let CKShareThumbnailImageDataKey = CKShare.SystemFieldKey.thumbnailImageData
/// The older name of `CKShare.SystemFieldKey.shareType`.
public let CKShareTypeKey = CKShare.SystemFieldKey.shareType
