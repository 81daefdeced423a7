import CloudModel

/// The rights of one caller on records of the public database, by the permissions of their types
/// (docs/cloudkit.md#permissions).
struct PublicAccess {
    /// The caller; nil with an API token alone.
    let user: UserRecordName?

    /// The caller's role for a record; nil stands for one that is not there yet.
    func role(for record: Record?) -> TypePermissions.Role {
        guard let user else { return .world }
        return record?.created.user == user ? .creator : .icloud
    }

    /// Returns true if the caller has a right on a record that is there.
    func may(_ right: TypePermissions.Right, _ record: Record, _ permissions: TypePermissions) -> Bool {
        permissions.allow(right, to: role(for: record))
    }

    /// - Throws: `ACCESS_DENIED` that names the right that is missing.
    func require(
        _ right: TypePermissions.Right, of type: RecordType, _ permissions: TypePermissions, record: Record?
    ) throws(CloudError) {
        let role = role(for: record)
        guard !permissions.allow(right, to: role) else { return }
        let what = record.map { "the record '\($0.name)'" } ?? "records of type \(type)"
        throw CloudError(
            .accessDenied,
            "\(role) has no \(right) right on \(what): \(type) grants \(Self.grants(permissions, right))")
    }

    private static func grants(_ permissions: TypePermissions, _ right: TypePermissions.Right) -> String {
        let roles = TypePermissions.Role.allCases.filter { permissions[$0, right] }.map(\.description)
        return roles.isEmpty ? "it to nobody" : "it to \(roles.joined(separator: " and "))"
    }
}

extension TypePermissions {
    /// The least role that may read records of the type; nil when nobody may.
    var reader: Role? { Role.allCases.first { allow(.read, to: $0) } }
}
