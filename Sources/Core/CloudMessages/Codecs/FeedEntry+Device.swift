package import CloudModel

extension FeedEntry {
    /// Returns an entry of a user's journal as a device in one epoch reads it: with the badge of the device alone; nil
    /// for what the device did itself, and for what concerns other devices.
    package func seen(by device: DeviceID, _ epoch: DeviceEpoch) -> FeedEntry? {
        let isOwn = self.device == device.rawValue && self.epoch == epoch.rawValue
        switch entry {
        case .registered?: return isOwn ? self : nil
        case .badge?, .unregistered?, nil: return nil
        case .omitted?, .read?: return isOwn ? nil : self
        case .query(var query)?:
            guard !isOwn else { return nil }
            guard !query.badges.isEmpty else { return self }
            query.badge = query.badges.first { $0.device == device.rawValue && $0.epoch == epoch.rawValue }?.badge
            query.badges = []
            var seen = self
            seen.entry = .query(query)
            return seen
        }
    }
}
