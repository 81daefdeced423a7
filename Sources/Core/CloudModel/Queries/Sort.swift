/// One entry of `sortBy`; later entries decide between records that earlier ones leave equal.
package struct Sort: Hashable, Sendable {
    /// The field that records are ordered by.
    package var field: FilterField
    /// Indicates whether the smallest value comes first.
    package var isAscending: Bool
    /// Orders by the distance from here; only on fields of type LOCATION.
    package var relativeLocation: Location?

    package init(field: FilterField, isAscending: Bool, relativeLocation: Location? = nil) {
        self.field = field
        self.isAscending = isAscending
        self.relativeLocation = relativeLocation
    }
}
