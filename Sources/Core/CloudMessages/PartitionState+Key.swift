extension PartitionState {
    /// The key in `delivery-state` that it stands under. No user's name looks like it.
    package static let key = Array("#positions".utf8)
}
