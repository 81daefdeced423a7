extension FieldType {
    /// The properties that rules elsewhere depend on: the one table to extend for a new type.
    package struct Traits: Hashable, Sendable {
        /// Comparisons order its values: ranges, and order of results.
        package var isOrdered = false
        /// Filters and predicates may compare it, itself or in a list (docs/cloudkit.md#predicates).
        package var isComparable = false
        /// A field of it may be SORTABLE: ordered types, and locations by their distance.
        package var isSortable = false
        /// Notifications carry its values (docs/cloudkit.md#notificationinfo).
        package var isCarried = false
        /// Lists may contain it.
        package var isListable = false
        /// Fields of it may be encrypted.
        package var isEncryptable = false
    }

    /// The type's row of the table.
    package var traits: Traits {
        switch self {
        case .string, .int64, .double, .timestamp:
            Traits(
                isOrdered: true, isComparable: true, isSortable: true, isCarried: true, isListable: true,
                isEncryptable: true)
        case .location:
            Traits(isComparable: true, isSortable: true, isCarried: true, isListable: true, isEncryptable: true)
        case .reference: Traits(isComparable: true, isCarried: true, isListable: true)
        case .bytes: Traits(isListable: true, isEncryptable: true)
        case .asset: Traits(isListable: true)
        case .stringList, .int64List, .doubleList, .timestampList, .locationList:
            Traits(isComparable: true, isEncryptable: true)
        case .referenceList: Traits(isComparable: true)
        case .bytesList: Traits(isEncryptable: true)
        case .assetList: Traits()
        case .encryptedString, .encryptedInt64, .encryptedDouble, .encryptedTimestamp, .encryptedBytes,
            .encryptedLocation:
            Traits(isListable: true)
        case .encryptedStringList, .encryptedInt64List, .encryptedDoubleList, .encryptedTimestampList,
            .encryptedBytesList, .encryptedLocationList:
            Traits()
        }
    }
}
