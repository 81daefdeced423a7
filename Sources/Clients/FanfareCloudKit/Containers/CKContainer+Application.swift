// Names of Swift 4 and older, which the current SDK still has.

extension CKContainer {
    /// The older place of permissions.
    public enum Application {
        /// The older name of an app's permissions.
        public typealias Permissions = CKContainer.ApplicationPermissions
        /// The older name of the user's answer to a permission.
        public typealias PermissionStatus = CKContainer.ApplicationPermissionStatus
        /// The older name of a handler of a permission's state.
        public typealias PermissionBlock = CKContainer.ApplicationPermissionBlock
    }

    /// A handler of a permission's state.
    public typealias ApplicationPermissionBlock = (ApplicationPermissionStatus, (any Error)?) -> Void
}

extension CKShare.Participant {
    /// The older name of a participant's part.
    public typealias ParticipantType = CKShare.ParticipantRole
}

/// The older name of an app's permissions.
public typealias CKContainer_Application_Permissions = CKContainer.ApplicationPermissions
/// The older name of the user's answer to a permission.
public typealias CKContainer_Application_PermissionStatus = CKContainer.ApplicationPermissionStatus
/// The older name of a handler of a permission's state.
public typealias CKContainer_Application_PermissionBlock = CKContainer.ApplicationPermissionBlock
/// The older name of a reference's action.
public typealias CKRecord_Reference_Action = CKRecord.ReferenceAction
/// The older name of an invitation's state.
public typealias CKShare_Participant_AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
/// The older name of a participant's access.
public typealias CKShare_Participant_Permission = CKShare.ParticipantPermission
/// The older name of a participant's part.
public typealias CKShare_Participant_Role = CKShare.ParticipantRole
/// The older name of a participant's part.
public typealias CKShare_Participant_ParticipantType = CKShare.ParticipantRole
