import CloudModel
public import Foundation

#if canImport(ObjectiveC)
    // Unchecked as its superclass is none of ours; nothing in it changes once it is made.
    /// An order by the distance of a field's location from a place, the nearest first.
    public final class CKLocationSortDescriptor: NSSortDescriptor, @unchecked Sendable {
        /// The place.
        public let relativeLocation: CLLocation

        /// An order by distance.
        public init(key: String, relativeLocation: CLLocation) {
            self.relativeLocation = relativeLocation
            super.init(key: key, ascending: true, selector: nil)
        }

        /// Not supported.
        public required init?(coder: NSCoder) { nil }
    }
#else
    /// An order by the distance of a field's location from a place, the nearest first.
    public final class CKLocationSortDescriptor: NSSortDescriptor {
        let fieldName: String
        /// The place.
        public let relativeLocation: CLLocation

        /// An order by distance.
        public init(key: String, relativeLocation: CLLocation) {
            fieldName = key
            self.relativeLocation = relativeLocation
            super.init(keyPath: \String.count, ascending: true)
        }

        /// Not supported.
        public required init?(coder: NSCoder) { nil }
    }

    extension NSSortDescriptor: SubclassMaking {}

    extension NSSortDescriptor {
        /// An order by the name of a field: what Foundation has on Apple's platforms only.
        public convenience init(key: String?, ascending: Bool) {
            let made: NSSortDescriptor = FieldSortDescriptor(fieldName: key, ascending: ascending)
            self.init(made: made as! Self)
        }

        /// The name of the field; nil of an order by a key path.
        public var key: String? {
            (self as? FieldSortDescriptor)?.fieldName ?? (self as? CKLocationSortDescriptor)?.fieldName
        }
    }
#endif

extension NSSortDescriptor {
    /// The order as a request gives it.
    func sort() throws(CKError) -> Sort {
        guard let key else {
            throw CKError(.invalidArguments, "a sort descriptor needs the name of a field")
        }
        let field: FilterField = Self.systemFields[key].map { .system($0) } ?? .field(FieldName(trusted: key))
        return Sort(
            field: field, isAscending: ascending,
            relativeLocation: (self as? CKLocationSortDescriptor)?.relativeLocation.noun)
    }

    /// The order of a request.
    static func made(_ sort: Sort) -> NSSortDescriptor {
        let key = systemFields.first { .system($0.value) == sort.field }?.key ?? sort.field.description
        if let location = sort.relativeLocation {
            return CKLocationSortDescriptor(key: key, relativeLocation: CLLocation(location))
        }
        return NSSortDescriptor(key: key, ascending: sort.isAscending)
    }

    private static var systemFields: [String: SystemField] {
        [
            "recordID": .recordName, "creationDate": .createdTimestamp, "modificationDate": .modifiedTimestamp,
            "creatorUserRecordID": .createdUserRecordName, "lastModifiedUserRecordID": .modifiedUserRecordName,
        ]
    }
}
