import CloudModel

extension RecordRules {
    /// Checks that a participant may write the record, and keeps it within the share.
    func checkAccess(_ operation: RecordOperation) throws(CloudError) {
        guard let access = setting.access else { return }
        let (name, existing) = (facts.name, facts.existing?.record)
        if operation.recordType == .share || existing?.type == .share {
            guard ownPart(in: existing)?.role == .administrator else {
                throw CloudError(
                    .accessDenied, "only the owner of the zone and the administrators of the share change '\(name)'")
            }
            return
        }
        if existing != nil {
            guard mayWrite(name) else {
                throw CloudError(.accessDenied, "the record '\(name)' is shared with you for reading only")
            }
        }
        if operation.kind == .delete || operation.kind == .forceDelete {
            guard !access.isRoot(name) else {
                throw CloudError(.accessDenied, "only its owner deletes '\(name)', the root of the share")
            }
            return
        }
        guard access.wholeZone != .readWrite else { return }
        let parent = Self.parent(operation, existing)
        if access.isRoot(name), parent == existing?.parent { return }
        guard let parent, mayWrite(parent) else {
            throw CloudError(
                .accessDenied, "the record '\(name)' needs a parent that is shared with you for reading and writing")
        }
    }

    /// Checks that a participant changes nothing of a share but its participants.
    /// - Parameter after: the record as it would be saved.
    func checkShareChange(to after: Record) throws(CloudError) {
        guard setting.access != nil, after.type == .share, let before = facts.existing?.record else { return }
        guard after.fields == before.fields, after.parent == before.parent,
            after.shareDetails?.publicPermission == before.shareDetails?.publicPermission
        else {
            throw CloudError(
                .accessDenied,
                "an administrator changes the participants of the share '\(facts.name)'; its publicPermission, fields and parent are its owner's"
            )
        }
    }

    /// Checks that a share which a participant deletes is one to be left: it goes on for the others.
    func checkLeaving(_ share: Record) throws(CloudError) {
        guard ownPart(in: share) != nil else {
            throw CloudError(.accessDenied, "you take no part in the share '\(facts.name)', and only its owner ends it")
        }
    }

    /// The caller's part in a share that the caller has accepted.
    private func ownPart(in share: Record?) -> Share.Participant? {
        share?.shareDetails?.participants.first { $0.user == setting.origin.user && $0.mayRead }
    }

    private func mayWrite(_ name: RecordName) -> Bool {
        facts.lines[name].map { setting.permission(for: $0.names) == .readWrite } ?? false
    }
}
