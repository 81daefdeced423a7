extension PartitionState {
    /// Its key in `delivery-state`. No user's name looks like it.
    package static let key = Array("#positions".utf8)
}
