/// One entry of `sortBy`; later entries decide between records that earlier ones leave equal.
package struct Sort: Hashable, Sendable {
    package var field: FilterField
    package var isAscending: Bool
    /// Orders by the distance from here; only on fields of type LOCATION.
    package var relativeLocation: Location?

    package init(field: FilterField, isAscending: Bool, relativeLocation: Location? = nil) {
        self.field = field
        self.isAscending = isAscending
        self.relativeLocation = relativeLocation
    }
}
