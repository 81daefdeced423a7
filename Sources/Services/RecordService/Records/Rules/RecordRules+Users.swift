import CloudModel

extension RecordRules {
    /// Checks that users' records stay as they are: one for each user in the public database, made by the sign-in and
    /// removed with the user. The permissions of its type allow its creator, the user, to change it.
    func checkUser(_ operation: RecordOperation) throws(CloudError) {
        guard facts.name.user != nil else {
            guard operation.recordType != .users || facts.existing != nil else {
                throw .badRequest(
                    "records of type \(RecordType.users) are users, which the sign-in makes; '\(facts.name)' is no user's name"
                )
            }
            return
        }
        guard facts.existing != nil else {
            throw CloudError(
                .notFound,
                "there is no user '\(facts.name)' in this database: users are records of the public one, made at their first sign-in"
            )
        }
        guard operation.kind != .delete, operation.kind != .forceDelete else {
            throw .badRequest("the record of the user '\(facts.name)' goes with the user; empty its fields instead")
        }
    }

    /// Checks a reference to a user, from any database.
    func checkReference(_ reference: Reference, to user: UserRecordName) throws(CloudError) {
        switch reference.action {
        case .none: break
        case .validate:
            guard facts.users.contains(user) else {
                throw CloudError(
                    .validatingReferenceError, "the user '\(user)' that a VALIDATE reference names does not exist")
            }
        case .deleteSelf:
            throw .badRequest(
                "the reference to the user '\(user)' cannot be DELETE_SELF: users are not deleted by requests; use NONE or VALIDATE"
            )
        }
    }
}
