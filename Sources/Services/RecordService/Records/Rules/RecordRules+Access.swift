import CloudModel

extension RecordRules {
    /// Checks that a participant may do this: write what is shared to be written, and keep it within what is shared.
    func checkAccess(_ operation: RecordOperation) throws(CloudError) {
        guard let access = setting.access else { return }
        let (name, existing) = (facts.name, facts.existing?.record)
        guard (operation.recordType ?? existing?.type) != .share, existing?.type != .share else {
            throw CloudError(.accessDenied, "only the owner of the zone changes the share '\(name)'")
        }
        if existing != nil {
            guard mayWrite(name) else {
                throw CloudError(.accessDenied, "the record '\(name)' is shared with you for reading only")
            }
        } else if facts.lines[name] != nil {
            throw CloudError(.accessDenied, "the record '\(name)' is not shared with you")
        }
        if operation.kind == .delete || operation.kind == .forceDelete {
            guard !access.isRoot(name) else {
                throw CloudError(.accessDenied, "only its owner deletes '\(name)', the top of what is shared")
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

    private func mayWrite(_ name: RecordName) -> Bool {
        facts.lines[name].map { setting.permission(for: $0.names) == .readWrite } ?? false
    }
}
