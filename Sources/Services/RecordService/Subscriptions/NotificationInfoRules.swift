import CloudModel

/// Checks the fields that a subscription's notifications carry or show (docs/cloudkit.md#notificationinfo).
enum NotificationInfoRules {
    /// Checks the fields that `notificationInfo` names. In production the schema has to know them; in development they
    /// may come later.
    /// - Parameters:
    ///     - types: the fields of the watched record type; nil if the schema does not know it, or for any type.
    ///     - isProduction: whether a field has to be known.
    static func check(
        _ info: NotificationInfo, of type: RecordType, types: [FieldName: FieldType]?, isProduction: Bool
    ) throws(CloudError) {
        for field in info.additionalFields {
            guard let known = try self.type(of: field, in: type, types, isProduction, "additional field") else {
                continue
            }
            guard known.traits.isCarried else {
                throw .badRequest(
                    "the additional field '\(field)' is \(known); notifications carry strings, numbers, dates, locations and references"
                )
            }
        }
        for field in info.appearance.argumentFields {
            guard let known = try self.type(of: field, in: type, types, isProduction, "localization argument") else {
                continue
            }
            guard known.traits.isOrdered else {
                throw .badRequest(
                    "the localization argument '\(field)' is \(known); alerts show strings, numbers and dates")
            }
        }
    }

    private static func type(
        of field: FieldName, in type: RecordType, _ types: [FieldName: FieldType]?, _ isProduction: Bool,
        _ what: StaticString
    ) throws(CloudError) -> FieldType? {
        if let known = types?[field] { return known }
        guard !isProduction else { throw .badRequest("the \(what) '\(field)' could not be found in \(type)") }
        return nil
    }
}
