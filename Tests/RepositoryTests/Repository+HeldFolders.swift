extension Repository {
    /// The folders that the rules of form (`FormTests`, `SharedStateTests`) hold.
    static let heldFolders = [
        "Sources/Backends", "Sources/Core", "Sources/Libraries", "Sources/Services/Identity",
        "Sources/Services/NotificationDelivery", "Sources/Services/Push", "Sources/Services/SubscriptionMatcher",
        "Sources/fanfare",
    ]

    /// Files written by hand in the held folders.
    static let heldSources = sources.filter { file in
        !file.isGenerated && heldFolders.contains { file.path.hasPrefix($0 + "/") }
    }
}
