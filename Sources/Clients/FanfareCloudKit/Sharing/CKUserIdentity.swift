import CloudModel
public import Foundation

/// A user, as far as others know of one.
public final class CKUserIdentity: NSObject, Sendable {
    /// The ways to look a user up.
    public final class LookupInfo: NSObject, Sendable {
        /// The email address.
        public let emailAddress: String?
        /// The phone number, by which nobody is found here.
        public let phoneNumber: String?
        /// The user's record.
        public let userRecordID: CKRecord.ID?

        /// Looks up by an email address.
        public init(emailAddress: String) {
            self.emailAddress = emailAddress
            phoneNumber = nil
            userRecordID = nil
        }

        /// Looks up by a phone number, by which nobody is found here.
        public init(phoneNumber: String) {
            emailAddress = nil
            self.phoneNumber = phoneNumber
            userRecordID = nil
        }

        /// Ways to look users up by email addresses.
        public static func lookupInfos(withEmails emails: [String]) -> [LookupInfo] {
            emails.map { LookupInfo(emailAddress: $0) }
        }

        /// Ways to look users up by phone numbers, by which nobody is found here.
        public static func lookupInfos(withPhoneNumbers phoneNumbers: [String]) -> [LookupInfo] {
            phoneNumbers.map { LookupInfo(phoneNumber: $0) }
        }

        /// Ways to look users up by the IDs of their records.
        public static func lookupInfos(with recordIDs: [CKRecord.ID]) -> [LookupInfo] {
            recordIDs.map { LookupInfo(userRecordID: $0) }
        }

        /// Looks up by the ID of the user's record.
        public init(userRecordID: CKRecord.ID) {
            emailAddress = nil
            phoneNumber = nil
            self.userRecordID = userRecordID
        }
    }

    /// The user's record; nil of an address that belongs to nobody yet.
    public let userRecordID: CKRecord.ID?
    /// The way by which the user was looked up.
    public let lookupInfo: LookupInfo?
    /// The user's name, if the user's settings allow it.
    public let nameComponents: PersonNameComponents?
    /// Empty: a service has no address book.
    public var contactIdentifiers: [String] { [] }
    /// True if the user has signed in here once.
    public var hasiCloudAccount: Bool { userRecordID != nil }

    init(name: String?, lookupInfo: LookupInfo? = nil, nameComponents: PersonNameComponents? = nil) {
        userRecordID = name.map { CKRecord.ID(user: $0) }
        self.lookupInfo = lookupInfo
        self.nameComponents = nameComponents
    }

    convenience init(_ profile: UserProfile, lookupInfo: LookupInfo?) {
        var components = PersonNameComponents()
        components.givenName = profile.givenName
        components.familyName = profile.familyName
        self.init(name: profile.name.rawValue, lookupInfo: lookupInfo, nameComponents: components)
    }
}
