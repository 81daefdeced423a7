public import Foundation

// What can change is guarded; CloudKit declares the class the same way.
/// The choices that an app leaves to its user when something is shared. Here it is the app's to show them.
public final class CKAllowedSharingOptions: NSObject, NSCopying, @unchecked Sendable {
    /// All choices.
    public static var standard: CKAllowedSharingOptions {
        CKAllowedSharingOptions(allowedParticipantPermissionOptions: .any, allowedParticipantAccessOptions: .any)
    }

    /// The permissions that a participant may be given.
    @CKGuarded public var allowedParticipantPermissionOptions = CKSharingParticipantPermissionOption.any
    /// The ways to take part.
    @CKGuarded public var allowedParticipantAccessOptions = CKSharingParticipantAccessOption.any

    /// True to let participants invite others.
    @CKGuarded public var allowsParticipantsToInviteOthers = false
    /// True to let others ask for access; the service has no such requests.
    @CKGuarded public var allowsAccessRequests = false

    /// Some choices.
    public init(
        allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption,
        allowedParticipantAccessOptions: CKSharingParticipantAccessOption
    ) {
        super.init()
        self.allowedParticipantPermissionOptions = allowedParticipantPermissionOptions
        self.allowedParticipantAccessOptions = allowedParticipantAccessOptions
    }

    /// The same choices.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKAllowedSharingOptions(
            allowedParticipantPermissionOptions: allowedParticipantPermissionOptions,
            allowedParticipantAccessOptions: allowedParticipantAccessOptions)
        copy.allowsParticipantsToInviteOthers = allowsParticipantsToInviteOthers
        copy.allowsAccessRequests = allowsAccessRequests
        return copy
    }
}

/// The permissions that participants may be given, by CloudKit's bits.
public struct CKSharingParticipantPermissionOption: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Permissions by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Reading.
    public static let readOnly = CKSharingParticipantPermissionOption(rawValue: 1)
    /// Reading and writing.
    public static let readWrite = CKSharingParticipantPermissionOption(rawValue: 2)
    /// Either.
    public static let any: CKSharingParticipantPermissionOption = [.readOnly, .readWrite]
}

/// The ways to take part in a share, by CloudKit's bits.
public struct CKSharingParticipantAccessOption: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Ways by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Everybody with the link.
    public static let anyoneWithLink = CKSharingParticipantAccessOption(rawValue: 1)
    /// Those who are invited.
    public static let specifiedRecipientsOnly = CKSharingParticipantAccessOption(rawValue: 2)
    /// Either.
    public static let any: CKSharingParticipantAccessOption = [.anyoneWithLink, .specifiedRecipientsOnly]
}
