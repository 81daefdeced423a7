import CloudModel

extension ShareMessage {
    init(_ share: Share) {
        self.init(
            root: share.root?.rawValue, publicPermission: share.publicPermission.rawValue,
            participants: share.participants.map { participant in
                ParticipantMessage(
                    user: participant.user.rawValue, permission: participant.permission.rawValue,
                    isPublic: participant.role == .publicUser, accepted: participant.accepted?.rawValue ?? 0,
                    emailAddress: participant.emailAddress,
                    isAdministrator: participant.role == .administrator)
            }, shortGuid: share.shortGUID)
    }

    func share() throws(MalformedMessage) -> Share {
        var people: [Share.Participant] = []
        for participant in participants {
            var person = Share.Participant(
                user: UserRecordName(trusted: participant.user),
                permission: try required(
                    Share.Permission(rawValue: participant.permission), "a participant's permission"),
                role: participant.role,
                accepted: participant.accepted > 0 ? CommitSequence(participant.accepted) : nil)
            person.emailAddress = participant.emailAddress
            people.append(person)
        }
        return Share(
            root: root.map { RecordName(trusted: $0) },
            publicPermission: try required(Share.Permission(rawValue: publicPermission), "a share's permission"),
            participants: people, shortGUID: shortGuid)
    }
}

extension ParticipantMessage {
    fileprivate var role: Share.Participant.Role {
        isAdministrator ? .administrator : isPublic ? .publicUser : .user
    }
}
