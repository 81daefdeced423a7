import Foundation

extension CKShare {
    /// The archived form of a share's own properties.
    struct Archive: Codable {
        /// Somebody with whom something is shared.
        struct Person: Codable {
            var id: String
            var user: String?
            var emailAddress: String?
            var role: Int
            var status: Int
            var permission: Int

            init(_ participant: Participant) {
                id = participant.participantID
                user = participant.userIdentity.userRecordID?.recordName
                emailAddress = participant.userIdentity.lookupInfo?.emailAddress
                role = participant.role.rawValue
                status = participant.acceptanceStatus.rawValue
                permission = participant.permission.rawValue
            }

            var participant: Participant {
                Participant(
                    userIdentity: CKUserIdentity(
                        name: user, lookupInfo: emailAddress.map { CKUserIdentity.LookupInfo(emailAddress: $0) }),
                    role: ParticipantRole(rawValue: role) ?? .unknown,
                    status: ParticipantAcceptanceStatus(rawValue: status) ?? .unknown,
                    permission: ParticipantPermission(rawValue: permission) ?? .unknown, id: id)
            }
        }

        static let key = "FanfareShare"

        var publicPermission: Int
        var people: [Person]
        var answered: Answered
        var root: CKRecord.Archive.Identifier?
    }
}

extension CKShare.Archive {
    /// The properties in an archive; nil in one without them.
    init?(from coder: NSCoder) {
        guard coder.containsValue(forKey: Self.key),
            let data = coder.decodeObject(of: NSData.self, forKey: Self.key),
            let archive = try? JSONDecoder().decode(Self.self, from: Data(referencing: data))
        else { return nil }
        self = archive
    }

    /// Writes the properties, equal ones with equal bytes.
    func encode(with coder: NSCoder) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(self) else { return }
        coder.encode(data as NSData, forKey: Self.key)
    }
}
