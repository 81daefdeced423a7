import CloudMessages

/// A device of a user in one epoch.
struct Life: Hashable {
    var user: String
    var device: String
    var epoch: Int64

    /// What the device sees of its user's journal up to its removal, by the rules of docs/delivery.md: neither its own
    /// entries nor those about other devices, and of the badges its own. Shares no code with readers.
    func seen(of journal: [FeedEntry]) -> [FeedEntry] {
        var seen: [FeedEntry] = []
        for entry in journal {
            let isOwn = entry.device == device && entry.epoch == epoch
            var shown = entry
            switch entry.entry {
            case .registered(let mark)?:
                guard mark.device == device, mark.epoch == epoch else { continue }
            case .unregistered(let mark)?:
                if mark.device == device, mark.epoch == epoch { return seen }
                continue
            case .query(var query)?:
                guard !isOwn else { continue }
                query.badge = query.badges.first { $0.device == device && $0.epoch == epoch }?.badge
                query.badges = []
                shown.entry = .query(query)
            case .omitted?, .read?:
                guard !isOwn else { continue }
            case .badge?, nil: continue
            }
            seen.append(shown)
        }
        return seen
    }
}
