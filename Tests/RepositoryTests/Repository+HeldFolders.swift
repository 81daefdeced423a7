extension Repository {
    /// The folders that the rules of form (`FormTests`, `SharedStateTests`) hold.
    static let heldFolders = [
        "Sources/Backends", "Sources/Clients", "Sources/Core", "Sources/Libraries", "Sources/Services/Feeds",
        "Sources/Services/Identity", "Sources/Services/NotificationDelivery", "Sources/Services/Operations",
        "Sources/Services/Push", "Sources/Services/SubscriptionMatcher", "Sources/Services/WebAPI", "Sources/fanfare",
    ]

    /// Files written by hand in the held folders.
    static let heldSources = sources.filter { file in
        !file.isGenerated && heldFolders.contains { file.path.hasPrefix($0 + "/") }
    }
}
